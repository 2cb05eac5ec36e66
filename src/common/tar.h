/* Reads and writes tar archives (POSIX.1-2001 "pax", ustar). */
#pragma once

#include <glib.h>

#define TAR_BLOCK 512

/* Bytes of a name or of a link's target, as the kernel's PATH_MAX. */
#define TAR_NAME_MAX 4096

/* Types, as the header has them. */
enum {
    TAR_FILE = '0',
    TAR_HARD_LINK = '1',
    TAR_SYMLINK = '2',
    TAR_CHARACTER_DEVICE = '3',
    TAR_BLOCK_DEVICE = '4',
    TAR_FOLDER = '5',
    TAR_FIFO = '6',
};

typedef struct {
    char type;
    guint32 mode; /* 07777 */
    guint64 uid, gid;
    guint64 size;            /* of the contents that follow; 0 unless TYPE is TAR_FILE */
    gint64 mtime;            /* seconds since 1970 */
    const char *name;        /* as it is in the archive; never empty */
    const char *target;      /* of a link, never empty there; else "" */
    gboolean has_capability; /* the extended attribute "security.capability" */
} tar_entry;

/*
 * tar_reader.c: reads a tar archive that comes in pieces, such as Podman's export of a container.
 * The archive is hostile: names, numbers and headers have limits, and what is not plain ustar or
 * pax is an error.
 *
 * Own code, because libarchive pulls its input and the HTTP client pushes it, and because two
 * formats and seven types of entries are far less to attack than what libarchive understands.
 */

/* Bytes of one pax header. Extended attributes make it larger than the names alone. */
#define TAR_PAX_MAX (1 << 20)

typedef struct {
    /* An entry begins. Its strings are valid in the call. */
    gboolean (*entry)(const tar_entry *entry, gpointer user_data, GError **error);
    /* A piece of the contents of the last entry. */
    gboolean (*contents)(const char *data, gsize length, gpointer user_data, GError **error);
} tar_handler;

typedef struct tar_reader tar_reader;

/* HANDLER and USER_DATA must live as long as the reader. */
tar_reader *tar_reader_new(const tar_handler *handler, gpointer user_data);
void tar_reader_free(tar_reader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(tar_reader, tar_reader_free)

/* The next LENGTH bytes of the archive. FALSE with BOX_ERROR_PROTOCOL when they are none, or with
 * the handler's error. */
gboolean tar_reader_feed(tar_reader *self, const char *data, gsize length, GError **error);
/* FALSE with ERROR unless the archive had its end mark. */
gboolean tar_reader_end(const tar_reader *self, GError **error);

/* What the records of a pax header ("LENGTH KEY=VALUE\n" …) say; a key that is not there leaves
 * its field as it is. NAME and TARGET are new strings. */
typedef struct {
    char *name, *target;
    gboolean has_uid, has_gid, has_size, has_mtime, has_capability;
    guint64 uid, gid, size;
    gint64 mtime;
} tar_pax;
/* For the tests, too. FALSE when they are broken. */
gboolean tar_pax_parse(const char *data, gsize length, tar_pax *pax);
void tar_pax_clear(tar_pax *pax);

/* tar_writer.c: writes a tar archive: ustar, with pax headers for what does not fit. */

/* Appends the headers of ENTRY to OUT. ENTRY->size bytes of contents follow for a file, and then
 * zeros up to a whole block (tar_padding()). */
void tar_write_header(GString *out, const tar_entry *entry);
/* Appends the zeros behind SIZE bytes of contents. */
void tar_write_padding(GString *out, guint64 size);
/* Appends the end mark. */
void tar_write_end(GString *out);
