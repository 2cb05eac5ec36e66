/*
 * In a box with an image the authority is written into the container's files. To mount something
 * over them would leave no trace there, but a mounted file cannot be replaced:
 * update-ca-certificates fails, and with it the installation of packages; and what programs write
 * into a mounted folder is gone with the mount. So update-ca-certificates works, and takes the
 * authority out until the next start. What was written is recorded before, on the host, so that
 * each start can remove it, also after a kill or when the secret is gone.
 *
 * A box whose root is read-only (of the host's own files, or by [security] read_only) cannot change
 * them. There the files that sessions see (PLAN_CERTIFICATES) are mounted over the system's.
 * A link of an image may lead that mount to another file, of which the box then sees this in its
 * place; nothing is written.
 *
 * The box's files are those of a hostile image, or were written by root of the box. They are read
 * with limits, and written in the box's own namespaces and only on the mount of its root, so a link
 * leads what is written neither to the host nor into the project.
 */
#include "box/lifecycle/trust_store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/helpers/java_store.h"
#include "box/helpers/secrets.h"
#include "box/helpers/trust_files.h"
#include "box/lifecycle/container.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"
#include "sys/proc_stat.h"

/* In the box's data folder: names of OpenSSL for authorities that may be in the box, a line each.
 * Some, if starts were killed; none, if files have been changed before. */
#define RECORD_FILE "trust-store"
#define RECORD_MAX 4096
/* OpenSSL finds a certificate in this folder by a hash of its subject (openssl-rehash(1)). */
#define HASHED_FOLDER "/etc/ssl/certs"
#define TEMPORARY ".litterbox-new"

enum change_kind { CHANGE_WRITE, CHANGE_REMOVE, CHANGE_MOUNT };

/* A change of one file of the box. */
typedef struct {
    enum change_kind kind;
    char *folder, *name; /* absolute in the box, without links */
    GString *text;       /* to write */
    const char *source;  /* to mount */
} change;

static void change_free(gpointer data)
{
    change *self = data;
    g_free(self->folder);
    g_free(self->name);
    if (self->text)
        g_string_free(self->text, TRUE);
    g_free(self);
}

typedef struct {
    const struct box *box;
    int root; /* of the box */
    gboolean is_read_only;
    const secrets_authority *authority; /* NULL: none */
    GPtrArray *changes;
    GString *problems; /* for the user */
} store;

/* In the child (container.h). */

