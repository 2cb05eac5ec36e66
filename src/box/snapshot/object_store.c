#include "box/snapshot/object_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "box/snapshot/object_files.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "console/log.h"

/* Contents of this size are hashed before they are compressed, as most are there already. */
#define WHOLE_MAX ((gsize)1 << 20)
/* Higher levels cost three times the time for a tenth of the size. */
#define LEVEL 1

struct object_store {
    object_files files;
    GHashTable *staged; /* of object_id: added, not published */
    guint64 added;
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *decompressor;
    guint8 *out; /* what the compressor writes */
    gsize out_size;
    /* What is being added: */
    GByteArray *whole; /* all of it, up to WHOLE_MAX; then: */
    int part;          /* its file; -1: it is in WHOLE */
    crypto_generichash_state hash;
};

static void say_waited(const char *path)
{
    (void)path;
    log_note("waiting for another 'box snapshot'");
}

object_store *object_store_open(GError **error)
{
    object_files files;
    g_autofree char *top = paths_data("snapshots");
    if (sodium_init() < 0) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, "libsodium cannot be set up");
        return NULL;
    }
    if (!object_files_open(&files, top, say_waited, error))
        return NULL;
    object_store *self = g_new0(object_store, 1);
    self->files = files;
    self->staged = g_hash_table_new_full(object_id_hash, object_id_equal, g_free, NULL);
    self->compressor = ZSTD_createCCtx();
    self->decompressor = ZSTD_createDCtx();
    self->out_size = ZSTD_compressBound(WHOLE_MAX);
    self->out = g_malloc(self->out_size);
    self->whole = g_byte_array_new();
    self->part = -1;
    ZSTD_CCtx_setParameter(self->compressor, ZSTD_c_compressionLevel, LEVEL);
    return self;
}

void object_store_close(object_store *self)
{
    if (!self)
        return;
    object_store_begin(self);
    object_files_close(&self->files);
    g_hash_table_unref(self->staged);
    ZSTD_freeCCtx(self->compressor);
    ZSTD_freeDCtx(self->decompressor);
    g_byte_array_unref(self->whole);
    g_free(self->out);
    g_free(self);
}

guint64 object_store_added(const object_store *self)
{
    return self->added;
}

static gboolean fail_add(GError **error)
{
    int saved = errno;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot store a snapshot's contents: %s",
                g_strerror(saved));
    return FALSE;
}

static gboolean fail_zstd(size_t code, GError **error)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot compress a snapshot's contents: %s",
                ZSTD_getErrorName(code));
    return FALSE;
}

void object_store_begin(object_store *self)
{
    g_byte_array_set_size(self->whole, 0);
    if (self->part < 0)
        return;
    close(self->part);
    self->part = -1;
}

static gboolean compress_piece(object_store *self, const void *data, gsize length,
                               ZSTD_EndDirective end, GError **error)
{
    ZSTD_inBuffer in = {data, length, 0};
    for (;;) {
        ZSTD_outBuffer out = {self->out, self->out_size, 0};
        size_t left = ZSTD_compressStream2(self->compressor, &out, &in, end);
        if (ZSTD_isError(left))
            return fail_zstd(left, error);
        if (!fs_write_all(self->part, out.dst, out.pos))
            return fail_add(error);
        if (end == ZSTD_e_end ? left == 0 : in.pos == in.size)
            return TRUE;
    }
}

static gboolean append_large(object_store *self, const void *data, gsize length, GError **error)
{
    crypto_generichash_update(&self->hash, data, length);
    return compress_piece(self, data, length, ZSTD_e_continue, error);
}

/* From now on the contents go to a file. */
static gboolean begin_large(object_store *self, GError **error)
{
    self->part = object_files_create(&self->files, OBJECT_PART);
    if (self->part < 0)
        return fail_add(error);
    ZSTD_CCtx_reset(self->compressor, ZSTD_reset_session_only);
    crypto_generichash_init(&self->hash, NULL, 0, OBJECT_ID_SIZE);
    return append_large(self, self->whole->data, self->whole->len, error);
}

gboolean object_store_append(object_store *self, const void *data, gsize length, GError **error)
{
    if (self->part >= 0)
        return append_large(self, data, length, error);
    if (self->whole->len + length <= WHOLE_MAX) {
        g_byte_array_append(self->whole, data, (guint)length);
        return TRUE;
    }
    return begin_large(self, error) && append_large(self, data, length, error);
}

