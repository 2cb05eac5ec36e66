#include "config/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/diff.h"
#include "config/layer.h"
#include "config/named_files.h"
#include "console/ask.h"

/* First line: a file that was copied or renamed does not approve another project. */
#define HEADER "# approved for "
/* The contents' ceiling, that of the named files, and room for the first line and their names (a
 * path of 4,095 bytes, each as \ooo). */
#define APPROVAL_MAX (CONFIG_FILE_MAX + NAMED_FILES * NAMED_FILE_SHOWN_MAX + 8 * 4096 + 64)

void trust_free(trust *self)
{
    if (!self)
        return;
    g_free(self->contents);
    g_free(self->approved);
    g_free(self->files);
    g_free(self->approved_files);
    g_free(self);
}

static char *approval_path(const char *project)
{
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, project, -1);
    g_autofree char *tail = g_strdup_printf("trust/%s.toml", hash);
    return paths_state(tail);
}

static char *header_of(const char *project)
{
    g_autofree char *escaped = g_strescape(project, NULL);
    return g_strconcat(HEADER, escaped, "\n", NULL);
}

/*
 * Fills approved and approved_files of SELF: NULL when there is no approval, or one that is not
 * this project's. The record holds the contents and, after a NUL, those of the named files.
 */
static gboolean read_approval(const char *project, trust *self, GError **error)
{
    g_autofree char *path = approval_path(project);
    g_autofree char *header = header_of(project);
    g_autofree char *text = NULL;
    g_autoptr(GError) wrong = NULL;
    gsize length = 0;

    if (!fs_read(AT_FDCWD, path, APPROVAL_MAX, &text, &length, &wrong)) {
        if (g_error_matches(wrong, G_FILE_ERROR, G_FILE_ERROR_NOENT))
            return TRUE;
        g_propagate_prefixed_error(error, g_steal_pointer(&wrong), "the record of trust: ");
        return FALSE;
    }
    gsize first = strlen(text);
    const char *files = first < length ? text + first + 1 : "";
    if (g_str_has_prefix(text, header) && first + strlen(files) + (first < length) == length) {
        self->approved = g_strdup(text + strlen(header));
        self->approved_files = g_strdup(files);
    }
    return TRUE;
}

/* What the files hold that CONTENTS name; "" also for contents that are wrong, which do not count.
 */
static char *files_of(const char *project, const char *contents)
{
    g_autoptr(settings) base = contents ? layer_merge_project(project, NULL, NULL) : NULL;
    g_autoptr(settings) now = base ? layer_merge_project(project, contents, NULL) : NULL;
    return now ? named_files_text(project, base, now) : g_strdup("");
}

trust *trust_check(const char *project, GError **error)
{
    g_autoptr(trust) self = g_new0(trust, 1);
    gsize length;

    if (!layer_read_project_file(project, &self->contents, &length, error) ||
        !read_approval(project, self, error))
        return NULL;
    self->files = files_of(project, self->contents);
    if (!self->contents)
        self->state = self->approved ? TRUST_GONE : TRUST_NO_FILE;
    else if (!self->approved)
        self->state = TRUST_NEW;
    else if (!strcmp(self->contents, self->approved) && !strcmp(self->files, self->approved_files))
        self->state = TRUST_APPROVED;
    else
        self->state = TRUST_CHANGED;
    return g_steal_pointer(&self);
}

static gboolean store(const char *project, const char *contents, const char *files, GError **error)
{
    g_autofree char *folder = paths_state("trust");
    g_autofree char *path = approval_path(project);
    g_autofree char *header = header_of(project);
    g_autoptr(GString) text = g_string_new(header);
    g_string_append(text, contents);
    if (*files) {
        g_string_append_c(text, '\0');
        g_string_append(text, files);
    }
    return fs_make_folder(folder, 0700, error) &&
           fs_write(path, text->str, (gssize)text->len, 0600, error);
}

gboolean trust_approve_seen(const char *project, const trust *seen, GError **error)
{
    return seen->contents ? store(project, seen->contents, seen->files, error)
                          : trust_revoke(project, error);
}

gboolean trust_approve(const char *project, const char *contents, GError **error)
{
    g_autofree char *files = files_of(project, contents);
    return store(project, contents, files, error);
}

