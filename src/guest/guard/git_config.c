#include "guest/guard/git_config.h"

#include <string.h>

/* Any section of a file has at most so many bytes in its header. */
#define HEADER_MAX 512

struct span {
    const char *at;
    size_t length;
};

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
static const struct harmless all[] = {
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

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct span trimmed(struct span text)
{
    while (text.length && is_blank(*text.at)) {
        text.at++;
        text.length--;
    }
    while (text.length && is_blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

static int is_same(struct span a, struct span b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* Sections and keys have no case. */
static int is_word(struct span text, const char *lower)
{
    size_t i = 0;
    for (; i < text.length && lower[i]; i++) {
        char c = text.at[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != lower[i])
            return 0;
    }
    return i == text.length && !lower[i];
}

static int is_made_of(struct span text, const char *others)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        if (!is_letter(c) && !is_digit(c) && (!c || !strchr(others, c)))
            return 0;
    }
    return 1;
}

static int begins(struct span text, const char *with)
{
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.at, with, length) == 0;
}

/*
 * "transport::address" runs git-remote-transport, and a name that begins with '-' is an option to
 * programs that git starts. A path, or "host:path" for ssh, needs no more than these.
 */
static int is_remote(struct span text)
{
    static const char *const schemes[] = {"https://", "http://", "ssh://", "git://", NULL};
    static const char others[] = "/._~%@:+-,=";
    for (int i = 0; schemes[i]; i++) {
        size_t length = strlen(schemes[i]);
        if (begins(text, schemes[i]))
            text = (struct span){text.at + length, text.length - length};
    }
    if (!text.length || *text.at == '-' || !is_made_of(text, others))
        return 0;
    for (size_t i = 0; i + 1 < text.length; i++) {
        if (text.at[i] == ':' && (text.at[i + 1] == ':' || text.at[i + 1] == '-'))
            return 0;
    }
    return 1;
}

static int is_value(const struct harmless *rule, struct span text)
{
    switch (rule->value) {
    case VALUE_WORD:
        return is_made_of(text, "+-._,");
    case VALUE_TEXT:
        return 1;
    case VALUE_REF:
        return (!text.length || *text.at != '-') && is_made_of(text, "+-._,/:*^@=~");
    case VALUE_REMOTE:
        return is_remote(text);
    case VALUE_EXACT:
        break;
    }
    return text.length == strlen(rule->exact) && memcmp(text.at, rule->exact, text.length) == 0;
}

/* [section] or [section "name"], and nothing behind it. 0 for everything else. */
static int read_header(struct span line, struct span *section, struct span *name)
{
    if (line.length < 3 || line.length > HEADER_MAX || line.at[0] != '[' ||
        line.at[line.length - 1] != ']')
        return 0;
    struct span text = {line.at + 1, line.length - 2};
    const char *quote = memchr(text.at, '"', text.length);
    *section = text;
    *name = (struct span){NULL, 0};
    if (quote) {
        *section = trimmed((struct span){text.at, (size_t)(quote - text.at)});
        *name = (struct span){quote + 1, (size_t)(text.at + text.length - quote) - 1};
        if (!name->length || name->at[name->length - 1] != '"' || !is_blank(quote[-1]))
            return 0;
        name->length--;
        if (memchr(name->at, '"', name->length))
            return 0;
    }
    return section->length && is_made_of(*section, "-");
}

/* "key = value", or "key" alone, which means true. */
static int read_entry(struct span line, struct span *key, struct span *value)
{
    const char *equals = memchr(line.at, '=', line.length);
    *key = line;
    *value = (struct span){"", 0};
    if (equals) {
        size_t before = (size_t)(equals - line.at);
        *key = trimmed((struct span){line.at, before});
        *value = trimmed((struct span){equals + 1, line.length - before - 1});
    }
    return key->length && is_letter(*key->at) && is_made_of(*key, "-");
}

/* The next line; 0 at the end. A line of git's ends nowhere else, as there is no backslash. */
static int next_line(struct span *rest, struct span *line)
{
    if (!rest->length)
        return 0;
    const char *end = memchr(rest->at, '\n', rest->length);
    size_t length = end ? (size_t)(end - rest->at) : rest->length;
    *line = trimmed((struct span){rest->at, length});
    rest->at += length + (end != NULL);
    rest->length -= length + (end != NULL);
    return 1;
}

/* 1 when ENTRY, a whole line, stands below HEADER in TEXT. */
static int is_known(struct span text, struct span header, struct span entry)
{
    struct span line;
    int here = 0;
    while (next_line(&text, &line)) {
        if (line.length && *line.at == '[')
            here = is_same(line, header);
        else if (here && is_same(line, entry))
            return 1;
    }
    return 0;
}

static int is_harmless_entry(struct span section, struct span name, struct span line)
{
    struct span key, value;
    if (!read_entry(line, &key, &value))
        return 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct harmless *rule = &all[i];
        if (rule->has_name == (name.at != NULL) && is_word(section, rule->section) &&
            is_word(key, rule->key) && is_value(rule, value))
            return 1;
    }
    return 0;
}

/* Backslashes join lines, carriage returns are dropped, and a NUL ends the text: not for us. */
static int is_plain(struct span text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c == '\\' || c == 127 || (c < ' ' && c != '\n' && c != '\t'))
            return 0;
    }
    return text.length <= GIT_CONFIG_MAX;
}

int git_config_is_harmless(const char *text, size_t length, const char *known, size_t known_length)
{
    struct span rest = {text, length}, old = {known, known_length};
    struct span line, header = {"", 0}, section = {"", 0}, name = {NULL, 0};
    if (!is_plain(rest))
        return 0;
    while (next_line(&rest, &line)) {
        if (!line.length || *line.at == '#' || *line.at == ';')
            continue;
        if (*line.at == '[') {
            header = line;
            if (!read_header(line, &section, &name))
                return 0;
        } else if (!is_harmless_entry(section, name, line) && !is_known(old, header, line)) {
            return 0;
        }
    }
    return 1;
}
