/*
 * What a snapshot holds: the names of a box's home and of its project, each with its kind, rights,
 * time, and the object with its contents (object_store.h); and the image of its container
 * (system_image.h). A file, in the machine's byte order:
 *
 *   header    fixed size, and the user's note
 *   entries   each fixed size, with a path and the target of a link. Those of the home come first;
 *             in each part they are sorted by path, so a folder comes before what is in it
 *   checksum  BLAKE2b-256 of all before it
 *
 * A box cannot write such a file. Its names and targets are a box's all the same.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

#include "box/snapshot/object_files.h"

enum snapshot_part {
    SNAPSHOT_HOME,
    SNAPSHOT_PROJECT,
    SNAPSHOT_SYSTEM, /* the container's own files: no entries, and an image instead */
    SNAPSHOT_PARTS
};
/* "home", "project", "system". */
const char *snapshot_part_name(enum snapshot_part part);

/* Why it was made, which decides how long it is kept. */
enum snapshot_reason { SNAPSHOT_BY_USER, SNAPSHOT_AUTO, SNAPSHOT_BEFORE_RESTORE, SNAPSHOT_REASONS };
/* "user", "auto", "before restore". */
const char *snapshot_reason_name(enum snapshot_reason reason);

enum snapshot_kind { SNAPSHOT_FILE = 1, SNAPSHOT_FOLDER, SNAPSHOT_LINK };

enum snapshot_entry_flags {
    SNAPSHOT_SPARSE =
        1 << 0, /* the object is a list of what lies between holes (file_contents.h) */
    SNAPSHOT_CHANGED = 1 << 1, /* somebody wrote the file while it was read */
};

#define SNAPSHOT_PATH_MAX 4095
#define SNAPSHOT_NOTE_MAX 200
#define SNAPSHOT_ENTRIES_MAX 4000000
#define SNAPSHOT_FILE_MAX (1u << 30)

typedef struct {
    const char *path;   /* relative to the part's folder, any bytes; the manifest's */
    const char *target; /* of a link; else "" */
    guint8 part, kind, flags;
    guint32 mode; /* rights alone, without set-ID bits */
    gint64 mtime; /* nanoseconds */
    guint64 size; /* of a file */
    /* They show that a file is still the same one: */
    guint64 device, inode;
    gint64 ctime;     /* nanoseconds */
    object_id object; /* of a file */
} snapshot_entry;

typedef struct {
    guint64 entries, bytes; /* what there is */
    guint64 stored;         /* bytes on the disk that were new with this snapshot */
    guint64 left_out;       /* entries that could not be read, or are no file, folder or link */
} snapshot_sum;

typedef struct {
    gint64 time;    /* seconds since 1970 */
    gint64 settled; /* nanoseconds: what was changed before then was surely read as it was then */
    enum snapshot_reason reason;
    gboolean running; /* the box ran meanwhile */
    gboolean paused;  /* its programs were stopped while it was read, and those of its branches */
    gboolean has[SNAPSHOT_PARTS];
    snapshot_sum sum[SNAPSHOT_PARTS];
    object_id image, base; /* with SNAPSHOT_SYSTEM: Podman's IDs of its image, and of what that is
                              on */
    char *note;            /* the user's text, UTF-8; "" */
} snapshot_header;
void snapshot_header_clear(snapshot_header *self);
/* TRUE when no program of the box can have written while it was read. */
gboolean snapshot_header_is_consistent(const snapshot_header *self);

typedef struct {
    snapshot_header header;
    GArray *entries[SNAPSHOT_PARTS]; /* of snapshot_entry, sorted */
    GStringChunk *texts;
    guint64 size; /* bytes of the file at most */
} snapshot_manifest;

snapshot_manifest *snapshot_manifest_new(void);
void snapshot_manifest_free(snapshot_manifest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(snapshot_manifest, snapshot_manifest_free)

/* Adds ENTRY, whose texts are copied. In any order, before snapshot_manifest_sort(). FALSE: no more
 * fits into a file, so none is to be made; a box can make millions of names of 4 KiB with few
 * files. */
gboolean snapshot_manifest_add(snapshot_manifest *self, const snapshot_entry *entry);
/* Of entries with one path it keeps one. */
void snapshot_manifest_sort(snapshot_manifest *self);
/* NULL when PART has no such PATH. */
const snapshot_entry *snapshot_manifest_find(const snapshot_manifest *self, enum snapshot_part part,
                                             const char *path);

/* The file. */
GByteArray *snapshot_manifest_write(const snapshot_manifest *self);
/* NULL: DATA is not such a file. */
snapshot_manifest *snapshot_manifest_parse(const guint8 *data, gsize length);
/* The header of such a file, of which DATA may be only the begin. It is not checked by the
 * checksum. FALSE: there is none. */
gboolean snapshot_header_parse(const guint8 *data, gsize length, snapshot_header *header);
/* DATA so long has all of a header. */
#define SNAPSHOT_HEADER_MAX 512

/* How two snapshots, or a snapshot and what is there now, differ. */

typedef struct {
    const snapshot_entry *before, *after; /* the manifests'; NULL: there is nothing */
} snapshot_change;

/* Of PART, sorted by path; an array of snapshot_change. Times do not count. */
GArray *snapshot_compare(const snapshot_manifest *before, const snapshot_manifest *after,
                         enum snapshot_part part);
