#include "box/helpers/gate_answers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/gate_rules.h"
#include "common/fs.h"
#include "common/text.h"
#include "proto/network_rules.h"

#define ANSWERS_FILE "network-answers"

static void answer_free(gpointer data)
{
    gate_answer *self = data;
    g_free(self->line);
    g_free(self);
}

static char *path_of(const struct box *self, gboolean until_stop)
{
    return until_stop ? g_build_filename(self->runtime, "network.answers", NULL)
                      : box_shared_file(self, ANSWERS_FILE);
}

/* What stands behind "allow " or "deny "; NULL: LINE has neither, or no such rule. */
static const char *checked_rule(const char *line)
{
    struct network_rule rule;
    const char *wrong;
    gboolean denies = g_str_has_prefix(line, "deny ");
    if (!denies && !g_str_has_prefix(line, "allow "))
        return NULL;
    const char *text = strchr(line, ' ') + 1;
    return network_rule_parse(text, denies, &rule, &wrong) == 0 ? text : NULL;
}

static gboolean add_line(GPtrArray *list, const char *text, gboolean until_stop)
{
    char *end;
    gint64 time = g_ascii_strtoll(text, &end, 10);
    if (end == text || *end != ' ' || !checked_rule(end + 1) || list->len >= 2 * NETWORK_RULES_MAX)
        return FALSE;
    gate_answer *added = g_new0(gate_answer, 1);
    *added = (gate_answer){time, g_strdup(end + 1), until_stop};
    g_ptr_array_add(list, added);
    return TRUE;
}

static gboolean read_file(GPtrArray *list, const struct box *self, gboolean until_stop,
                          GError **error)
{
    g_autofree char *path = path_of(self, until_stop), *text = NULL;
    g_autoptr(GError) problem = NULL;
    if (!fs_read(AT_FDCWD, path, NETWORK_RULES_FILE_MAX, &text, NULL, &problem)) {
        if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
            return TRUE;
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && line[1]; line++) {
        if (add_line(list, *line, until_stop))
            continue;
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "'%s' has a line that is no answer: remove the file", safe);
        return FALSE;
    }
    return TRUE;
}

/* All lines of one file, or of both, those without a rule as well; NULL with ERROR. */
static GPtrArray *read_lines(const struct box *self, gboolean for_good, gboolean until_stop,
                             GError **error)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(answer_free);
    if ((for_good && !read_file(list, self, FALSE, error)) ||
        (until_stop && !read_file(list, self, TRUE, error)))
        return NULL;
    return g_steal_pointer(&list);
}

GPtrArray *gate_answers_read(const struct box *self, gboolean running, GError **error)
{
    g_auto(GStrv) rules = gate_rules_read(self, error);
    GPtrArray *list = rules ? read_lines(self, TRUE, running, error) : NULL;
    for (guint i = 0; list && i < list->len;) {
        const gate_answer *each = list->pdata[i];
        if (each->until_stop || g_strv_contains((const char *const *)rules, each->line))
            i++;
        else
            g_ptr_array_remove_index(list, i);
    }
    return list;
}

/* Writes the file without the lines about RULE, and with ADDED behind them, which may be NULL.
 * *COUNT: of those that were left out. */
static gboolean replace(const struct box *self, gboolean until_stop, const char *rule,
                        const char *added, guint *count, GError **error)
{
    g_autofree char *path = path_of(self, until_stop);
    g_autofree char *lock = box_shared_file(self, ANSWERS_FILE ".lock");
    g_autoptr(GString) text = g_string_new(NULL);
    int held = fs_make_folder(self->runtime, 0700, error) ? fs_lock(lock, NULL, error) : -1;
    g_autoptr(GPtrArray) list = held >= 0 ? read_lines(self, !until_stop, until_stop, error) : NULL;
    *count = 0;
    for (guint i = 0; list && i < list->len; i++) {
        const gate_answer *each = list->pdata[i];
        if (strcmp(checked_rule(each->line), rule) == 0)
            ++*count;
        else
            g_string_append_printf(text, "%" G_GINT64_FORMAT " %s\n", each->time, each->line);
    }
    if (added)
        g_string_append_printf(text, "%" G_GINT64_FORMAT " %s\n",
                               g_get_real_time() / G_USEC_PER_SEC, added);
    gboolean done =
        list && (!(added || *count) || fs_write(path, text->str, (gssize)text->len, 0600, error));
    if (held >= 0)
        close(held);
    return done;
}

gboolean gate_answers_begin(const struct box *self, GError **error)
{
    g_autofree char *path = path_of(self, TRUE);
    if (unlink(path) == 0 || errno == ENOENT)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot remove '%s': %s", path,
                g_strerror(errno));
    return FALSE;
}

gboolean gate_answers_add(const struct box *self, const char *line, gboolean until_stop,
                          GError **error)
{
    guint count;
    enum gate_rules_before before;
    return replace(self, until_stop, checked_rule(line), line, &count, error) &&
           (until_stop || gate_rules_add(self, line, &before, error));
}

gboolean gate_answers_forget(const struct box *self, const char *rule, gboolean *found,
                             GError **error)
{
    guint count = 0, for_good = 0;
    gboolean done = replace(self, TRUE, rule, NULL, &count, error) &&
                    replace(self, FALSE, rule, NULL, &for_good, error);
    *found = count > 0;
    return done;
}
