#include "box/snapshot/object_store.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/error.h"
#include "common/fs.h"

/* Contents of this size are hashed before they are compressed, as most are there already. */
#define WHOLE_MAX ((gsize)1 << 20)
/* Higher levels cost three times the time for a tenth of the size. */
#define LEVEL 1

struct object_writer {
    object_store *store;
    ZSTD_CCtx *compressor;
    guint8 *out; /* what it writes */
    gsize out_size;
    char part_name[32]; /* in staging, of this writer alone */
    /* What is being added: */
    GByteArray *whole; /* all of it, up to WHOLE_MAX; then: */
    int part;          /* its file; -1: it is in WHOLE */
    crypto_generichash_state hash;
};

object_writer *object_writer_new(object_store *store)
{
    object_writer *self = g_new0(object_writer, 1);
    self->store = store;
    self->compressor = ZSTD_createCCtx();
    self->out_size = ZSTD_compressBound(WHOLE_MAX);
    self->out = g_malloc(self->out_size);
    self->whole = g_byte_array_new();
    self->part = -1;
    snprintf(self->part_name, sizeof self->part_name, "part-%p", (void *)self);
    ZSTD_CCtx_setParameter(self->compressor, ZSTD_c_compressionLevel, LEVEL);
    return self;
}

void object_writer_free(object_writer *self)
{
    if (!self)
        return;
    object_writer_begin(self);
    ZSTD_freeCCtx(self->compressor);
    g_byte_array_unref(self->whole);
    g_free(self->out);
    g_free(self);
}

static gboolean fail_zstd(size_t code, GError **error)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot compress a snapshot's contents: %s",
                ZSTD_getErrorName(code));
    return FALSE;
}

void object_writer_begin(object_writer *self)
{
    g_byte_array_set_size(self->whole, 0);
    if (self->part < 0)
        return;
    close(self->part);
    self->part = -1;
}

static gboolean compress_piece(object_writer *self, const void *data, gsize length,
                               ZSTD_EndDirective end, GError **error)
{
    ZSTD_inBuffer in = {data, length, 0};
    for (;;) {
        ZSTD_outBuffer out = {self->out, self->out_size, 0};
        size_t left = ZSTD_compressStream2(self->compressor, &out, &in, end);
        if (ZSTD_isError(left))
            return fail_zstd(left, error);
        if (!fs_write_all(self->part, out.dst, out.pos))
            return object_store_fail(error);
        if (end == ZSTD_e_end ? left == 0 : in.pos == in.size)
            return TRUE;
    }
}

static gboolean append_large(object_writer *self, const void *data, gsize length, GError **error)
{
    crypto_generichash_update(&self->hash, data, length);
    return compress_piece(self, data, length, ZSTD_e_continue, error);
}

/* From now on the contents go to a file. */
static gboolean begin_large(object_writer *self, GError **error)
{
    self->part = object_files_create(object_store_files(self->store), self->part_name);
    if (self->part < 0)
        return object_store_fail(error);
    ZSTD_CCtx_reset(self->compressor, ZSTD_reset_session_only);
    crypto_generichash_init(&self->hash, NULL, 0, OBJECT_ID_SIZE);
    return append_large(self, self->whole->data, self->whole->len, error);
}

gboolean object_writer_append(object_writer *self, const void *data, gsize length, GError **error)
{
    if (self->part >= 0)
        return append_large(self, data, length, error);
    if (self->whole->len + length <= WHOLE_MAX) {
        g_byte_array_append(self->whole, data, (guint)length);
        return TRUE;
    }
    return begin_large(self, error) && append_large(self, data, length, error);
}

static gboolean end_whole(object_writer *self, object_id *id, GError **error)
{
    char name[OBJECT_ID_TEXT];
    object_id_of(self->whole->data, self->whole->len, id);
    if (!object_store_claim(self->store, id))
        return TRUE;
    size_t size = ZSTD_compress2(self->compressor, self->out, self->out_size, self->whole->data,
                                 self->whole->len);
    if (ZSTD_isError(size))
        return fail_zstd(size, error);
    object_id_print(id, name);
    int fd = object_files_create(object_store_files(self->store), name);
    gboolean done = fd >= 0 && fs_write_all(fd, (const char *)self->out, size);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (!done)
        return object_store_fail(error);
    object_store_count(self->store, size);
    return TRUE;
}

static gboolean end_large(object_writer *self, object_id *id, GError **error)
{
    struct stat st;
    if (!compress_piece(self, NULL, 0, ZSTD_e_end, error))
        return FALSE;
    crypto_generichash_final(&self->hash, id->bytes, sizeof id->bytes);
    if (!object_store_claim(self->store, id))
        return TRUE;
    if (fstat(self->part, &st) < 0 ||
        object_files_name(object_store_files(self->store), self->part_name, id) < 0)
        return object_store_fail(error);
    object_store_count(self->store, (gsize)st.st_size);
    return TRUE;
}

gboolean object_writer_end(object_writer *self, object_id *id, GError **error)
{
    gboolean done = self->part < 0 ? end_whole(self, id, error) : end_large(self, id, error);
    object_writer_begin(self);
    return done;
}
