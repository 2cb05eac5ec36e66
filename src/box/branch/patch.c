#include "box/branch/patch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/error.h"
#include "common/text.h"

/* Bytes of one file's difference that are shown, and of a line; and of a file, as diff reads it
 * into its memory. */
#define PATCH_MAX (1 << 20)
#define LINE_MAX_BYTES 65536
#define PATCH_FILE_MAX (16 << 20)

/* In the child these are the files. */
#define BEFORE_FD 10
#define AFTER_FD 11

/* The host's diff, which no box could have written; NULL with ERROR. */
static char *find_program(GError **error)
{
    g_auto(GStrv) projects = registry_projects();
    g_autofree char *path =
        safe_path(g_getenv("PATH") ? g_getenv("PATH") : "/usr/bin:/bin", projects, NULL);
    g_auto(GStrv) folders = g_strsplit(path, ":", -1);
    for (char **folder = folders; *folder; folder++) {
        g_autofree char *program = g_build_filename(*folder, "diff", NULL);
        if (**folder == '/' && access(program, X_OK) == 0)
            return g_steal_pointer(&program);
    }
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                        "this machine has no 'diff': install diffutils, or leave --patch out");
    return NULL;
}

static void print_safe(const char *text, gsize length)
{
    for (const char *at = text, *end = text + length; at < end;) {
        const char *stop = memchr(at, '\n', (gsize)(end - at));
        gsize bytes = (gsize)((stop ? stop : end) - at);
        /* Tabs are what source files are made of. */
        g_autofree char *line = g_strndup(at, MIN(bytes, LINE_MAX_BYTES));
        g_auto(GStrv) parts = g_strsplit(line, "\t", -1);
        for (char **part = parts; *part; part++) {
            g_autofree char *safe = text_safe_max(*part, -1, LINE_MAX_BYTES);
            printf("%s%s", part == parts ? "" : "\t", safe);
        }
        putchar('\n');
        at += bytes + 1;
    }
}

static gboolean is_too_large(int fd)
{
    struct stat st;
    return fd >= 0 && (fstat(fd, &st) < 0 || st.st_size > PATCH_FILE_MAX);
}

/* Prints what comes through FD. */
static void relay(int fd)
{
    g_autoptr(GString) text = g_string_new(NULL);
    char block[65536];
    gboolean is_cut = FALSE;
    for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;) {
        gsize room = PATCH_MAX - text->len;
        is_cut |= (gsize)n > room;
        g_string_append_len(text, block, MIN(n, (ssize_t)room));
    }
    print_safe(text->str, text->len);
    if (is_cut)
        puts("… and more");
}

gboolean branch_patch_print(int before, int after, const char *path, GError **error)
{
    g_autofree char *program = find_program(error), *safe = text_safe(path, -1);
    if (!program)
        return FALSE;
    if (is_too_large(before) || is_too_large(after)) {
        puts("… too large to show");
        return TRUE;
    }
    g_autofree char *from = before < 0 ? g_strdup("/dev/null") : g_strconcat("a/", safe, NULL);
    g_autofree char *to = after < 0 ? g_strdup("/dev/null") : g_strconcat("b/", safe, NULL);
    const char *argv[] = {program,
                          "-u",
                          "--label",
                          from,
                          "--label",
                          to,
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
    if (!g_spawn_async_with_pipes_and_fds("/", argv, env, G_SPAWN_DEFAULT, NULL, NULL, -1, -1, -1,
                                          sources, targets, count, &pid, NULL, &out, NULL, error))
        return FALSE;
    relay(out);
    close(out);
    g_spawn_close_pid(pid);
    return TRUE;
}
