#include "box/snapshot/object_store.h"

#include <errno.h>
#include <sodium.h>
#include <unistd.h>
#include <zstd.h>

#include "common/error.h"
#include "common/paths.h"
#include "console/log.h"

struct object_store {
    object_files files;
    GMutex lock;        /* of the two that follow */
    GHashTable *staged; /* of object_id: added, or being added, and not published */
    guint64 added;
    ZSTD_DCtx *decompressor;
    guint8 *out; /* what it writes */
    gsize out_size;
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
    self->decompressor = ZSTD_createDCtx();
    self->out_size = ZSTD_DStreamOutSize();
    self->out = g_malloc(self->out_size);
    g_mutex_init(&self->lock);
    return self;
}

void object_store_close(object_store *self)
{
    if (!self)
        return;
    object_files_close(&self->files);
    g_hash_table_unref(self->staged);
    ZSTD_freeDCtx(self->decompressor);
    g_mutex_clear(&self->lock);
    g_free(self->out);
    g_free(self);
}

guint64 object_store_added(const object_store *self)
{
    return self->added;
}

gboolean object_store_fail(GError **error)
{
    int saved = errno;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot store a snapshot's contents: %s",
                g_strerror(saved));
    return FALSE;
}

/* With the lock. */
static gboolean store_has(const object_store *self, const object_id *id)
{
    return g_hash_table_contains(self->staged, id) || object_files_has(&self->files, id);
}

gboolean object_store_has(object_store *self, const object_id *id)
{
    g_mutex_lock(&self->lock);
    gboolean is_there = store_has(self, id);
    g_mutex_unlock(&self->lock);
    return is_there;
}

gboolean object_store_claim(object_store *self, const object_id *id)
{
    g_mutex_lock(&self->lock);
    gboolean is_new = !store_has(self, id);
    if (is_new)
        g_hash_table_add(self->staged, g_memdup2(id, sizeof *id));
    g_mutex_unlock(&self->lock);
    return is_new;
}

void object_store_count(object_store *self, gsize size)
{
    g_mutex_lock(&self->lock);
    self->added += size;
    g_mutex_unlock(&self->lock);
}

const object_files *object_store_files(const object_store *self)
{
    return &self->files;
}

gboolean object_store_publish(object_store *self, GError **error)
{
    if (!object_files_publish(&self->files, self->staged))
        return object_store_fail(error);
    g_hash_table_remove_all(self->staged);
    return TRUE;
}

static gboolean set_damaged(const object_id *id, GError **error)
{
    char name[OBJECT_ID_TEXT];
    object_id_print(id, name);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "contents of a snapshot are damaged or missing: object %s; where there is a file "
                "with them, the next snapshot stores them again",
                name);
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
        if (n < 0) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot read a snapshot's contents: %s",
                        g_strerror(errno));
            return FALSE;
        }
        if (n == 0)
            return left == 0;
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
    if (!problem || g_error_matches(problem, BOX_ERROR, BOX_ERROR_PROTOCOL)) {
        object_files_set_aside(&self->files, id);
        return set_damaged(id, error);
    }
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

gboolean object_store_collect(object_store *self, GHashTable *used, gboolean dry, guint64 *freed,
                              GError **error)
{
    return object_files_collect(&self->files, used, dry, freed) || object_store_fail(error);
}
