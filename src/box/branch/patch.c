#include "box/branch/patch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/text.h"

/* A byte is shown as four at most. */
#define LINE_MAX_BYTES (4 * PATCH_MAX)

/* In the child these are the files. */
#define BEFORE_FD 10
#define AFTER_FD 11

/* Tabs are what source files are made of. */
static void print_one_line(const char *line, gsize length)
{
    for (const char *at = line, *end = line + length;; at++) {
        const char *tab = memchr(at, '\t', (gsize)(end - at));
        g_autofree char *safe = text_safe_max(at, (tab ? tab : end) - at, LINE_MAX_BYTES);
        fputs(safe, stdout);
        if (!tab)
            break;
        putchar('\t');
        at = tab;
    }
    putchar('\n');
}

void branch_patch_print_text(const char *text, gsize length)
{
    for (const char *at = text, *end = text + length; at < end;) {
        const char *stop = memchr(at, '\n', (gsize)(end - at));
        gsize bytes = (gsize)((stop ? stop : end) - at);
        print_one_line(at, bytes);
        at += bytes + 1;
    }
}

gboolean branch_patch_is_too_large(int fd)
{
    struct stat st;
    return fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > PATCH_FILE_MAX);
}

/* What comes through FD, up to PATCH_MAX. */
static GString *read_output(int fd, gboolean *is_cut)
{
    GString *text = g_string_new(NULL);
    char block[65536];
    for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;) {
        gsize room = PATCH_MAX - text->len;
        *is_cut |= (gsize)n > room;
        g_string_append_len(text, block, MIN(n, (ssize_t)room));
    }
    return text;
}

char *branch_patch_program(GError **error)
{
    return host_program("diff", "install diffutils, or leave --patch and --stat out", error);
}

/* Starts diff, which calls the files FROM and TO; its output, or -1 with ERROR. */
static int start_diff(int before, int after, const char *from, const char *to, GError **error)
{
    g_autofree char *program = branch_patch_program(error);
    const char *argv[] = {program, "-u",         "--label",    from, "--label",
                          to,      "/dev/fd/10", "/dev/fd/11", NULL};
    const char *env[] = {"LC_ALL=C.UTF-8", NULL};
    int sources[] = {before, after}, targets[] = {BEFORE_FD, AFTER_FD}, out = -1;
    GPid pid;
    if (!program || !g_spawn_async_with_pipes_and_fds(
                        "/", argv, env, G_SPAWN_DEFAULT, NULL, NULL, -1, -1, -1, sources, targets,
                        G_N_ELEMENTS(sources), &pid, NULL, &out, NULL, error))
        return -1;
    g_spawn_close_pid(pid);
    return out;
}

/*
 * A file that is all new or all gone. No diff runs for it: an agent makes thousands of them, and a
 * program for each took half a minute.
 */
typedef struct {
    char *data;
    gsize length;
    gsize lines;
    gboolean is_text; /* diff shows it */
} whole_file;