gboolean trust_revoke(const char *project, GError **error)
{
    g_autofree char *path = approval_path(project);
    if (unlink(path) == 0 || errno == ENOENT)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot withdraw the approval: %s",
                g_strerror(errno));
    return FALSE;
}

/* A user does not read more openings than this, nor so many bytes of them, so the question is not
 * asked. */
#define OPENINGS_MAX 100
#define OPENINGS_BYTES_MAX 16384
/* The openings come last, next to the question; a long difference must not hide them. */
#define DIFF_SHOWN 60

static char *file_shown(const char *project)
{
    g_autofree char *path = g_build_filename(project, PROJECT_FILE, NULL);
    return text_safe(path, -1);
}

static gboolean listed(const GPtrArray *list, const char *text)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)list, text, g_str_equal, NULL);
}

/* Everything that NOW opens beyond BASE; what APPROVED (may be NULL) did not have is marked. */
static GPtrArray *openings_marked(const settings *base, const settings *approved,
                                  const settings *now)
{
    g_autoptr(GPtrArray) all = trust_openings(base, now);
    g_autoptr(GPtrArray) fresh = trust_openings(approved ? approved : base, now);
    GPtrArray *marked = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < all->len; i++) {
        const char *words = g_ptr_array_index(all, i);
        gboolean is_new = approved && listed(fresh, words);
        if (!is_new)
            g_ptr_array_add(marked, g_strdup(words));
    }
    for (guint i = 0; i < fresh->len; i++) {
        const char *words = g_ptr_array_index(fresh, i);
        if (approved || !listed(all, words))
            g_ptr_array_add(marked, g_strdup_printf("%s (new)", words));
    }
    return marked;
}

/* The settings of what was approved; NULL when there was none, or it does not fit this version. */
static settings *approved_settings(const char *project, const trust *state)
{
    return state->approved ? layer_merge_project(project, state->approved, NULL) : NULL;
}

char *trust_last_approved(const char *project)
{
    g_autoptr(trust) last = g_new0(trust, 1);
    g_autoptr(settings) fits =
        read_approval(project, last, NULL) ? approved_settings(project, last) : NULL;
    return fits ? g_steal_pointer(&last->approved) : NULL;
}

static void append_lines(GString *text, const char *old, const char *new)
{
    g_autofree char *diff = diff_lines(old, new, DIFF_SHOWN);
    if (*diff)
        g_string_append_printf(text, "\n%s\n", diff);
}

static void append_difference(GString *text, const trust *state, const char *file)
{
    const char *contents = state->contents ? state->contents : "";
    if (state->state == TRUST_GONE)
        g_string_append_printf(text, "%s is gone, which you had trusted:\n", file);
    else if (strcmp(contents, state->approved) != 0)
        g_string_append_printf(text, "%s has changed since you trusted it:\n", file);
    append_lines(text, state->approved, contents);
    if (state->state == TRUST_GONE)
        return;
    if (strcmp(state->files, state->approved_files) != 0)
        g_string_append_printf(text, "Files that %s names have changed since you trusted it:\n",
                               file);
    append_lines(text, state->approved_files, state->files);
}

static gboolean is_too_much(const GPtrArray *openings)
{
    gsize bytes = 0;
    for (guint i = 0; i < openings->len; i++)
        bytes += strlen(openings->pdata[i]);
    return openings->len > OPENINGS_MAX || bytes > OPENINGS_BYTES_MAX;
}

static char *describe(const char *project, const trust *state, const GPtrArray *openings)
{
    g_autofree char *file = file_shown(project);
    GString *text = g_string_new(NULL);

    if (state->approved)
        append_difference(text, state, file);
    else
        g_string_append_printf(text, "%s is new here.\n%s", file,
                               *state->files ? "It also stands for these files:\n" : "");
    if (!state->approved)
        append_lines(text, "", state->files);
    if (openings->len)
        g_string_append_printf(text, "%s it, code in the box would get:\n",
                               state->contents ? "With" : "Without");
    else
        g_string_append(text, state->contents ? "It allows nothing beyond your own configuration.\n"
                                              : "It had taken nothing from the box.\n");
    for (guint i = 0; i < openings->len; i++)
        g_string_append_printf(text, "  - %s\n", (char *)g_ptr_array_index(openings, i));
    return g_string_free(text, FALSE);
}

