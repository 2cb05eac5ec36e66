#include "box/branch/patch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/host_program.h"
#include "common/text.h"

/* Bytes of one file's difference that are shown. No line is cut: what it has in the middle would be
 * taken unseen. A byte is shown as four at most. */
#define PATCH_MAX (1 << 20)
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

static gboolean is_too_large(int fd)
{
    struct stat st;
    return fd >= 0 && (fstat(fd, &st) < 0 || st.st_size > PATCH_FILE_MAX);
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

/* Starts diff, with the names FROM and TO for what is there; its output, or -1 with ERROR. */
static int start_diff(int before, int after, const char *from, const char *to, GError **error)
{
    g_autofree char *program =
        host_program("diff", "install diffutils, or leave --patch and --stat out", error);
    const char *argv[] = {program,
                          "-u",
                          "--label",
                          before < 0 ? "/dev/null" : from,
                          "--label",
                          after < 0 ? "/dev/null" : to,
                          before < 0 ? "/dev/null" : "/dev/fd/10",
                          after < 0 ? "/dev/null" : "/dev/fd/11",
                          NULL};
    const char *env[] = {"LC_ALL=C.UTF-8", NULL};
    int sources[2], targets[2], out = -1;
    gsize count = 0;
    GPid pid;
    if (before >= 0)
        sources[count] = before, targets[count++] = BEFORE_FD;
    if (after >= 0)
        sources[count] = after, targets[count++] = AFTER_FD;
    if (!program ||
        !g_spawn_async_with_pipes_and_fds("/", argv, env, G_SPAWN_DEFAULT, NULL, NULL, -1, -1, -1,
                                          sources, targets, count, &pid, NULL, &out, NULL, error))
        return -1;
    g_spawn_close_pid(pid);
    return out;
}

GString *branch_patch_read(int before, int after, const char *path, gboolean *is_cut,
                           GError **error)
{
    *is_cut = is_too_large(before) || is_too_large(after);
    if (*is_cut)
        return g_string_new(NULL);
    g_autofree char *safe = text_safe(path, -1), *from = g_strconcat("a/", safe, NULL);
    g_autofree char *to = g_strconcat("b/", safe, NULL);
    int out = start_diff(before, after, from, to, error);
    if (out < 0)
        return NULL;
    GString *text = read_output(out, is_cut);
    close(out);
    return text;
}

gboolean branch_patch_print(int before, int after, const char *path, GError **error)
{
    gboolean is_cut;
    g_autoptr(GString) text = branch_patch_read(before, after, path, &is_cut, error);
    if (!text)
        return FALSE;
    branch_patch_print_text(text->str, text->len);
    if (is_cut)
        puts(text->len ? "… and more" : "… too large to show");
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

gboolean branch_patch_count(int before, int after, branch_patch_lines *lines, GError **error)
{
    *lines = (branch_patch_lines){.is_binary = is_too_large(before) || is_too_large(after)};
    if (lines->is_binary)
        return TRUE;
    int out = start_diff(before, after, "a", "b", error);
    if (out < 0)
        return FALSE;
    count_lines(out, lines);
    close(out);
    return TRUE;
}
