#include "identity/git_settings.h"

#include <string.h>

#include "common/text.h"

/* What a value may be. Other forms are words, in a string with "|" around each. */
static const char text[] = "text", branch[] = "branch", boolean[] = "boolean";

/*
 * Left out, because the box cannot use them or they would do harm there: commit.gpgSign and
 * tag.gpgSign ([ssh] git_signing sets them where the box can sign), core.editor and other programs,
 * aliases (they may run programs), url.* and credential.* (they hold tokens), all names of files.
 */
static const struct {
    const char *section, *key, *form;
} known[] = {
    {"user", "name", text},
    {"user", "email", text},
    {"user", "useconfigonly", boolean},
    {"user", "signingkey", text},
    {"author", "name", text},
    {"author", "email", text},
    {"committer", "name", text},
    {"committer", "email", text},
    {"gpg", "format", "|openpgp|x509|ssh|"},
    {"init", "defaultbranch", branch},
    {"pull", "rebase", "|true|false|merges|interactive|"},
    {"pull", "ff", "|true|false|only|"},
    {"push", "default", "|nothing|current|upstream|tracking|simple|matching|"},
    {"push", "autosetupremote", boolean},
    {"push", "followtags", boolean},
    {"fetch", "prune", boolean},
    {"fetch", "prunetags", boolean},
    {"merge", "conflictstyle", "|merge|diff3|zdiff3|"},
    {"merge", "ff", "|true|false|only|"},
    {"rebase", "autosquash", boolean},
    {"rebase", "autostash", boolean},
    {"rebase", "updaterefs", boolean},
    {"rerere", "enabled", boolean},
    {"rerere", "autoupdate", boolean},
    {"branch", "autosetuprebase", "|never|local|remote|always|"},
    {"commit", "verbose", boolean},
    {"commit", "cleanup", "|strip|whitespace|verbatim|scissors|default|"},
    {"core", "autocrlf", "|true|false|input|"},
    {"core", "eol", "|lf|crlf|native|"},
    {"core", "quotepath", boolean},
    {"diff", "algorithm", "|default|myers|minimal|patience|histogram|"},
    {"diff", "colormoved", "|true|false|no|default|plain|blocks|zebra|dimmed-zebra|"},
    {"diff", "mnemonicprefix", boolean},
    {"diff", "renames", "|true|false|copies|copy|"},
    {"log", "date", "|relative|local|iso|iso-strict|rfc|short|raw|human|default|unix|"},
    {"status", "branch", boolean},
    {"status", "short", boolean},
    {"status", "showuntrackedfiles", "|no|normal|all|"},
};

/* Git's words for true and false. */
static const char *boolean_value(const char *value)
{
    static const char *const yes[] = {"true", "yes", "on", "1", NULL};
    static const char *const no[] = {"false", "no", "off", "0", "", NULL};
    g_autofree char *lower = value ? g_ascii_strdown(value, -1) : NULL;

    if (!value || g_strv_contains(yes, lower))
        return "true";
    return g_strv_contains(no, lower) ? "false" : NULL;
}

static gboolean is_text(const char *value)
{
    if (!value || !*value || strlen(value) > GIT_SETTING_MAX || !g_utf8_validate(value, -1, NULL))
        return FALSE;
    for (const char *at = value; *at; at = g_utf8_next_char(at))
        if (!text_safe_char(g_utf8_get_char(at)))
            return FALSE;
    return TRUE;
}

static gboolean is_one_of(const char *words, const char *value)
{
    g_autofree char *barred = value ? g_strdup_printf("|%s|", value) : NULL;

    return barred && *value && !strchr(value, '|') && strstr(words, barred) != NULL;
}

static char *checked(const char *form, const char *value)
{
    if (form == boolean)
        return g_strdup(boolean_value(value));
    if (form == text)
        return is_text(value) ? g_strdup(value) : NULL;
    if (form == branch)
        return is_text(value) && *value != '-' && text_has_only(value, "-_./") ? g_strdup(value)
                                                                               : NULL;
    if (is_one_of(form, value))
        /* Git before 2.35, which images still have, fails at the new word. */
        return g_strdup(strcmp(value, "zdiff3") == 0 ? "diff3" : value);
    const char *word = boolean_value(value);
    return is_one_of(form, word) ? g_strdup(word) : NULL;
}

/* color.ui, color.status.added: "always", "red bold", "#ff0000". */
static char *colour(const struct git_config_entry *entry)
{
    const char *value = entry->value ? entry->value : "true";

    if (entry->name && (!*entry->name || !text_has_only(entry->name, "")))
        return NULL;
    return is_text(value) && strlen(value) <= 64 && text_has_only(value, " #-") ? g_strdup(value)
                                                                                : NULL;
}

char *git_setting_check(const struct git_config_entry *entry)
{
    if (g_strcmp0(entry->section, "color") == 0)
        return colour(entry);
    for (gsize i = 0; i < G_N_ELEMENTS(known) && !entry->name; i++)
        if (g_strcmp0(entry->section, known[i].section) == 0 &&
            strcmp(entry->key, known[i].key) == 0)
            return checked(known[i].form, entry->value);
    return NULL;
}

gboolean git_setting_is_for_signing(const char *section, const char *key)
{
    return (strcmp(section, "user") == 0 && strcmp(key, "signingkey") == 0) ||
           (strcmp(section, "gpg") == 0 && strcmp(key, "format") == 0);
}
