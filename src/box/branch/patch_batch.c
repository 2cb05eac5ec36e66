#include "box/branch/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

/*
 * diff compares two folders in the runtime folder, a and b. They have links, 000 to 099, to what
 * diff has open: they are the same for each diff, and stay.
 */
#define LINKS_FOLDER ".diff"
static const char *const sides[] = {"a", "b"};
/* In the child these are the files. */
static const int first_fd[] = {100, 100 + PATCH_BATCH_MAX};

typedef struct {
    int files[2]; /* before and after */
    gboolean is_compared;
} pair;

struct patch_batch {
    pair pairs[PATCH_BATCH_MAX];
    guint count, next;
    FILE *out; /* of diff; or NULL */
    GPid diff;
    char *line; /* that was read, but not used yet; or NULL */
    gsize room;
    ssize_t length; /* -1: there is none */
    int worst;      /* exit status of a diff that has not failed */
};

patch_batch *patch_batch_new(void)
{
    return g_new0(patch_batch, 1);
}

static int reap(patch_batch *self)
{
    int status = 0;
    if (!self->out)
        return 0;
    /* What nobody reads ends it. */
    fclose(self->out);
    self->out = NULL;
    while (waitpid(self->diff, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

void patch_batch_free(patch_batch *self)
{
    if (!self)
        return;
    reap(self);
    for (guint i = 0; i < self->count; i++)
        for (guint side = 0; side < 2; side++)
            if (self->pairs[i].files[side] >= 0)
                close(self->pairs[i].files[side]);
    free(self->line);
    g_free(self);
}

void patch_batch_add(patch_batch *self, int before, int after)
{
    gboolean is_compared = before >= 0 && after >= 0 && !branch_patch_is_too_large(before) &&
                           !branch_patch_is_too_large(after);
    self->pairs[self->count++] = (pair){.files = {before, after}, .is_compared = is_compared};
}

static gboolean make_links(const char *folder, guint side, GError **error)
{
    g_autofree char *of = g_build_filename(folder, sides[side], NULL);
    if (!fs_make_folder(of, 0700, error))
        return FALSE;
    for (guint i = PATCH_BATCH_MAX; i-- > 0;) {
        g_autofree char *link = g_strdup_printf("%s/%03u", of, i);
        g_autofree char *to = g_strdup_printf("/proc/self/fd/%u", first_fd[side] + i);
        if (symlink(to, link) == 0 || errno == EEXIST)
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot make '%s': %s", link,
                    g_strerror(errno));
        return FALSE;
    }
    return TRUE;
}

/* The folder with the links, a new string; NULL with ERROR. */
static char *links_folder(GError **error)
{
    g_autofree char *folder = paths_runtime(LINKS_FOLDER, error);
    /* The last one that is made. */
    g_autofree char *last = folder ? g_build_filename(folder, sides[1], "000", NULL) : NULL;
    struct stat st;
    if (!folder ||
        (lstat(last, &st) < 0 && (!make_links(folder, 0, error) || !make_links(folder, 1, error))))
        return NULL;
    return g_steal_pointer(&folder);
}

/* Its output, or -1 with ERROR. */
static int spawn_diff(patch_batch *self, const char *folder, int null, GError **error)
{
    int sources[2 * PATCH_BATCH_MAX], targets[2 * PATCH_BATCH_MAX], out = -1;
    g_autofree char *program = branch_patch_program(error);
    const char *argv[] = {program, "-ru", sides[0], sides[1], NULL};
    const char *env[] = {"LC_ALL=C.UTF-8", NULL};
    for (guint side = 0; side < 2; side++)
        for (guint i = 0; i < PATCH_BATCH_MAX; i++) {
            gboolean is_used = i < self->count && self->pairs[i].is_compared;
            sources[side * PATCH_BATCH_MAX + i] = is_used ? self->pairs[i].files[side] : null;
            targets[side * PATCH_BATCH_MAX + i] = first_fd[side] + (int)i;
        }
    if (!program ||
        !g_spawn_async_with_pipes_and_fds(folder, argv, env, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                          -1, -1, -1, sources, targets, G_N_ELEMENTS(sources),
                                          &self->diff, NULL, &out, NULL, error))
        return -1;
    return out;
}

gboolean patch_batch_start(patch_batch *self, GError **error)
{
    gboolean is_needed = FALSE;
    for (guint i = 0; i < self->count; i++)
        is_needed |= self->pairs[i].is_compared;
    if (!is_needed)
        return TRUE;
    g_autofree char *folder = links_folder(error);
    int null = folder ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    int out = null >= 0 ? spawn_diff(self, folder, null, error) : -1;
    if (null >= 0)
        close(null);
    self->length = -1;
    self->worst = 1;
    self->out = out >= 0 ? fdopen(out, "r") : NULL;
    return self->out != NULL;
}

/* TRUE when the next line of diff is there. */
static gboolean peek(patch_batch *self)
{
    if (self->length < 0 && self->out)
        self->length = getline(&self->line, &self->room, self->out);
    return self->length > 0;
}

/* Lines of a difference begin with " ", "+", "-", "@" and "\\". TRUE when this one begins what diff
 * says of pair NUMBER: "diff … b/007", or "Binary files a/007 and b/007 differ". */
static gboolean is_start(const patch_batch *self, guint number)
{
    const char *slash = strrchr(self->line, '/');
    return (*self->line == 'd' || *self->line == 'B') && slash &&
           strtoul(slash + 1, NULL, 10) == number;
}

/* What diff says of one pair, line by line. */
typedef void (*line_reader)(const char *line, gsize length, void *data);

/* *IS_BINARY: it says only that. */
static void read_part(patch_batch *self, guint number, line_reader read, void *data,
                      gboolean *is_binary)
{
    guint names = 2;
    *is_binary = FALSE;
    if (!peek(self) || !is_start(self, number))
        return;
    *is_binary = *self->line == 'B';
    if (*is_binary)
        self->worst = 2;
    for (self->length = -1; peek(self) && !strchr("dB", *self->line); self->length = -1) {
        if (names > 0)
            names--;
        else
            read(self->line, (gsize)self->length, data);
    }
}

typedef struct {
    GString *text;
    gboolean is_cut;
} shown_part;

static void show_line(const char *line, gsize length, void *data)
{
    shown_part *self = data;
    gsize room = PATCH_MAX - self->text->len;
    self->is_cut |= length > room;
    g_string_append_len(self->text, line, (gssize)MIN(length, room));
}

static gboolean is_nothing(const pair *self)
{
    return self->files[0] < 0 && self->files[1] < 0;
}

gboolean patch_batch_print_next(patch_batch *self, const char *path, GError **error)
{
    const pair *of = &self->pairs[self->next++];
    if (!of->is_compared)
        return is_nothing(of) || branch_patch_print(of->files[0], of->files[1], path, error);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *safe = text_safe(path, -1);
    shown_part shown = {.text = text};
    gboolean is_binary;
    g_string_printf(text, "--- a/%s\n+++ b/%s\n", safe, safe);
    gsize names = text->len;
    read_part(self, self->next - 1, show_line, &shown, &is_binary);
    if (is_binary)
        g_string_printf(text, "Binary files a/%s and b/%s differ\n", safe, safe);
    else if (text->len == names)
        g_string_truncate(text, 0);
    branch_patch_print_part(text, shown.is_cut);
    return TRUE;
}

static void count_line(const char *line, gsize length, void *data)
{
    branch_patch_lines *lines = data;
    (void)length;
    lines->added += *line == '+';
    lines->removed += *line == '-';
}

gboolean patch_batch_count_next(patch_batch *self, branch_patch_lines *lines, GError **error)
{
    const pair *of = &self->pairs[self->next++];
    *lines = (branch_patch_lines){0};
    if (!of->is_compared)
        return is_nothing(of) || branch_patch_count(of->files[0], of->files[1], lines, error);
    read_part(self, self->next - 1, count_line, lines, &lines->is_binary);
    return TRUE;
}

gboolean patch_batch_end(patch_batch *self, GError **error)
{
    gboolean is_read = !peek(self);
    int status = reap(self);
    gboolean done = is_read && WIFEXITED(status) && WEXITSTATUS(status) <= self->worst;
    if (!done)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                            "diff has failed: not all differences were shown");
    return done;
}
