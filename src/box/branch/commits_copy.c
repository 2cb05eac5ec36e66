#include "box/branch/commits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/commit_changes.h"
#include "box/registry/branch_upper.h"
#include "common/fs.h"
#include "common/text.h"

#define HEAD_MAX 4096
#define PACKED_REFS_MAX (16 << 20)
#define OBJECTS ".git/objects"
/* Of all that is copied. */
#define FILES_MAX 200000
#define BYTES_MAX ((gint64)1 << 30)
#define PACKS_MAX 1000

/* The commit. */

static char *read_text(const branch_folders *folders, const char *path, gsize max)
{
    return branch_upper_read_text(folders->copied, folders->upper, folders->project, path, max);
}

/* A ref that is a path below .git and nothing else. */
static gboolean is_ref(const char *name)
{
    for (const char *at = name; *at; at++)
        if ((guchar)*at <= ' ' || *at == 0x7f || *at == '\\')
            return FALSE;
    return g_str_has_prefix(name, "refs/") && !strstr(name, "..") && !strstr(name, "//");
}

/* The line "OBJECT REF" of packed-refs. */
static char *find_packed(const branch_folders *folders, const char *ref)
{
    g_autofree char *text = read_text(folders, ".git/packed-refs", PACKED_REFS_MAX);
    g_autofree char *wanted = g_strconcat(" ", ref, "\n", NULL);
    const char *at = text ? strstr(text, wanted) : NULL;
    gboolean is_whole =
        at && at - text >= GIT_OBJECT_ID_LENGTH &&
        (at - text == GIT_OBJECT_ID_LENGTH || at[-GIT_OBJECT_ID_LENGTH - 1] == '\n');
    return is_whole ? g_strndup(at - GIT_OBJECT_ID_LENGTH, GIT_OBJECT_ID_LENGTH) : NULL;
}

static char *read_ref(const branch_folders *folders, const char *ref)
{
    if (!is_ref(ref))
        return NULL;
    g_autofree char *path = g_strconcat(".git/", ref, NULL);
    char *text = read_text(folders, path, HEAD_MAX);
    return text ? g_strchomp(text) : find_packed(folders, ref);
}

char *commits_find_head(const branch_folders *folders, GError **error)
{
    g_autofree char *head = read_text(folders, ".git/HEAD", HEAD_MAX);
    if (head && g_str_has_prefix(g_strchomp(head), "ref: ")) {
        char *named = read_ref(folders, head + strlen("ref: "));
        g_free(head);
        head = named;
    }
    if (head && git_object_is_valid(head, strlen(head)))
        return g_steal_pointer(&head);
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                        "there is no commit that can be read: the branch has no .git folder of its "
                        "own, or one with reftable or SHA-256, of which box reads no commits; "
                        "without --commits, 'box branch take' takes the files");
    return NULL;
}

/* The objects. */

typedef struct {
    const private_git *git;
    const branch_copied *copied;
    guint files, packs;
    gint64 bytes;
} copier;

static gboolean set_copy_error(const char *name, GError **error)
{
    int saved = errno;
    g_autofree char *safe = text_safe(name, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot copy '%s' of the branch: %s", safe,
                g_strerror(saved));
    return FALSE;
}

/* Opens a regular file, and counts it. -1 with ERROR. */
static int open_counted(copier *self, int folder, const char *name, GError **error)
{
    struct stat st;
    if (!private_git_has_time(self->git, error))
        return -1;
    int fd = fs_open_beneath(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        errno = fd < 0 ? errno : EINVAL;
        set_copy_error(name, error);
    } else if (++self->files > FILES_MAX || (self->bytes += st.st_size) > BYTES_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the branch has more than %d new objects or 1 GiB of them, which is not taken",
                    FILES_MAX);
    } else {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The file may grow meanwhile: what is behind the limit is not copied. */
static gboolean copy_limited(int from, int to)
{
    char block[65536];
    gint64 total = 0;
    for (ssize_t n; (n = read(from, block, sizeof block)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || (total += n) > BYTES_MAX || !fs_write_all(to, block, (gsize)n))
            return FALSE;
    }
    return TRUE;
}

static gboolean copy_object(copier *self, int folder, const char *in, const char *name,
                            GError **error)
{
    g_autofree char *path = g_build_filename(self->git->folder, "objects", in, name, NULL);
    int from = open_counted(self, folder, name, error);
    if (from < 0)
        return FALSE;
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
    gboolean done = (to >= 0 && copy_limited(from, to)) || set_copy_error(name, error);
    close(from);
    if (to >= 0)
        close(to);
    return done;
}

/* Git reads the stream, and writes a pack of its own of what is in it. */
static gboolean copy_pack(copier *self, int folder, const char *name, GError **error)
{
    static const char *const arguments[] = {"index-pack", "--stdin", NULL};
    g_autoptr(GString) said = g_string_new(NULL);
    if (++self->packs > PACKS_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the branch has more than %d packs",
                    PACKS_MAX);
        return FALSE;
    }
    int fd = open_counted(self, folder, name, error);
    if (fd < 0)
        return FALSE;
    gboolean done = private_git_run(self->git, arguments, fd, -1, said, HEAD_MAX, NULL, error);
    close(fd);
    return done;
}

/* "pack-OBJECT.pack" */
static gboolean is_pack(const char *name)
{
    return g_str_has_prefix(name, "pack-") && g_str_has_suffix(name, ".pack") &&
           git_object_is_valid(name + 5, strlen(name) - 10);
}

/* The rest of an object's name below the folder IN. */
static gboolean is_object(const char *in, const char *name)
{
    g_autofree char *whole = g_strconcat(in, name, NULL);
    return git_object_is_valid(whole, strlen(whole));
}

/* Of the folder IN of the objects, if it is there: a whiteout may be, as of the host's objects
 * that a git gc of the branch has packed. */
static gboolean copy_folder(copier *self, int objects, const char *in, GError **error)
{
    g_autofree char *path = g_build_filename(OBJECTS, in, NULL);
    g_autoptr(GPtrArray) gone = g_ptr_array_new_with_free_func(g_free);
    gboolean of_packs = strcmp(in, "pack") == 0, done = TRUE;
    g_autofree char *target = g_build_filename(self->git->folder, "objects", in, NULL);
    int fd = fs_open_beneath(objects, in, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || set_copy_error(in, error);
    g_autoptr(GPtrArray) names = branch_upper_names(self->copied, fd, path, gone);
    done = names ? fs_make_folder(target, 0700, error) : set_copy_error(in, error);
    for (guint i = 0; names && done && i < names->len; i++) {
        const char *name = names->pdata[i];
        if (branch_twins_is_in(gone, name))
            continue;
        if (of_packs && is_pack(name))
            done = copy_pack(self, fd, name, error);
        else if (!of_packs && is_object(in, name))
            done = copy_object(self, fd, in, name, error);
    }
    close(fd);
    return done;
}

gboolean commits_copy(const branch_folders *folders, const private_git *git, GError **error)
{
    copier self = {.git = git, .copied = folders->copied};
    int objects = folders->upper < 0
                      ? -1
                      : fs_open_beneath(folders->upper, OBJECTS, O_RDONLY | O_DIRECTORY, 0);
    if (objects < 0)
        return folders->upper < 0 || errno == ENOENT || set_copy_error(OBJECTS, error);
    gboolean done = TRUE;
    for (int i = 0; i < 256 && done; i++) {
        char in[3];
        g_snprintf(in, sizeof in, "%02x", (unsigned)i);
        done = copy_folder(&self, objects, in, error);
    }
    done = done && copy_folder(&self, objects, "pack", error);
    close(objects);
    return done;
}
