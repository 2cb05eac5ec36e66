#include "config/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/layer.h"
#include "console/ask.h"

/* Most lines on each side for the table of the longest common subsequence (2 bytes a cell). */
#define DIFF_MAX 1000
#define CONTEXT 2
/* A longer line is cut in the middle. */
#define LINE_MAX_SHOWN 200

typedef struct {
    GString *out;
    guint shown, hidden, max;
} printer;

static void print(printer *self, char sign, const char *line)
{
    g_autofree char *safe = text_safe_max(line, -1, LINE_MAX_SHOWN);
    if (self->shown >= self->max) {
        self->hidden++;
        return;
    }
    self->shown++;
    g_string_append_printf(self->out, "%c %s\n", sign, safe);
}

static void print_range(printer *self, char sign, char **from, gsize n)
{
    for (gsize i = 0; i < n; i++)
        print(self, sign, from[i]);
}

/* Lengths of the longest common subsequence of A from i and B from j, row by row. */
static guint16 *common_lengths(char **a, gsize na, char **b, gsize nb)
{
    gsize width = nb + 1;
    guint16 *table = g_new0(guint16, (na + 1) * width);
    for (gsize i = na; i-- > 0;) {
        for (gsize j = nb; j-- > 0;) {
            guint16 below = table[(i + 1) * width + j], right = table[i * width + j + 1];
            table[i * width + j] =
                g_str_equal(a[i], b[j]) ? table[(i + 1) * width + j + 1] + 1 : MAX(below, right);
        }
    }
    return table;
}

static void compare(printer *self, char **a, gsize na, char **b, gsize nb)
{
    if (na > DIFF_MAX || nb > DIFF_MAX) {
        print_range(self, '-', a, na);
        print_range(self, '+', b, nb);
        return;
    }
    g_autofree guint16 *table = common_lengths(a, na, b, nb);
    gsize width = nb + 1, i = 0, j = 0;
    while (i < na || j < nb) {
        if (i < na && j < nb && g_str_equal(a[i], b[j])) {
            print(self, ' ', a[i]);
            i++, j++;
        } else if (i < na && (j == nb || table[(i + 1) * width + j] >= table[i * width + j + 1])) {
            print(self, '-', a[i++]);
        } else {
            print(self, '+', b[j++]);
        }
    }
}

static char **lines_of(const char *text)
{
    g_autofree char *copy = g_strdup(text);
    gsize length = strlen(copy);
    if (length && copy[length - 1] == '\n')
        copy[length - 1] = '\0';
    return g_strsplit(copy, "\n", -1);
}

char *diff_lines(const char *old, const char *new, guint max)
{
    g_auto(GStrv) a = lines_of(old);
    g_auto(GStrv) b = lines_of(new);
    gsize na = g_strv_length(a), nb = g_strv_length(b), head = 0, tail = 0;
    printer self = {.out = g_string_new(NULL), .max = max};

    while (head < na && head < nb && g_str_equal(a[head], b[head]))
        head++;
    while (tail < na - head && tail < nb - head && g_str_equal(a[na - tail - 1], b[nb - tail - 1]))
        tail++;
    if (head == na && head == nb)
        return g_string_free(self.out, FALSE);
    gsize before = MIN(head, CONTEXT), after = MIN(tail, CONTEXT);
    print_range(&self, ' ', a + head - before, before);
    compare(&self, a + head, na - head - tail, b + head, nb - head - tail);
    print_range(&self, ' ', a + na - tail, after);
    if (self.hidden)
        g_string_append_printf(self.out, "… %u lines more\n", self.hidden);
    return g_string_free(self.out, FALSE);
}

/* First line: a file that was copied or renamed does not approve another project. */
#define HEADER "# approved for "
/* The contents' ceiling and room for the first line (a path of 4,095 bytes, each as \ooo). */
#define APPROVAL_MAX (CONFIG_FILE_MAX + 4 * 4096 + 64)

