#include "box/helpers/gate_rules.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "config/check.h"
#include "proto/network_rules.h"

#define RULES_FILE "network-rules"

static char *own_rules_path(const struct box *self)
{
    return box_shared_file(self, RULES_FILE);
}

/* What LINE has behind "allow " or "deny ", normalised, a new string; NULL when it is no rule. */
static char *check_line(const char *line)
{
    const char *wrong;
    if (g_str_has_prefix(line, "allow "))
        return check_allow(line + strlen("allow "), &wrong);
    return g_str_has_prefix(line, "deny ") ? check_deny(line + strlen("deny "), &wrong) : NULL;
}

static gboolean is_list_of_rules(const char *text, gsize length)
{
    guint count = 0;
    if (memchr(text, '\0', length) || (length > 0 && text[length - 1] != '\n'))
        return FALSE;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && line[1]; line++, count++) {
        g_autofree char *rule = check_line(*line);
        if (!rule || count == NETWORK_RULES_MAX)
            return FALSE;
    }
    return TRUE;
}

char **gate_rules_read(const struct box *self, GError **error)
{
    g_autofree char *path = own_rules_path(self);
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    gsize length = 0;
    if (!fs_read(AT_FDCWD, path, NETWORK_RULES_FILE_MAX, &text, &length, &problem)) {
        if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
            return g_new0(char *, 1);
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    if (!is_list_of_rules(text, length)) {
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "'%s' has a line that 'box net' did not write: remove the file", safe);
        return NULL;
    }
    if (length > 0)
        text[length - 1] = '\0'; /* so that no empty line comes behind the last one */
    return g_strsplit(text, "\n", -1);
}

static int lock_own_rules(const struct box *self, GError **error)
{
    g_autofree char *path = box_shared_file(self, RULES_FILE ".lock");
    return fs_lock(path, NULL, error);
}

/* What stands behind "allow " or "deny ". */
static const char *rule_of(const char *line)
{
    return strchr(line, ' ') + 1;
}

/* Writes the lines without those of RULE, and with ADDED behind them, which may be NULL. *COUNT: of
 * those that were left out. */
static gboolean replace_rules(const struct box *self, const char *rule, const char *added,
                              guint *count, GError **error)
{
    g_autofree char *path = own_rules_path(self);
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(GStrv) lines = gate_rules_read(self, error);
    *count = 0;
    for (char **line = lines; line && *line; line++) {
        if (strcmp(rule_of(*line), rule) == 0)
            ++*count;
        else
            g_string_append_printf(text, "%s\n", *line);
    }
    if (added)
        g_string_append_printf(text, "%s\n", added);
    if (lines && !is_list_of_rules(text->str, text->len)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "the box already has %d rules, the most that are possible", NETWORK_RULES_MAX);
        return FALSE;
    }
    return lines && fs_write(path, text->str, (gssize)text->len, 0600, error);
}

gboolean gate_rules_add(const struct box *self, const char *line, enum gate_rules_before *before,
                        GError **error)
{
    guint count = 0;
    int held = lock_own_rules(self, error);
    g_auto(GStrv) lines = held >= 0 ? gate_rules_read(self, error) : NULL;
    gboolean is_there = lines && g_strv_contains((const char *const *)lines, line);
    gboolean done = lines && (is_there || replace_rules(self, rule_of(line), line, &count, error));
    *before = is_there ? GATE_RULES_SAME : count ? GATE_RULES_OPPOSITE : GATE_RULES_NOTHING;
    if (held >= 0)
        close(held);
    return done;
}

gboolean gate_rules_take_back(const struct box *self, const char *line,
                              enum gate_rules_before before, GError **error)
{
    gboolean unused;
    g_autofree char *opposite =
        g_strconcat(g_str_has_prefix(line, "allow ") ? "deny " : "allow ", rule_of(line), NULL);
    if (before == GATE_RULES_OPPOSITE)
        return gate_rules_add(self, opposite, &before, error);
    return before == GATE_RULES_SAME || gate_rules_forget(self, rule_of(line), &unused, error);
}

gboolean gate_rules_forget(const struct box *self, const char *rule, gboolean *found,
                           GError **error)
{
    guint count = 0;
    int held = lock_own_rules(self, error);
    gboolean done = held >= 0 && replace_rules(self, rule, NULL, &count, error);
    *found = count > 0;
    if (held >= 0)
        close(held);
    return done;
}
