#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/files/files.h"

/* Goes through a folder and those in it, sorted by name. Follows no link. libc only. */

/* Levels of folders; each needs a descriptor. */
#define WALK_DEPTH_MAX 64

struct walk {
    int depth; /* levels that are wanted */
    /* NAME in FOLDER is PATH from the project. 1: go on; 0: enough. */
    int (*visit)(void *data, int folder, const char *name, const char *path, const struct stat *st);
    void *data;
};

/* PATH: of the folder FD from the project, "." for that itself. Closes FD. 1, or 0: enough. A
 * folder that cannot be read is left out. */
static int walk_folder(const struct walk *self, int fd, const char *path, int level);

/* Whether PATH or its last part matches PATTERN; "" matches all. */
static int walk_matches(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *text = strchr(pattern, '/') || !slash ? path : slash + 1;
    return !*pattern || fnmatch(pattern, text, 0) == 0;
}

static int is_wanted(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* 1, or 0: enough. */
static int visit(const struct walk *self, int folder, const char *above, const char *name,
                 int level)
{
    char path[PATH_MAX];
    struct stat st;
    int length = strcmp(above, ".") == 0 ? snprintf(path, sizeof path, "%s", name)
                                         : snprintf(path, sizeof path, "%s/%s", above, name);
    if (length >= (int)sizeof path || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 1;
    if (!self->visit(self->data, folder, name, path, &st))
        return 0;
    if (!S_ISDIR(st.st_mode) || level >= self->depth || strcmp(name, ".git") == 0)
        return 1;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? 1 : walk_folder(self, fd, path, level + 1);
}

static int walk_folder(const struct walk *self, int fd, const char *path, int level)
{
    struct dirent **entries;
    int going = 1, count = scandirat(fd, ".", &entries, is_wanted, alphasort);
    for (int i = 0; i < count; i++) {
        if (going)
            going = visit(self, fd, path, entries[i]->d_name, level);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    close(fd);
    return going;
}

/* Larger files are left out of a search. */
#define SEARCHED_MAX ((size_t)32 << 20)
/* Where a file is looked at to see whether it is text, as git does. */
#define LOOK_BYTES ((size_t)8000)
/* Bytes of a line in an answer. */
#define LINE_SHOWN 400

struct listing {
    unsigned long left; /* entries that may still be printed */
    const char *pattern;
    int more;
};

static const char *letter_of(mode_t mode)
{
    return S_ISREG(mode) ? "f" : S_ISDIR(mode) ? "d" : S_ISLNK(mode) ? "l" : "o";
}

static void put_last(int more)
{
    put_text("");
    put_number((unsigned long long)more);
    put_text("");
}

static int list_entry(void *data, int folder, const char *name, const char *path,
                      const struct stat *st)
{
    struct listing *self = data;
    (void)folder;
    (void)name;
    if (!walk_matches(self->pattern, path))
        return 1;
    if (self->left == 0) {
        self->more = 1;
        return 0;
    }
    self->left--;
    put_text(letter_of(st->st_mode));
    put_number(S_ISREG(st->st_mode) ? (unsigned long long)st->st_size : 0);
    put_text(path);
    return 1;
}

void files_list(int top, const char *path, char **argv)
{
    struct listing listing = {files_number(argv[1]), argv[2], 0};
    struct walk walk = {(int)files_number(argv[0]), list_entry, &listing};
    int fd = place_open(top, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
    if (fd < 0 && errno == ENOTDIR)
        fail(ENOTDIR, "is no folder");
    if (fd < 0)
        fail_errno(errno);
    walk_folder(&walk, fd, path, 1);
    put_last(listing.more);
}

struct search {
    unsigned long left;
    const char *pattern;
    const char *text; /* NULL: EXPRESSION */
    size_t length;
    regex_t expression;
    int more;
};

/* Whether the line from AT to END has what is searched. */
static int has_match(const struct search *self, const char *at, const char *end)
{
    if (self->text)
        return memmem(at, (size_t)(end - at), self->text, self->length) != NULL;
    regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)(end - at)};
    return regexec(&self->expression, at, 1, &range, REG_STARTEND) == 0;
}

/* 1, or 0: enough. */
static int put_match(struct search *self, const char *path, unsigned long line, const char *at,
                     const char *end)
{
    char shown[LINE_SHOWN + 1];
    size_t length = (size_t)(end - at) < LINE_SHOWN ? (size_t)(end - at) : LINE_SHOWN;
    if (self->left == 0) {
        self->more = 1;
        return 0;
    }
    self->left--;
    memcpy(shown, at, length);
    shown[length] = '\0';
    put_text(path);
    put_number(line);
    put_text(shown);
    return 1;
}

static int search_text(struct search *self, const char *path, const char *text, size_t length)
{
    const char *end = text + length;
    unsigned long line = 1;
    if (memchr(text, '\0', length < LOOK_BYTES ? length : LOOK_BYTES))
        return 1;
    for (const char *at = text, *stop; at < end; at = stop + 1, line++) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (has_match(self, at, stop) && !put_match(self, path, line, at, stop))
            return 0;
    }
    return 1;
}

static int search_open(struct search *self, int fd, const char *path)
{
    struct stat st;
    size_t length;
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)SEARCHED_MAX)
        return 1;
    char *text = read_all(fd, SEARCHED_MAX * 2, &length);
    int going = search_text(self, path, text, length);
    free(text);
    return going;
}

static int search_entry(void *data, int folder, const char *name, const char *path,
                        const struct stat *st)
{
    struct search *self = data;
    if (!S_ISREG(st->st_mode) || !walk_matches(self->pattern, path))
        return 1;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int going = search_open(self, fd, path);
    if (fd >= 0)
        close(fd);
    return going;
}

/* TEXT as a regular expression that matches it alone. */
static char *escape(const char *text, size_t length)
{
    char *whole = malloc(2 * length + 1), *to = whole;
    if (!whole)
        fail_errno(ENOMEM);
    for (; *text; text++) {
        if (strchr("\\^$.[]|()*+?{}", *text))
            *to++ = '\\';
        *to++ = *text;
    }
    *to = '\0';
    return whole;
}

static void prepare(struct search *self, char *text, int is_regex, int ignores_case)
{
    char why[256];
    int is_plain = !is_regex && !ignores_case;
    self->text = is_plain ? text : NULL;
    if (is_plain)
        return;
    int flags = REG_EXTENDED | (ignores_case ? REG_ICASE : 0);
    int error = regcomp(&self->expression, is_regex ? text : escape(text, self->length), flags);
    if (error == 0)
        return;
    regerror(error, &self->expression, why, sizeof why);
    fail(0, "'text' is no regular expression: %s", why);
}

void files_search(int top, const char *path, char **argv)
{
    struct search search = {.left = files_number(argv[2]), .pattern = argv[3]};
    struct walk walk = {WALK_DEPTH_MAX, search_entry, &search};
    struct stat st;
    char *text = read_all(STDIN_FILENO, 65536, &search.length);
    prepare(&search, text, strcmp(argv[0], "regex") == 0, argv[1][0] == '1');
    int fd = place_open(top, path, O_RDONLY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        fail_errno(errno);
    if (S_ISDIR(st.st_mode))
        walk_folder(&walk, fd, path, 1);
    else
        search_open(&search, fd, path);
    put_last(search.more);
}