char *trust_describe(const char *project, const trust *state, GError **error)
{
    if (state->state == TRUST_NO_FILE) {
        g_autofree char *file = file_shown(project);
        return g_strdup_printf("there is no %s\n", file);
    }
    g_autoptr(settings) base = layer_merge_project(project, NULL, error);
    g_autoptr(settings) now = base ? layer_merge_project(project, state->contents, error) : NULL;
    if (!now)
        return NULL;
    g_autoptr(settings) approved = approved_settings(project, state);
    g_autoptr(GPtrArray) openings = openings_marked(base, approved, now);
    if (is_too_much(openings)) {
        g_autofree char *file = file_shown(project);
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_UNTRUSTED,
            "'%s' asks for %u permissions, more or longer ones than anybody can review: not "
            "trusted",
            file, openings->len);
        return NULL;
    }
    return describe(project, state, openings);
}

gboolean trust_question(const char *text, gboolean *yes)
{
    g_autofree char *question = g_strconcat(text, "Trust this?", NULL);
    *yes = FALSE;
    if (!ask_can())
        return FALSE;
    *yes = ask_yes(question);
    return TRUE;
}

static gboolean untrusted(const char *project, const trust *state, GError **error)
{
    g_autofree char *file = file_shown(project);
    g_autofree char *quoted = text_shell_quote(project);
    g_autofree char *safe = text_safe(quoted, -1);
    const char *why = !state->approved   ? "is new and not trusted yet"
                      : !state->contents ? "is gone, and without it the box may do more than you "
                                           "trusted"
                      : strcmp(state->contents, state->approved) == 0
                          ? "names files that have changed since you trusted it"
                          : "has changed and allows more than you trusted";
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED,
                "'%s' %s: run 'box trust %s' to see what it would allow, and to trust it", file,
                why, safe);
    return FALSE;
}

static gboolean files_have_changed(const trust *state)
{
    return *state->files && g_strcmp0(state->files, state->approved_files) != 0;
}

GPtrArray *trust_news(const char *project, const trust *state, GError **error)
{
    g_autoptr(settings) approved = approved_settings(project, state);
    g_autoptr(settings) before =
        approved ? g_steal_pointer(&approved) : layer_merge_project(project, NULL, error);
    g_autoptr(settings) now = before ? layer_merge_project(project, state->contents, error) : NULL;
    if (!now)
        return NULL;
    g_autoptr(GPtrArray) news = trust_openings(before, now);
    if (!files_have_changed(state) && !is_too_much(news))
        return g_steal_pointer(&news);
    untrusted(project, state, error);
    return NULL;
}

/* TRUE when the changed file opens nothing that the approved one did not, and no other file has
 * changed that counts. */
static gboolean only_narrows(const char *project, const trust *state)
{
    if (files_have_changed(state))
        return FALSE;
    g_autoptr(settings) approved = approved_settings(project, state);
    g_autoptr(settings) now = approved ? layer_merge_project(project, state->contents, NULL) : NULL;
    return now && !trust_widens(approved, now);
}

static gboolean ask_person(const char *project, const trust *state, GError **error)
{
    g_autofree char *text = trust_describe(project, state, error);
    if (!text)
        return FALSE;
    gboolean yes;
    if (!trust_question(text, &yes))
        return untrusted(project, state, error);
    if (yes)
        return trust_approve_seen(project, state, error);
    g_autofree char *file = file_shown(project);
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED, "%s'%s' is not trusted",
                state->contents ? "" : "the box without ", file);
    return FALSE;
}

gboolean trust_decide(const char *project, const trust *state, trust_policy ask,
                      const char **counts, GError **error)
{
    *counts = state->contents;
    if (state->state == TRUST_NO_FILE || state->state == TRUST_APPROVED || ask == TRUST_IGNORE ||
        only_narrows(project, state))
        return TRUE;
    g_autoptr(settings) approved = approved_settings(project, state);
    *counts = approved ? state->approved : NULL;
    if (ask == TRUST_SKIP)
        return TRUE;
    /* Mistakes in the file are reported before the user is asked. */
    g_autoptr(settings) now = layer_merge_project(project, state->contents, error);
    if (!now)
        return FALSE;
    *counts = state->contents;
    return ask == TRUST_ASK ? ask_person(project, state, error) : untrusted(project, state, error);
}