static void whole_file_clear(whole_file *self)
{
    g_free(self->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(whole_file, whole_file_clear)

/* FALSE: the box has made it too large meanwhile. */
static gboolean read_whole(int fd, whole_file *self)
{
    if (lseek(fd, 0, SEEK_SET) < 0 ||
        !fs_read_fd(fd, "it", PATCH_FILE_MAX, &self->data, &self->length, NULL))
        return FALSE;
    for (const char *at = self->data, *end = at + self->length; at < end; self->lines++) {
        const char *stop = memchr(at, '\n', (gsize)(end - at));
        at = stop ? stop + 1 : end;
    }
    self->is_text = !memchr(self->data, '\0', self->length);
    return TRUE;
}

/* As `diff -u` counts the lines of a part. */
static void add_range(GString *text, char sign, gsize lines)
{
    if (lines == 1)
        g_string_append_printf(text, " %c1", sign);
    else
        g_string_append_printf(text, " %c%d,%" G_GSIZE_FORMAT, sign, lines ? 1 : 0, lines);
}

static void add_lines(GString *text, char sign, const whole_file *file)
{
    for (const char *at = file->data, *end = at + file->length;
         at < end && text->len < PATCH_MAX;) {
        const char *stop = memchr(at, '\n', (gsize)(end - at));
        g_string_append_c(text, sign);
        g_string_append_len(text, at, (stop ? stop : end) - at);
        g_string_append(text, stop ? "\n" : "\n\\ No newline at end of file\n");
        at = stop ? stop + 1 : end;
    }
}

static GString *read_whole_patch(int before, int after, const char *from, const char *to,
                                 gboolean *is_cut)
{
    g_auto(whole_file) file = {0};
    GString *text = g_string_new(NULL);
    *is_cut = !read_whole(before < 0 ? after : before, &file);
    if (*is_cut)
        return text;
    if (!file.is_text)
        g_string_printf(text, "Binary files %s and %s differ\n", from, to);
    if (!file.is_text || file.lines == 0)
        return text;
    g_string_printf(text, "--- %s\n+++ %s\n@@", from, to);
    add_range(text, '-', before < 0 ? 0 : file.lines);
    add_range(text, '+', after < 0 ? 0 : file.lines);
    g_string_append(text, " @@\n");
    add_lines(text, before < 0 ? '+' : '-', &file);
    *is_cut = text->len > PATCH_MAX;
    g_string_truncate(text, MIN(text->len, PATCH_MAX));
    return text;
}

GString *branch_patch_read(int before, int after, const char *path, gboolean *is_cut,
                           GError **error)
{
    *is_cut = branch_patch_is_too_large(before) || branch_patch_is_too_large(after);
    if (*is_cut)
        return g_string_new(NULL);
    g_autofree char *safe = text_safe(path, -1);
    g_autofree char *from = before < 0 ? g_strdup("/dev/null") : g_strconcat("a/", safe, NULL);
    g_autofree char *to = after < 0 ? g_strdup("/dev/null") : g_strconcat("b/", safe, NULL);
    if (before < 0 || after < 0)
        return read_whole_patch(before, after, from, to, is_cut);
    int out = start_diff(before, after, from, to, error);
    if (out < 0)
        return NULL;
    GString *text = read_output(out, is_cut);
    close(out);
    return text;
}

void branch_patch_print_part(const GString *text, gboolean is_cut)
{
    branch_patch_print_text(text->str, text->len);
    if (is_cut)
        puts(text->len ? "… and more" : "… too large to show");
}

gboolean branch_patch_print(int before, int after, const char *path, GError **error)
{
    gboolean is_cut;
    g_autoptr(GString) text = branch_patch_read(before, after, path, &is_cut, error);
    if (!text)
        return FALSE;
    branch_patch_print_part(text, is_cut);
    return TRUE;
}

/* Counts the lines of the difference that comes through FD, by their first characters. What is in
 * front of the first "@@" are the names of both, or that they are binary. */
static void count_lines(int fd, branch_patch_lines *lines)
{
    char block[65536];
    gboolean is_start = TRUE, is_inside = FALSE;
    for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < n; i++) {
            char first = is_start ? block[i] : '\0';
            is_inside |= first == '@';
            lines->added += is_inside && first == '+';
            lines->removed += is_inside && first == '-';
            lines->is_binary |= !is_inside && first == 'B';
            is_start = block[i] == '\n';
        }
}

static void count_whole(int before, int after, branch_patch_lines *lines)
{
    g_auto(whole_file) file = {0};
    lines->is_binary = !read_whole(before < 0 ? after : before, &file) || !file.is_text;
    if (!lines->is_binary)
        *(before < 0 ? &lines->added : &lines->removed) = file.lines;
}

gboolean branch_patch_count(int before, int after, branch_patch_lines *lines, GError **error)
{
    *lines = (branch_patch_lines){.is_binary = branch_patch_is_too_large(before) ||
                                               branch_patch_is_too_large(after)};
    if (lines->is_binary)
        return TRUE;
    if (before < 0 || after < 0) {
        count_whole(before, after, lines);
        return TRUE;
    }
    int out = start_diff(before, after, "a", "b", error);
    if (out < 0)
        return FALSE;
    count_lines(out, lines);
    close(out);
    return TRUE;
}
