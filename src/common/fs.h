/*
 * Files on the host that a box may have had its hands on: opened without following what it planted.
 *
 * Rules: a path below a folder that a box can write (project, home) is opened relative to a folder
 * descriptor with openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS); what must survive a crash is
 * written to a temporary file, synced and renamed; every read has a ceiling.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Opens PATH (relative) below the folder DIRFD, following no symlink and leaving it by no "..":
 * openat2 RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS. FLAGS as for open(2);
 * O_CLOEXEC and O_NOCTTY are added. Returns a descriptor, or -1 with errno.
 */
int fs_open_beneath(int dirfd, const char *path, int flags, mode_t mode);

/*
 * Opens PATH, which a process whose root is the folder ROOT would know by that name: no link in it
 * leads out of ROOT. Otherwise as above.
 */
int fs_open_in_root(int root, const char *path, int flags);

/*
 * Makes the folder PATH (absolute) and its missing parents with MODE. FALSE when a part exists and
 * is no folder, or when the last part is not owned by the caller: a folder that someone else owns
 * must hold nothing of ours.
 */
gboolean fs_make_folder(const char *path, mode_t mode, GError **error);

/*
 * Reads a regular file of at most MAX bytes into *DATA (NUL-terminated after LENGTH bytes; LENGTH
 * may be NULL). PATH is relative to DIRFD (AT_FDCWD allowed). The last part is not followed when it
 * is a symlink. Fails with G_FILE_ERROR (NOENT and so on), or BOX_ERROR_FAILED when too large or no
 * regular file.
 */
gboolean fs_read(int dirfd, const char *path, gsize max, char **data, gsize *length,
                 GError **error);

/* The same for a file that is open as FD (stays open); NAME is for messages. */
gboolean fs_read_fd(int fd, const char *name, gsize max, char **data, gsize *length,
                    GError **error);

/* Writes all of LENGTH bytes to FD. FALSE with errno. */
gboolean fs_write_all(int fd, const char *data, gsize length);

/*
 * Writes LENGTH bytes (-1: a string) to PATH: temporary file in the same folder, fsync, rename,
 * fsync of the folder. After a crash or on a full disk the old contents are whole.
 */
gboolean fs_write(const char *path, const char *data, gssize length, mode_t mode, GError **error);

/*
 * Removes PATH and all below it, crossing no symlink and no mount (fd-relative, any depth). A
 * missing PATH is success; folders of the caller's that lack permissions get them. Stops at the
 * first failure. With rootless storage some files belong to subuids and cannot be removed by us:
 * the error then names the first.
 */
gboolean fs_remove_tree(const char *path, GError **error);

/*
 * Takes the lock file PATH (made when missing, mode 0600) with flock(LOCK_EX), waiting as long as
 * it takes; WAITED (may be NULL) is called once when it has to wait for more than half a second.
 * Returns the descriptor that holds the lock (close it to release), or -1 with ERROR.
 */
int fs_lock(const char *path, void (*waited)(const char *path), GError **error);

/* Bytes used below PATH (st_blocks), crossing no symlink and no mount; a file with several names
 * counts once. -1 with errno. */
gint64 fs_disk_usage(const char *path);
