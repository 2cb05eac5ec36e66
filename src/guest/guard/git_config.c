#include "guest/guard/git_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/git_config_parser.h"

/* How far an entry's value is looked at. */
enum value {
    VALUE_WORD,   /* letters, digits and "+-._,": switches, numbers, names of modes */
    VALUE_TEXT,   /* anything: git shows it, or compares it */
    VALUE_REF,    /* a reference or refspec */
    VALUE_REMOTE, /* the name of a remote, or a URL that git itself transports */
    VALUE_EXACT,
};

struct harmless {
    const char *section;
    int has_name; /* [section "name"] */
    const char *key;
    enum value value;
    const char *exact;
};

/* Not here, for example: core.worktree, by which git writes elsewhere; include; url.X.insteadOf; a
 * promisor remote, which git fetches from without being asked. */
static const struct harmless harmless_settings[] = {
    {"core", 0, "repositoryformatversion", VALUE_WORD, NULL},
    {"core", 0, "filemode", VALUE_WORD, NULL},
    {"core", 0, "bare", VALUE_WORD, NULL},
    {"core", 0, "logallrefupdates", VALUE_WORD, NULL},
    {"core", 0, "ignorecase", VALUE_WORD, NULL},
    {"core", 0, "precomposeunicode", VALUE_WORD, NULL},
    {"core", 0, "symlinks", VALUE_WORD, NULL},
    {"core", 0, "autocrlf", VALUE_WORD, NULL},
    {"core", 0, "eol", VALUE_WORD, NULL},
    {"core", 0, "safecrlf", VALUE_WORD, NULL},
    {"core", 0, "quotepath", VALUE_WORD, NULL},
    {"core", 0, "abbrev", VALUE_WORD, NULL},
    {"core", 0, "compression", VALUE_WORD, NULL},
    {"core", 0, "sparsecheckout", VALUE_WORD, NULL},
    {"core", 0, "sparsecheckoutcone", VALUE_WORD, NULL},
    {"core", 0, "untrackedcache", VALUE_WORD, NULL},
    {"core", 0, "splitindex", VALUE_WORD, NULL},
    {"extensions", 0, "objectformat", VALUE_WORD, NULL},
    {"extensions", 0, "refstorage", VALUE_WORD, NULL},
    {"extensions", 0, "worktreeconfig", VALUE_WORD, NULL},
    {"index", 0, "sparse", VALUE_WORD, NULL},
    {"index", 0, "version", VALUE_WORD, NULL},
    {"remote", 1, "url", VALUE_REMOTE, NULL},
    {"remote", 1, "pushurl", VALUE_REMOTE, NULL},
    {"remote", 1, "fetch", VALUE_REF, NULL},
    {"remote", 1, "push", VALUE_REF, NULL},
    {"remote", 1, "tagopt", VALUE_WORD, NULL},
    {"remote", 1, "prune", VALUE_WORD, NULL},
    {"remote", 1, "mirror", VALUE_WORD, NULL},
    {"remote", 1, "skipfetchall", VALUE_WORD, NULL},
    {"remote", 0, "pushdefault", VALUE_REMOTE, NULL},
    {"branch", 1, "remote", VALUE_REMOTE, NULL},
    {"branch", 1, "pushremote", VALUE_REMOTE, NULL},
    {"branch", 1, "merge", VALUE_REF, NULL},
    {"branch", 1, "rebase", VALUE_WORD, NULL},
    {"branch", 1, "description", VALUE_TEXT, NULL},
    {"branch", 1, "vscode-merge-base", VALUE_REF, NULL},
    {"branch", 1, "gh-merge-base", VALUE_REF, NULL},
    {"branch", 0, "autosetupmerge", VALUE_WORD, NULL},
    {"branch", 0, "autosetuprebase", VALUE_WORD, NULL},
    {"user", 0, "name", VALUE_TEXT, NULL},
    {"user", 0, "email", VALUE_TEXT, NULL},
    {"user", 0, "signingkey", VALUE_TEXT, NULL}, /* always the value of an option */
    {"gpg", 0, "format", VALUE_WORD, NULL},
    {"commit", 0, "gpgsign", VALUE_WORD, NULL},
    {"tag", 0, "gpgsign", VALUE_WORD, NULL},
    {"init", 0, "defaultbranch", VALUE_REF, NULL},
    {"pull", 0, "rebase", VALUE_WORD, NULL},
    {"pull", 0, "ff", VALUE_WORD, NULL},
    {"push", 0, "default", VALUE_WORD, NULL},
    {"push", 0, "autosetupremote", VALUE_WORD, NULL},
    {"push", 0, "followtags", VALUE_WORD, NULL},
    {"fetch", 0, "prune", VALUE_WORD, NULL},
    {"fetch", 0, "prunetags", VALUE_WORD, NULL},
    {"merge", 0, "ff", VALUE_WORD, NULL},
    {"merge", 0, "conflictstyle", VALUE_WORD, NULL},
    {"rebase", 0, "autostash", VALUE_WORD, NULL},
    {"rebase", 0, "autosquash", VALUE_WORD, NULL},
    {"rerere", 0, "enabled", VALUE_WORD, NULL},
    {"gc", 0, "auto", VALUE_WORD, NULL},
    {"advice", 0, "detachedhead", VALUE_WORD, NULL},
    {"submodule", 1, "active", VALUE_WORD, NULL},
    {"submodule", 1, "url", VALUE_REMOTE, NULL},
    {"lfs", 0, "repositoryformatversion", VALUE_WORD, NULL},
    {"filter", 1, "required", VALUE_EXACT, "true"},
    {"filter", 1, "clean", VALUE_EXACT, "git-lfs clean -- %f"},
    {"filter", 1, "smudge", VALUE_EXACT, "git-lfs smudge -- %f"},
    {"filter", 1, "process", VALUE_EXACT, "git-lfs filter-process"},
};

