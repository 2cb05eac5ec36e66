/*
 * Access to host files that a box may have manipulated, without following symlinks it planted.
 *
 * Rules: a path below a folder that a box can write (project, home) is opened relative to a folder
 * descriptor with openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS); data that must survive a crash is
 * written to a temporary file, synced and renamed; every read has a size limit.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Sets a G_FILE_ERROR from errno: "cannot VERB 'PATH': …". Returns FALSE. */
gboolean fs_fail(GError **error, const char *verb, const char *path);

/*
 * Opens PATH (relative) below the folder DIRFD. Follows no symlink, and ".." cannot leave the
 * folder: openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS. FLAGS are
 * those of open(2); O_CLOEXEC and O_NOCTTY are added. Returns a descriptor, or -1 with errno.
 */
int fs_open_beneath(int dirfd, const char *path, int flags, mode_t mode);

/* The same below the folder at FOLDER, which is no symlink itself. */
int fs_open_below(const char *folder, const char *path, int flags);

/* Opens the real path PATH: what has become a symlink since, or lies behind one, is not opened.
 * FLAGS and result as above. */
int fs_open_real(const char *path, int flags);

/* TRUE when the symlinks on the way to PATH (relative), its own included, lead out of the folder
 * DIRFD, or one of them is absolute. FALSE where there is nothing. */
gboolean fs_leads_out(int dirfd, const char *path);

/*
 * Opens PATH as a process whose root directory is ROOT would (openat2(2) with RESOLVE_IN_ROOT), so
 * symlinks are followed but cannot lead out of ROOT. FLAGS and result as for fs_open_beneath().
 */
int fs_open_in_root(int root, const char *path, int flags);

/* The same, where the mount of ROOT has PATH: EXDEV when the way leads through another one. */
int fs_open_on_mount(int root, const char *path, int flags);

/* TRUE when PATH is FOLDER or lies below it, by their texts. Both are clean, and absolute or
 * relative to the same folder. */
gboolean fs_is_below(const char *path, const char *folder);

/*
 * Makes the folder PATH (absolute) and its missing parents with MODE. Fails if a component exists
 * and is not a folder, or if the caller does not own the last one: our files must not be stored in
 * another user's folder.
 */
gboolean fs_make_folder(const char *path, mode_t mode, GError **error);

/*
 * Reads a regular file of at most MAX bytes into *DATA (NUL-terminated after LENGTH bytes; LENGTH
 * may be NULL). PATH is relative to DIRFD (AT_FDCWD allowed). A symlink as its last component is
 * not followed. Fails with G_FILE_ERROR (G_FILE_ERROR_NOENT, for example), or with BOX_ERROR_FAILED
 * if the file is too large or not a regular file.
 */
gboolean fs_read(int dirfd, const char *path, gsize max, char **data, gsize *length,
                 GError **error);

/* The contents of a regular file of at most MAX bytes, a new string; NULL when it cannot be read.
 */
char *fs_read_text(const char *path, gsize max);

/* Like fs_read(), for a file that is already open as FD, which stays open. Messages show NAME. */
gboolean fs_read_fd(int fd, const char *name, gsize max, char **data, gsize *length,
                    GError **error);

/* Writes all LENGTH bytes to FD, in as many calls as it takes. FALSE with errno. */
gboolean fs_write_all(int fd, const char *data, gsize length);

/*
 * Writes LENGTH bytes (-1: DATA is a string) to PATH: temporary file in the same folder, fsync,
 * rename, fsync of the folder. After a crash or on a full disk the old contents are intact. A kill
 * can leave the temporary file where it was to replace another one; the next replacement of a file
 * in that folder removes it.
 */
gboolean fs_write(const char *path, const char *data, gssize length, mode_t mode, GError **error);

/* Copies the open file FROM, as long as it is now, to the new file TO, without its holes, or shares
 * its blocks. FALSE with errno, EINTR after Ctrl-C (interrupt.h). */
gboolean fs_copy_contents(int from, int to);
/* TRUE when both are open at files with the same contents. FALSE with errno 0, or when they cannot
 * be read. */
gboolean fs_same_contents(int a, int b);
/* NAME in the folder IN, relative paths; "" is the top. A new string. */
char *fs_join(const char *in, const char *name);
/* The names in the open folder FD (not closed), sorted by text_compare(); NULL with errno. DEVICES
 * gets those that may be character devices, or is NULL. */
GPtrArray *fs_list_names(int fd, GPtrArray *devices);

/* A new file in the file system of FOLDER, for reading and writing, that has no name and so is gone
 * when its descriptor is closed, however we end. -1 with ERROR. */
int fs_open_unnamed(const char *folder, GError **error);

/* A path in FOLDER for a temporary file or link of this process, which ends in "XXXXXX"; a new
 * string. fs_write() has such ones. */
char *fs_temporary_path(const char *folder);
/* Removes from FOLDER those whose processes were killed. */
void fs_remove_temporary(const char *folder);

/* Renames FROM to TO, in one step. A missing FROM is success: it may have been renamed before. */
gboolean fs_rename(const char *from, const char *to, GError **error);

/*
 * Removes PATH and everything below it, to any depth, without following symlinks or entering
 * mounts. A missing PATH is success. Folders that the caller owns are made writable first. Stops at
 * the first failure, and the error names that file: with rootless storage some files belong to
 * subordinate uids, and we cannot remove them.
 */
gboolean fs_remove_tree(const char *path, GError **error);

/*
 * Locks the file PATH (created with mode 0600 if missing) with flock(2), LOCK_EX. Waits without a
 * limit; calls WAITED (may be NULL) once if that takes more than half a second. Returns the
 * descriptor that holds the lock (close it to unlock), or -1 with ERROR.
 */
int fs_lock(const char *path, void (*waited)(const char *path), GError **error);

/* The same without waiting: -1 with errno when another process holds it, too. */
int fs_try_lock(const char *path);

/* Disk space in bytes (st_blocks) that PATH and everything below it uses, without following
 * symlinks or entering mounts. A file with several hard links counts once. -1 with errno. */
gint64 fs_disk_usage(const char *path);
/* The part of it that the removal of PATH would free: a file counts only when all its hard links
 * are below PATH. *COMPLETE (may be NULL) is FALSE when a folder could not be read. */
gint64 fs_disk_freed(const char *path, gboolean *complete);

/* TRUE when the file of ST belongs to neither the user nor root. */
struct stat;
gboolean fs_is_foreign(const struct stat *st);

/*
 * Returns the real path of PATH (absolute) as a new string, or NULL if it does not exist. Like
 * realpath(3), and also appends each symlink on the way to VIA, as an absolute path (a new string).
 */
char *fs_resolve(const char *path, GPtrArray *via);
/* The same, and appends to LEFT each folder that a ".." on the way leaves: whoever can put a
 * symlink in its place decides where that ".." leads. */
char *fs_resolve_leaving(const char *path, GPtrArray *via, GPtrArray *left);
