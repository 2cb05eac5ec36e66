#include "box/branch/merge.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/private_git.h"
#include "box/registry/git_index.h"
#include "common/fs.h"
#include "common/text.h"

/* In the branch's data folder, while git runs. */
#define FOLDER "git"
/* Where git looks for a NUL. */
#define TEXT_BYTES 8000
/* Conflict markers and the like make the result longer than both. */
#define RESULT_MAX (4 * BRANCH_MERGE_MAX)
/* git-merge-file(1): more conflicts have this status, too. */
#define CONFLICTS_MAX 127

gboolean branch_is_text(int fd, const struct stat *st)
{
    char start[TEXT_BYTES];
    if (!S_ISREG(st->st_mode) || st->st_size > BRANCH_MERGE_MAX)
        return FALSE;
    ssize_t length = pread(fd, start, sizeof start, 0);
    return length >= 0 && !memchr(start, '\0', (gsize)length);
}

static gboolean open_git(private_git *git, const struct box *self, GError **error)
{
    g_autofree char *folder = g_build_filename(self->data, FOLDER, NULL);
    return private_git_open(git, folder, self->project, 0, error);
}

/* The object, as a file without a name. -1 with ERROR. */
static int read_object(const private_git *git, const char *source, GError **error)
{
    g_autofree char *object = g_strndup(source, GIT_OBJECT_ID_LENGTH);
    gint64 size = g_ascii_strtoll(source + strlen(object), NULL, 10);
    const char *const arguments[] = {"cat-file", "blob", object, NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    if (!private_git_run(git, arguments, -1, -1, text, BRANCH_MERGE_MAX, NULL, error))
        return -1;
    int fd = fs_open_unnamed(git->folder, error);
    /* Another size: git changes such a file between its object and the project. */
    if (fd >= 0 && (gint64)text->len == size && fs_write_all(fd, text->str, text->len))
        return fd;
    if (fd >= 0) {
        close(fd);
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                            "git has it in another form than the project");
    }
    return -1;
}

static int open_then(const private_git *git, const branch_then *then, const char *path,
                     GError **error)
{
    const char *object;
    int fd;
    if (branch_then_find(then, path, &fd, &object))
        return fd >= 0 ? fd : read_object(git, object, error);
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                        "what the host had when the branch began is not known");
    return -1;
}

int branch_then_open(const struct box *self, const branch_then *then, const char *path,
                     GError **error)
{
    private_git git;
    if (!open_git(&git, self, error))
        return -1;
    int fd = open_then(&git, then, path, error);
    private_git_close(&git);
    return fd;
}

/* FD as NAME in the folder of GIT, which merge-file reads. */
static gboolean put(const private_git *git, const char *name, int fd, GError **error)
{
    g_autofree char *path = g_build_filename(git->folder, name, NULL), *data = NULL;
    gsize length;
    return lseek(fd, 0, SEEK_SET) == 0 &&
           fs_read_fd(fd, name, BRANCH_MERGE_MAX, &data, &length, error) &&
           fs_write(path, data, (gssize)length, 0600, error);
}

static gboolean merge_files(const private_git *git, const struct box *self, int out,
                            guint *conflicts, GError **error)
{
    g_autofree char *label = g_strdup_printf("branch %s", self->branch);
    const char *const arguments[] = {
        "merge-file", "-p",  "-L",   "project", "-L",          "when the branch began",
        "-L",         label, "host", "then",    "branch-file", NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    int status;
    if (!private_git_run(git, arguments, -1, -1, text, RESULT_MAX, &status, error))
        return FALSE;
    if (status > CONFLICTS_MAX) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, "git cannot merge it");
        return FALSE;
    }
    *conflicts = (guint)status;
    if (fs_write_all(out, text->str, text->len))
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot write the result");
    return FALSE;
}

gboolean branch_merge(const struct box *self, const branch_then *then, const char *path, int host,
                      int branch, int out, guint *conflicts, GError **error)
{
    private_git git;
    if (!open_git(&git, self, error))
        return FALSE;
    int base = open_then(&git, then, path, error);
    gboolean done = base >= 0 && put(&git, "host", host, error) && put(&git, "then", base, error) &&
                    put(&git, "branch-file", branch, error) &&
                    merge_files(&git, self, out, conflicts, error);
    if (base >= 0)
        close(base);
    private_git_close(&git);
    if (!done) {
        g_autofree char *safe = text_safe(path, -1);
        g_prefix_error(error, "cannot merge '%s': ", safe);
    }
    return done;
}