static int is_made_of(const char *text, const char *others)
{
    for (; *text; text++) {
        char c = *text;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) &&
            !strchr(others, c))
            return 0;
    }
    return 1;
}

/*
 * "transport::address" runs git-remote-transport, and a name that begins with '-' is an option to
 * programs that git starts. A path, or "host:path" for ssh, needs no more than these.
 */
static int is_remote(const char *text)
{
    static const char *const schemes[] = {"https://", "http://", "ssh://", "git://", NULL};
    static const char others[] = "/._~%@:+-,=";
    for (int i = 0; schemes[i]; i++) {
        if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
            text += strlen(schemes[i]);
    }
    return *text && *text != '-' && is_made_of(text, others) && !strstr(text, "::") &&
           !strstr(text, ":-");
}

static int is_value(const struct harmless *rule, const char *text)
{
    switch (rule->value) {
    case VALUE_WORD:
        return is_made_of(text, "+-._,");
    case VALUE_TEXT:
        return 1;
    case VALUE_REF:
        return *text != '-' && is_made_of(text, "+-._,/:*^@=~");
    case VALUE_REMOTE:
        return is_remote(text);
    case VALUE_EXACT:
        break;
    }
    return strcmp(text, rule->exact) == 0;
}

/*
 * git hands the names of remotes to itself where an option could stand (fetch --all, remote
 * update). One without a URL is a URL.
 */
static int is_name(const struct git_config_entry *entry)
{
    if (!entry->name)
        return 1;
    return strcmp(entry->section, "remote") == 0 ? is_remote(entry->name) : *entry->name != '-';
}

static int is_harmless(const struct git_config_entry *entry)
{
    for (size_t i = 0; i < sizeof harmless_settings / sizeof *harmless_settings; i++) {
        const struct harmless *rule = &harmless_settings[i];
        if (entry->section && rule->has_name == (entry->name != NULL) &&
            strcmp(entry->section, rule->section) == 0 && strcmp(entry->key, rule->key) == 0)
            return is_name(entry) && is_value(rule, entry->value ? entry->value : "");
    }
    return 0;
}

static int is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int is_same_entry(const struct git_config_entry *a, const struct git_config_entry *b)
{
    return is_same_text(a->section, b->section) && is_same_text(a->name, b->name) &&
           is_same_text(a->key, b->key) && is_same_text(a->value, b->value);
}

static const struct git_config_entry *next_harmful(struct git_config_parser *self)
{
    const struct git_config_entry *entry;
    do
        entry = git_config_parser_next(self);
    while (entry && is_harmless(entry));
    return entry;
}

/*
 * What is new in TEXT has none of the bytes on whose meaning git's versions could differ: all lines
 * but those at the beginning and the end that stand in KNOWN as well.
 */
static int is_plain(const char *text, size_t length, const char *known, size_t known_length)
{
    size_t least = length < known_length ? length : known_length, from = 0, behind = 0;
    while (from < least && text[from] == known[from])
        from++;
    while (behind < least - from && text[length - 1 - behind] == known[known_length - 1 - behind])
        behind++;
    size_t to = length - behind;
    while (from && text[from - 1] != '\n')
        from--;
    while (to && to < length && text[to - 1] != '\n')
        to++;
    for (; from < to; from++) {
        unsigned char c = (unsigned char)text[from];
        if (c == '\\' || c == 127 || (c < ' ' && c != '\n' && c != '\t'))
            return 0;
    }
    return 1;
}

static void say_key(const struct git_config_entry *entry, char key[GIT_CONFIG_KEY_ROOM])
{
    if (entry)
        snprintf(key, GIT_CONFIG_KEY_ROOM, "%s.%s", entry->section ? entry->section : "",
                 entry->key);
}

/* The parsers are too large for a stack. */
struct comparison {
    struct git_config_parser text, known;
};

static int compare(struct comparison *self, char key[GIT_CONFIG_KEY_ROOM])
{
    const struct git_config_entry *one, *other;
    do {
        one = next_harmful(&self->text);
        other = next_harmful(&self->known);
    } while (one && other && is_same_entry(one, other));
    say_key(one ? one : other, key);
    return !one && !other && !self->text.has_failed && !self->known.has_failed;
}

int git_config_is_harmless(const char *text, size_t length, const char *known, size_t known_length,
                           char key[GIT_CONFIG_KEY_ROOM])
{
    struct comparison *self = malloc(sizeof *self);
    *key = '\0';
    if (!self)
        return 0;
    git_config_parser_begin(&self->text, text, length);
    git_config_parser_begin(&self->known, known, known_length);
    int is_so = compare(self, key) && is_plain(text, length, known, known_length);
    free(self);
    return is_so;
}

void git_config_drop_worktree(char *text, size_t *length)
{
    static const char line[] = "\tworktree = ../";
    char *end = text + *length, *to = text;
    for (char *at = text, *next; at < end; at = next) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        next = stop ? stop + 1 : end;
        size_t size = (size_t)(next - at);
        /* Behind a backslash it is no line of its own. */
        if (size >= sizeof line - 1 && memcmp(at, line, sizeof line - 1) == 0 &&
            !memchr(at, '\\', size) && !(at - text >= 2 && at[-2] == '\\'))
            continue;
        memmove(to, at, size);
        to += size;
    }
    *length = (size_t)(to - text);
}
