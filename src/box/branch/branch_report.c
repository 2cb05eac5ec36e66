#include "box/branch/branch_report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/branch_view.h"
#include "box/branch/commits.h"
#include "box/helpers/log_lines.h"
#include "box/helpers/network_log.h"
#include "common/text.h"
#include "console/log.h"

/* Names on a line, and lines of what needs a look. */
#define NAMES_MAX 5
#define DOUBTS_MAX 4
#define NAME_BYTES_MAX 60

/* Hosts of the session. */
typedef struct {
    gint64 since;
    GPtrArray *reached, *refused; /* of names, each once */
} hosts;

static void add_once(GPtrArray *names, const char *name)
{
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
        g_ptr_array_add(names, g_strdup(name));
}

static void add_host(gint64 time, const struct network_record *record, gpointer data)
{
    hosts *self = data;
    gboolean is_refused = record->decision == NETWORK_REFUSED;
    if (time < self->since || !record->name[0])
        return;
    /* That a name was asked for is no connection. */
    if (is_refused || record->kind == NETWORK_CONNECTION)
        add_once(is_refused ? self->refused : self->reached, record->name);
}

/* "a, b and 3 more"; a new string. */
static char *join_names(const GPtrArray *names)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < names->len && i < NAMES_MAX; i++) {
        g_autofree char *safe = text_safe_max(names->pdata[i], -1, NAME_BYTES_MAX);
        g_string_append_printf(text, "%s%s", i ? ", " : "", safe);
    }
    if (names->len > NAMES_MAX)
        g_string_append_printf(text, " and %u more", names->len - NAMES_MAX);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void print_line(const char *label, const char *text)
{
    gboolean has_colours = log_has_colours(STDERR_FILENO);
    fprintf(stderr, "  %s%-11s%s %s\n", has_colours ? "\033[1m" : "", label,
            has_colours ? "\033[0m" : "", text);
}

static void print_files(const branch_changes *changes)
{
    guint added = 0, changed = 0, deleted = 0;
    for (guint i = 0; i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        char letter = branch_change_letter(change);
        if (S_ISDIR(change->after ? change->after : change->before))
            continue;
        added += letter == 'A';
        deleted += letter == 'D';
        changed += letter == 'M' || letter == 'T';
    }
    g_autofree char *text = g_strdup_printf("%u added, %u changed, %u deleted%s", added, changed,
                                            deleted, changes->is_cut ? ", or more" : "");
    print_line("files", text);
}

static void print_commits(const struct box *self, const branch_changes *changes)
{
    int count = changes->git ? branch_count_commits(self) : 0;
    g_autofree char *text =
        count > 0    ? g_strdup_printf("%d: 'box branch take --commits %s'", count, self->branch)
        : count == 0 ? g_strdup("none")
                     : g_strdup("its git repository cannot be read");
    print_line("commits", text);
}

static void print_doubts(const struct box *self, const branch_changes *changes)
{
    char *last[] = {NULL, NULL};
    guint count = 0;
    for (guint i = 0; i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        unsigned doubts = change->doubts & BRANCH_MERGES
                              ? change->doubts & ~(unsigned)(BRANCH_MERGES | BRANCH_MOVED_ON)
                              : change->doubts;
        /* What is in such a folder stays there with it. */
        if (!doubts || branch_path_is_in(last, change->path))
            continue;
        last[0] = change->path;
        if (count++ >= DOUBTS_MAX)
            continue;
        g_autofree char *safe = text_safe_max(change->path, -1, NAME_BYTES_MAX);
        g_autofree char *why = branch_doubts_describe(doubts);
        g_autofree char *text = g_strdup_printf("%s (%s)", safe, why);
        print_line(count == 1 ? "left there" : "", text);
    }
    g_autofree char *more =
        g_strdup_printf("and %u more: 'box branch diff %s'", count - DOUBTS_MAX, self->branch);
    if (count > DOUBTS_MAX)
        print_line("", more);
}

static void print_names(const char *label, const GPtrArray *names)
{
    g_autofree char *text = join_names(names);
    if (names->len)
        print_line(label, text);
}

/* Nothing of it can be forged: all that a box has chosen is made safe, and lines are counted. */
static void show_screen(const struct box *self, const settings *wanted,
                        const branch_changes *changes, gint64 since)
{
    guint done = 0, refused = 0;
    g_autoptr(GPtrArray) reached = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) denied = g_ptr_array_new_with_free_func(g_free);
    hosts of_session = {since, reached, denied};
    if (wanted->network.mode == NETWORK_FILTERED)
        network_log_each(self->runtime, FALSE, add_host, &of_session, NULL);
    agent_log_count(self->name, since, &done, &refused);
    gboolean is_changed = changes->list->len || changes->git;
    if (!is_changed && !reached->len && !denied->len && !done && !refused)
        return;
    log_note("branch '%s' of box '%s':", self->branch, self->base);
    print_files(changes);
    print_commits(self, changes);
    print_names("reached", reached);
    print_names("refused", denied);
    g_autofree char *signatures = g_strdup_printf("%u, and %u refused", done, refused);
    if (done || refused)
        print_line("signatures", signatures);
    print_doubts(self, changes);
}

static void show_lines(const struct box *self, const branch_changes *changes)
{
    g_autofree char *what = branch_changes_describe(changes);
    guint doubtful = 0;
    for (guint i = 0; i < changes->list->len; i++)
        doubtful += ((const branch_change *)changes->list->pdata[i])->doubts != 0;
    log_note("branch '%s': %s", self->branch, what);
    if (doubtful)
        log_warning("%u of these %s a look: 'box branch diff' says why", doubtful,
                    doubtful > 1 ? "need" : "needs");
}

void branch_report(const struct box *self, const settings *wanted, gint64 since)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(branch_changes) changes = branch_view(self, wanted, &problem);
    if (!changes) {
        log_warning("%s", problem->message);
        return;
    }
    gboolean is_changed = changes->list->len || changes->git;
    if (isatty(STDERR_FILENO) && !log_quiet)
        show_screen(self, wanted, changes, since);
    else if (is_changed)
        show_lines(self, changes);
    if (is_changed)
        log_note("next: 'box branch diff %s', 'box branch take %s' or 'box branch drop %s'",
                 self->branch, self->branch, self->branch);
}