static gboolean has(const object_store *self, const object_id *id)
{
    return g_hash_table_contains(self->staged, id) || object_files_has(&self->files, id);
}

static void note_staged(object_store *self, const object_id *id, gsize size)
{
    g_hash_table_add(self->staged, g_memdup2(id, sizeof *id));
    self->added += size;
}

static gboolean end_whole(object_store *self, object_id *id, GError **error)
{
    char name[OBJECT_ID_TEXT];
    object_id_of(self->whole->data, self->whole->len, id);
    if (has(self, id))
        return TRUE;
    size_t size = ZSTD_compress2(self->compressor, self->out, self->out_size, self->whole->data,
                                 self->whole->len);
    if (ZSTD_isError(size))
        return fail_zstd(size, error);
    object_id_print(id, name);
    int fd = object_files_create(&self->files, name);
    gboolean done = fd >= 0 && fs_write_all(fd, (const char *)self->out, size);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (!done)
        return fail_add(error);
    note_staged(self, id, size);
    return TRUE;
}

static gboolean end_large(object_store *self, object_id *id, GError **error)
{
    struct stat st;
    if (!compress_piece(self, NULL, 0, ZSTD_e_end, error))
        return FALSE;
    crypto_generichash_final(&self->hash, id->bytes, sizeof id->bytes);
    if (has(self, id))
        return TRUE;
    if (fstat(self->part, &st) < 0 || object_files_name_part(&self->files, id) < 0)
        return fail_add(error);
    note_staged(self, id, (gsize)st.st_size);
    return TRUE;
}

gboolean object_store_end(object_store *self, object_id *id, GError **error)
{
    gboolean done = self->part < 0 ? end_whole(self, id, error) : end_large(self, id, error);
    object_store_begin(self);
    return done;
}

gboolean object_store_publish(object_store *self, GError **error)
{
    if (!object_files_publish(&self->files, self->staged))
        return fail_add(error);
    g_hash_table_remove_all(self->staged);
    return TRUE;
}

static gboolean set_damaged(const object_id *id, GError **error)
{
    char name[OBJECT_ID_TEXT];
    object_id_print(id, name);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "contents of a snapshot are damaged or missing: object %s", name);
    return FALSE;
}

/* Passes what the open file FD has to SINK. FALSE without ERROR: it is damaged. */
static gboolean read_object(object_store *self, int fd, crypto_generichash_state *hash,
                            object_sink sink, void *data, GError **error)
{
    g_autofree guint8 *block = g_malloc(ZSTD_DStreamInSize());
    size_t left = 1;
    ZSTD_DCtx_reset(self->decompressor, ZSTD_reset_session_only);
    for (;;) {
        ssize_t n = read(fd, block, ZSTD_DStreamInSize());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0 && left == 0;
        ZSTD_inBuffer in = {block, (size_t)n, 0};
        ZSTD_outBuffer out = {self->out, self->out_size, 0};
        do {
            out.pos = 0;
            left = ZSTD_decompressStream(self->decompressor, &out, &in);
            if (ZSTD_isError(left))
                return FALSE;
            crypto_generichash_update(hash, out.dst, out.pos);
            if (out.pos && !sink(data, out.dst, out.pos, error))
                return FALSE;
        } while (in.pos < in.size || (left && out.pos == out.size));
    }
}

gboolean object_store_read(object_store *self, const object_id *id, object_sink sink, void *data,
                           GError **error)
{
    object_id found;
    g_autoptr(GError) problem = NULL;
    crypto_generichash_state hash;
    int fd = object_files_read(&self->files, id);
    if (fd < 0)
        return set_damaged(id, error);
    crypto_generichash_init(&hash, NULL, 0, OBJECT_ID_SIZE);
    gboolean done = read_object(self, fd, &hash, sink, data, &problem);
    close(fd);
    crypto_generichash_final(&hash, found.bytes, sizeof found.bytes);
    if (done && object_id_equal(&found, id))
        return TRUE;
    if (!problem)
        return set_damaged(id, error);
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

gboolean object_store_collect(object_store *self, GHashTable *used, guint64 *freed, GError **error)
{
    return object_files_collect(&self->files, used, freed) || fail_add(error);
}