void trust_free(trust *self)
{
    if (!self)
        return;
    g_free(self->contents);
    g_free(self->approved);
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

/* *APPROVED is NULL when there is no approval, or one that is not this project's. */
static gboolean read_approval(const char *project, char **approved, GError **error)
{
    g_autofree char *path = approval_path(project);
    g_autofree char *header = header_of(project);
    g_autofree char *text = NULL;
    g_autoptr(GError) wrong = NULL;
    gsize length = 0;

    *approved = NULL;
    if (!fs_read(AT_FDCWD, path, APPROVAL_MAX, &text, &length, &wrong)) {
        if (g_error_matches(wrong, G_FILE_ERROR, G_FILE_ERROR_NOENT))
            return TRUE;
        g_propagate_prefixed_error(error, g_steal_pointer(&wrong), "the record of trust: ");
        return FALSE;
    }
    if (strlen(text) == length && g_str_has_prefix(text, header))
        *approved = g_strdup(text + strlen(header));
    return TRUE;
}

trust *trust_check(const char *project, GError **error)
{
    g_autoptr(trust) self = g_new0(trust, 1);
    gsize length;

    if (!layer_read_project_file(project, &self->contents, &length, error) ||
        !read_approval(project, &self->approved, error))
        return NULL;
    if (!self->contents)
        self->state = TRUST_NO_FILE;
    else if (!self->approved)
        self->state = TRUST_NEW;
    else if (!strcmp(self->contents, self->approved))
        self->state = TRUST_APPROVED;
    else
        self->state = TRUST_CHANGED;
    return g_steal_pointer(&self);
}

gboolean trust_approve(const char *project, const char *contents, GError **error)
{
    g_autofree char *folder = paths_state("trust");
    g_autofree char *path = approval_path(project);
    g_autofree char *header = header_of(project);
    g_autofree char *text = g_strconcat(header, contents, NULL);
    return fs_make_folder(folder, 0700, error) && fs_write(path, text, -1, 0600, error);
}

gboolean trust_revoke(const char *project, GError **error)
{
    g_autofree char *path = approval_path(project);
    if (unlink(path) == 0 || errno == ENOENT)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot forget the approval: %s",
                g_strerror(errno));
    return FALSE;
}

/* A user does not read more openings than this, so the question is not asked. */
#define OPENINGS_MAX 100
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

static char *describe(const char *project, const trust *state, const GPtrArray *openings)
{
    g_autofree char *file = file_shown(project);
    g_autofree char *diff =
        state->approved ? diff_lines(state->approved, state->contents, DIFF_SHOWN) : NULL;
    GString *text = g_string_new(NULL);

    if (diff)
        g_string_append_printf(text, "%s has changed since you trusted it:\n\n%s\n", file, diff);
    else
        g_string_append_printf(text, "%s is new here.\n", file);
    g_string_append(text, openings->len ? "With it, code in the box would get:\n"
                                        : "It opens nothing beyond your own configuration.\n");
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
    if (openings->len > OPENINGS_MAX) {
        g_autofree char *file = file_shown(project);
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED,
                    "'%s' asks for %u things, more than a person reads (%d): not trusted", file,
                    openings->len, OPENINGS_MAX);
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
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED,
                "'%s' %s: run 'box trust %s' to see what it would open, and to trust it", file,
                state->approved ? "has changed and opens more than you trusted"
                                : "is new and not trusted yet",
                safe);
    return FALSE;
}

/* TRUE when the changed file opens nothing that the approved one did not. */
static gboolean only_narrows(const char *project, const trust *state)
{
    g_autoptr(settings) approved = approved_settings(project, state);
    g_autoptr(settings) now = approved ? layer_merge_project(project, state->contents, NULL) : NULL;
    return now && !trust_widens(approved, now);
}

static gboolean ask_person(const char *project, const trust *state, gboolean *counts,
                           GError **error)
{
    g_autofree char *text = trust_describe(project, state, error);
    if (!text)
        return FALSE;
    if (!trust_question(text, counts))
        return untrusted(project, state, error);
    if (*counts)
        return trust_approve(project, state->contents, error);
    g_autofree char *file = file_shown(project);
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED, "'%s' is not trusted", file);
    return FALSE;
}

gboolean trust_decide(const char *project, const trust *state, trust_policy ask, gboolean *counts,
                      GError **error)
{
    *counts =
        state->state != TRUST_NO_FILE && (state->state == TRUST_APPROVED || ask == TRUST_IGNORE);
    if (*counts || state->state == TRUST_NO_FILE)
        return TRUE;
    *counts = only_narrows(project, state);
    if (*counts || ask == TRUST_SKIP)
        return TRUE;
    /* Mistakes in the file are reported before the user is asked. */
    g_autoptr(settings) now = layer_merge_project(project, state->contents, error);
    if (!now)
        return FALSE;
    return ask == TRUST_ASK ? ask_person(project, state, counts, error)
                            : untrusted(project, state, error);
}