/* The new file has owner and mode of the old one. */
static int copy_attributes(int folder, const char *name, int to)
{
    struct stat was;
    if (fstatat(folder, name, &was, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(was.st_mode))
        return fchmod(to, 0644);
    /* Fails for an owner that the box does not know: then it is root's. */
    int owned = fchown(to, was.st_uid, was.st_gid);
    return fchmod(to, was.st_mode & (owned == 0 ? 0777 : 0755));
}

static int write_file(int folder, const change *self)
{
    unlinkat(folder, TEMPORARY, 0);
    int fd = openat(folder, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    gboolean done = fs_write_all(fd, self->text->str, self->text->len) &&
                    copy_attributes(folder, self->name, fd) == 0 && fsync(fd) == 0 &&
                    renameat(folder, TEMPORARY, folder, self->name) == 0;
    int saved = errno;
    close(fd);
    if (!done)
        unlinkat(folder, TEMPORARY, 0);
    errno = saved;
    return done ? 0 : -1;
}

static int mount_file(int folder, const change *self)
{
    int to = openat(folder, self->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int from =
        (int)syscall(SYS_open_tree, AT_FDCWD, self->source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (to < 0 || from < 0)
        return -1;
    return (int)syscall(SYS_move_mount, from, "", to, "",
                        MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static int remove_file(int folder, const change *self)
{
    return unlinkat(folder, self->name, 0) == 0 || errno == ENOENT ? 0 : -1;
}

static int make_change(int root, const change *self)
{
    gboolean mounts = self->kind == CHANGE_MOUNT;
    int folder = mounts ? fs_open_in_root(root, self->folder, O_PATH | O_DIRECTORY)
                        : fs_open_on_mount(root, self->folder, O_PATH | O_DIRECTORY);
    if (folder < 0)
        return -1;
    if (mounts)
        return mount_file(folder, self);
    return self->kind == CHANGE_WRITE ? write_file(folder, self) : remove_file(folder, self);
}

/* As root of the box: its user must not own what it trusts. The child ends, and with it its
 * descriptors. */
static int make_changes(const void *data)
{
    const GPtrArray *changes = data;
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 || setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
        return -1;
    for (guint i = 0; i < changes->len; i++)
        if (make_change(root, changes->pdata[i]) < 0)
            return -1;
    return 0;
}

/* In the parent: what is to be changed. */

static void add_problem(const store *self, const char *why)
{
    g_string_append_printf(self->problems, "%s%s", self->problems->len > 0 ? "; " : "", why);
}

/* Not of a box that was only prepared, and has ended: it is prepared again (launch.h). */
static void warn(const store *self, pid_t pid)
{
    if (self->problems->len > 0 && proc_stat_is_alive(pid))
        log_warning("programs of box '%s' that look at no variable such as SSL_CERT_FILE may not "
                    "trust the hosts of its secrets, and of rules with methods or paths: %s",
                    self->box->name, self->problems->str);
}

/* A descriptor of PATH, or -1. */
static int open_path(const store *self, const char *path, int flags)
{
    int fd = self->is_read_only ? fs_open_in_root(self->root, path, flags)
                                : fs_open_on_mount(self->root, path, flags);
    if (fd < 0 && errno != ENOENT && errno != ENOTDIR) {
        g_autofree char *why =
            g_strdup_printf("'%s' of the box cannot be used: %s", path,
                            errno == EXDEV ? "it leads out of its files" : g_strerror(errno));
        add_problem(self, why);
    }
    return fd;
}

/* Where FD is in the box, a new string. */
static char *real_path(int fd)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return g_file_read_link(link, NULL);
}

static gboolean has_change(const store *self, const char *folder, const char *name)
{
    for (guint i = 0; i < self->changes->len; i++) {
        const change *each = self->changes->pdata[i];
        if (strcmp(each->folder, folder) == 0 && strcmp(each->name, name) == 0)
            return TRUE;
    }
    return FALSE;
}

/* Takes TEXT. */
static void add_change(store *self, const char *folder, const char *name, change wanted)
{
    if (has_change(self, folder, name)) { /* by another link to it */
        if (wanted.text)
            g_string_free(wanted.text, TRUE);
        return;
    }
    change *made = g_memdup2(&wanted, sizeof wanted);
    made->folder = g_strdup(folder);
    made->name = g_strdup(name);
    g_ptr_array_add(self->changes, made);
}

/* A kind of file that has all certificates. */
typedef struct {
    const char *source; /* what is mounted over it */
    gsize max;
    GString *(*without)(const char *text, gsize length, GError **error);
    gboolean (*add)(GString *text, const char *authority);
} file_kind;

static GString *bundle_without(const char *text, gsize length, GError **error)
{
    return trust_bundle_without(text, length);
}

static const file_kind bundle_kind = {PLAN_CERTIFICATES "/" PLAN_CERTIFICATES_FILE,
                                      TRUST_BUNDLE_MAX, bundle_without, trust_bundle_add};
static const file_kind p11_kit_kind = {PLAN_CERTIFICATES "/" PLAN_CERTIFICATES_P11_KIT,
                                       TRUST_BUNDLE_MAX, bundle_without, trust_p11_kit_add};
static const file_kind java_kind = {PLAN_CERTIFICATES "/" PLAN_CERTIFICATES_JAVA, JAVA_STORE_MAX,
                                    java_store_without, java_store_add};

/* What the file with TEXT is to be. NULL: what it is, or with ERROR. */
static GString *wanted_text(const store *self, const file_kind *kind, const char *text,
                            gsize length, GError **error)
{
    g_autoptr(GString) wanted = kind->without(text, length, error);
    gboolean is_changed = wanted &&
                          (!self->authority || kind->add(wanted, self->authority->certificate)) &&
                          (wanted->len != length || memcmp(wanted->str, text, length) != 0);
    return is_changed ? g_steal_pointer(&wanted) : NULL;
}

/* The file FD of the box has the contents TEXT. */
static gboolean change_file(store *self, const file_kind *kind, int fd, const char *text,
                            gsize length, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *real = real_path(fd);
    if (!real)
        return TRUE;
    g_autofree char *folder = g_path_get_dirname(real);
    g_autofree char *name = g_path_get_basename(real);
    GString *wanted = self->is_read_only ? NULL : wanted_text(self, kind, text, length, &problem);
    if (wanted)
        add_change(self, folder, name, (change){.kind = CHANGE_WRITE, .text = wanted});
    else if (self->is_read_only && self->authority)
        add_change(self, folder, name, (change){.kind = CHANGE_MOUNT, .source = kind->source});
    if (!problem)
        return TRUE;
    g_propagate_prefixed_error(error, g_steal_pointer(&problem), "'%s' cannot be used: ", real);
    return FALSE;
}

/* O_NONBLOCK: it may be a FIFO. */
static void look_at_file(store *self, const file_kind *kind, const char *path)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = NULL;
    gsize length = 0;
    int fd = open_path(self, path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return;
    if (!fs_read_fd(fd, path, kind->max, &text, &length, &problem) ||
        !change_file(self, kind, fd, text, length, &problem))
        add_problem(self, problem->message);
    close(fd);
}

/* RECORDED: names of authorities. */
static void look_at_folder(store *self, char *const *recorded)
{
    int fd = self->is_read_only ? -1 : open_path(self, HASHED_FOLDER, O_PATH | O_DIRECTORY);
    g_autofree char *folder = fd >= 0 ? real_path(fd) : NULL;
    const char *kept = self->authority ? self->authority->hashed_name : "";
    for (; folder && *recorded; recorded++)
        if (**recorded && strcmp(*recorded, kept) != 0)
            add_change(self, folder, *recorded, (change){.kind = CHANGE_REMOVE});
    if (folder && self->authority && faccessat(fd, kept, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
        add_change(
            self, folder, kept,
            (change){.kind = CHANGE_WRITE, .text = g_string_new(self->authority->certificate)});
    if (fd >= 0)
        close(fd);
}

static void look_at_all(store *self, char *const *recorded)
{
    g_auto(GStrv) of_java = java_store_paths(self->root);
    for (const char *const *path = trust_bundle_paths; *path; path++)
        look_at_file(self, &bundle_kind, *path);
    for (const char *const *path = trust_p11_kit_paths; *path; path++)
        look_at_file(self, &p11_kit_kind, *path);
    for (char **path = of_java; *path; path++)
        look_at_file(self, &java_kind, *path);
    look_at_folder(self, recorded);
}

static gboolean open_root(store *self, pid_t pid)
{
    struct statvfs about;
    g_autofree char *path = g_strdup_printf("/proc/%d/root", (int)pid);
    self->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (self->root >= 0 && fstatvfs(self->root, &about) == 0) {
        self->is_read_only = (about.f_flag & ST_RDONLY) != 0;
        return TRUE;
    }
    add_problem(self, g_strerror(errno));
    return FALSE;
}

/* The record, with a line for AUTHORITY; a new string. */
static char *record_with(const char *record, const secrets_authority *authority)
{
    return !authority || strstr(record, authority->hashed_name)
               ? g_strdup(record)
               : g_strconcat(record, authority->hashed_name, "\n", NULL);
}

/* Replaces WAS at PATH by RECORD. */
static gboolean write_record(const store *self, const char *path, const char *was,
                             const char *record)
{
    g_autoptr(GError) problem = NULL;
    if (g_strcmp0(was, record) == 0)
        return TRUE;
    if (fs_write(path, record, -1, 0600, &problem))
        return TRUE;
    add_problem(self, problem->message);
    return FALSE;
}

static gboolean change_files(store *self, pid_t pid, char *const *recorded)
{
    gboolean done = FALSE;
    if (open_root(self, pid)) {
        look_at_all(self, recorded);
        int problem =
            self->changes->len > 0 ? box_namespaces_run(pid, make_changes, self->changes) : 0;
        done = problem == 0;
        if (!done)
            add_problem(self, g_strerror(problem));
    }
    if (self->root >= 0)
        close(self->root);
    return done;
}

static char *record_path(const struct box *self)
{
    return g_build_filename(self->data, RECORD_FILE, NULL);
}

gboolean trust_store_may_have_changed(const struct box *self, const char *path)
{
    g_autofree char *of_record = record_path(self);
    g_autofree char *record = fs_read_text(of_record, RECORD_MAX);
    g_auto(GStrv) recorded = g_strsplit(record ? record : "", "\n", -1);
    const char *name = strrchr(path, '/');
    return record && (g_strv_contains(trust_bundle_paths, path) ||
                      g_strv_contains(trust_p11_kit_paths, path) || java_store_is_path(path) ||
                      (name && g_strv_contains((const char *const *)recorded, name + 1)));
}

void trust_store_update(const struct box *self, pid_t pid)
{
    g_autofree char *path = record_path(self);
    g_autofree char *record = fs_read_text(path, RECORD_MAX);
    g_autoptr(secrets_authority) authority = secrets_read_authority(self);
    if (!record && !authority)
        return;
    g_autofree char *before = record_with(record ? record : "", authority);
    g_autofree char *after = record_with("", authority);
    g_auto(GStrv) recorded = g_strsplit(before, "\n", -1);
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(change_free);
    g_autoptr(GString) problems = g_string_new(NULL);
    store known = {
        .box = self, .root = -1, .authority = authority, .changes = changes, .problems = problems};
    if (write_record(&known, path, record, before) && change_files(&known, pid, recorded))
        write_record(&known, path, before, after);
    warn(&known, pid);
}
