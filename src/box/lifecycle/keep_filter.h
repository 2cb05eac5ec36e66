/*
 * What of a box's old container goes into its new one with 'box apply --keep-files': from the tar
 * of the old container's files makes the tar that Podman extracts in the new one. No file is
 * touched here, and nothing is asked of Podman.
 *
 * The box made the names and files, and may be hostile. Only files, folders and links come through;
 * without setuid and setgid bits, capabilities and other extended attributes, for the new box may
 * allow less than the old one did; with clean absolute names that were asked for, each once; never
 * below a link of the same tar; hard links only to files of the same tar; and not more than
 * KEEP_BYTES_MAX together.
 */
#pragma once

#include <glib.h>

/* Bytes of all files together. */
#define KEEP_BYTES_MAX ((guint64)16 << 30)
/* Bytes of the whole tar, most of which is the image: a sparse file of no size has a huge one. */
#define KEEP_STREAM_MAX ((guint64)256 << 30)

typedef enum {
    KEEP_WANTED, /* not yet in the tar */
    KEEP_KEPT,   /* files and links; folders are not counted */
    /* Not kept. */
    KEEP_IMAGE,   /* the new image is another one, and has its own */
    KEEP_MOUNT,   /* a mount of the new box covers it */
    KEEP_SPECIAL, /* a device or FIFO */
    KEEP_LINKED,  /* a hard link to a file that is not kept */
    KEEP_OWNER,   /* its owner is no user of the box */
    KEEP_MISSING, /* not in the tar: a socket, or a name that is not UTF-8 */
    /* More about files that are kept, and about deleted ones. */
    KEEP_STRIPPED, /* has lost its setuid or setgid bit or its capabilities */
    KEEP_RETURNS,  /* was deleted, and is there again */
    KEEP_FATES,
} keep_fate;

/* How many files have a fate, and one of them. */
typedef struct {
    guint count;
    char *example;
} keep_tally;

/* Receives a piece of the new tar. */
typedef gboolean (*keep_write_func)(const char *data, gsize length, gpointer user_data,
                                    GError **error);

typedef struct keep_filter keep_filter;

/* UIDS and GIDS: how Podman maps the container's ids, "CONTAINER:OUTSIDE:COUNT"; NULL: they are the
 * same. NULL with ERROR when that makes no sense. */
keep_filter *keep_filter_new(const char *const *uids, const char *const *gids,
                             keep_write_func write, gpointer user_data, GError **error);
void keep_filter_free(keep_filter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(keep_filter, keep_filter_free)

/* PATH is to be kept. */
void keep_filter_want(keep_filter *self, const char *path);
/* PATH is to be kept if it is there, and is not counted then. */
void keep_filter_want_uncounted(keep_filter *self, const char *path);
/* PATH has another FATE, which was decided elsewhere. */
void keep_filter_tell(keep_filter *self, const char *path, keep_fate fate);
/* TRUE when a path is still wanted. */
gboolean keep_filter_is_waiting(const keep_filter *self);

/* The next piece of the old tar, and its end. FALSE with ERROR: nothing of the new tar may be used.
 */
gboolean keep_filter_feed(keep_filter *self, const char *data, gsize length, GError **error);
gboolean keep_filter_end(keep_filter *self, GError **error);

/* Owned by SELF. Valid after keep_filter_end(). */
const keep_tally *keep_filter_tally(const keep_filter *self, keep_fate fate);
/* Bytes of the files that are kept. */
guint64 keep_filter_bytes(const keep_filter *self);
