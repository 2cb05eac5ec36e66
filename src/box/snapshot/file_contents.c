#include "box/snapshot/file_contents.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/interrupt.h"

/* Files smaller than this are stored with their holes: a list of them is no shorter. */
#define SPARSE_LEAST 65536

/* What is being read. */
typedef struct {
    int fd;
    guint64 size, data; /* of the file; read so far */
    object_writer *writer;
    guint8 *block;
    const char *why; /* it is left out */
    GError **error;
} reading;

gint64 contents_ctime(const struct stat *st)
{
    return (gint64)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

gint64 contents_mtime(const struct stat *st)
{
    return (gint64)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Up to LENGTH bytes from AT; fewer where the file ends. -1: left out, or failed. */
static gssize read_some(reading *self, guint64 at, gsize length)
{
    ssize_t n;
    do
        n = pread(self->fd, self->block, length, (off_t)at);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        self->why = g_strerror(errno);
    else if ((self->data += (guint64)n) > SNAPSHOT_DATA_MAX)
        self->why = "it is too large";
    return self->why || !interrupt_check(self->error) ? -1 : n;
}

/* From AT to END; *AT moves. What is missing, as the file has become shorter, becomes zeros with
 * PADS. */
static gboolean store_stretch(reading *self, guint64 *at, guint64 end, gboolean pads)
{
    while (*at < end) {
        gssize n = read_some(self, *at, (gsize)MIN(CONTENTS_BLOCK, end - *at));
        if (n < 0)
            return FALSE;
        if (n == 0 && !pads)
            return TRUE;
        if (n == 0) {
            n = (gssize)MIN(CONTENTS_BLOCK, end - *at);
            memset(self->block, 0, (gsize)n);
        }
        if (!object_writer_append(self->writer, self->block, (gsize)n, self->error))
            return FALSE;
        *at += (guint64)n;
    }
    return TRUE;
}

static gboolean store_sparse(reading *self)
{
    for (guint64 at = 0; at < self->size;) {
        off_t data = lseek(self->fd, (off_t)at, SEEK_DATA);
        off_t hole = data < 0 ? -1 : lseek(self->fd, data, SEEK_HOLE);
        if (data < 0 && errno == ENXIO)
            return TRUE; /* a hole up to the end */
        if (data < 0 || hole <= data)
            data = (off_t)at, hole = (off_t)self->size;
        guint64 from = (guint64)data, end = MIN((guint64)hole, self->size);
        if (from >= self->size)
            return TRUE;
        sparse_head head = {from, end - from};
        if (!object_writer_append(self->writer, &head, sizeof head, self->error) ||
            !store_stretch(self, &from, end, TRUE))
            return FALSE;
        at = end;
    }
    return TRUE;
}

static gboolean has_holes(int fd, const struct stat *st)
{
    return st->st_size >= SPARSE_LEAST && (guint64)st->st_blocks * 512 < (guint64)st->st_size &&
           lseek(fd, 0, SEEK_HOLE) < st->st_size;
}

/*
 * Stores what the open file FD, a regular one of ST, has now, and sets object, size and flags of
 * ENTRY. BLOCK is CONTENTS_BLOCK bytes to work with. Reads no more than its size: a file that grows
 * would never end. What is written meanwhile is in it or not, and SNAPSHOT_CHANGED says so.
 */
static enum contents_result contents_store(int fd, const struct stat *st, object_writer *writer,
                                           guint8 *block, snapshot_entry *entry, const char **why,
                                           GError **error)
{
    struct stat after;
    guint64 at = 0;
    g_autoptr(GError) problem = NULL;
    gboolean is_sparse = has_holes(fd, st);
    reading self = {fd, (guint64)st->st_size, 0, writer, block, NULL, &problem};
    object_writer_begin(writer);
    gboolean done =
        (is_sparse ? store_sparse(&self) : store_stretch(&self, &at, self.size, FALSE)) &&
        object_writer_end(writer, &entry->object, &problem);
    if (self.why) {
        *why = self.why;
        return CONTENTS_LEFT_OUT;
    }
    if (!done) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return CONTENTS_FAILED;
    }
    entry->size = is_sparse ? self.size : at;
    entry->flags = is_sparse ? SNAPSHOT_SPARSE : 0;
    if (fstat(fd, &after) < 0 || after.st_size != st->st_size ||
        contents_ctime(&after) != contents_ctime(st) ||
        contents_mtime(&after) != contents_mtime(st))
        entry->flags |= SNAPSHOT_CHANGED;
    return CONTENTS_STORED;
}

#define THREADS_MIN 2
#define THREADS_MAX 4
#define OPEN_MAX_FILES 64

struct contents_queue {
    object_store *store;
    GAsyncQueue *waiting; /* of contents_job */
    GQueue order;         /* of all of them, up to their pop */
    GMutex lock;          /* of is_done */
    GCond done;
    GPtrArray *threads;
};

/* Ends a thread. */
static contents_job stop = {.fd = -1};

void contents_job_free(contents_job *self)
{
    close(self->fd);
    g_clear_error(&self->problem);
    g_free(self->path);
    g_free(self);
}

static gpointer work(gpointer data)
{
    contents_queue *self = data;
    g_autoptr(object_writer) writer = object_writer_new(self->store);
    g_autofree guint8 *block = g_malloc(CONTENTS_BLOCK);
    for (contents_job *job; (job = g_async_queue_pop(self->waiting)) != &stop;) {
        job->result =
            contents_store(job->fd, &job->st, writer, block, &job->entry, &job->why, &job->problem);
        g_mutex_lock(&self->lock);
        job->is_done = TRUE;
        g_cond_signal(&self->done);
        g_mutex_unlock(&self->lock);
    }
    return NULL;
}

contents_queue *contents_queue_new(object_store *store, GError **error)
{
    guint count = CLAMP(g_get_num_processors(), THREADS_MIN, THREADS_MAX);
    g_autoptr(contents_queue) self = g_new0(contents_queue, 1);
    self->store = store;
    self->waiting = g_async_queue_new();
    self->threads = g_ptr_array_new();
    g_queue_init(&self->order);
    g_mutex_init(&self->lock);
    g_cond_init(&self->done);
    while (self->threads->len < count) {
        GThread *thread = g_thread_try_new("contents", work, self, error);
        if (!thread)
            return NULL;
        g_ptr_array_add(self->threads, thread);
    }
    return g_steal_pointer(&self);
}

/* The threads are joined: what comes next may need a process without them (unshare(2)). */
void contents_queue_free(contents_queue *self)
{
    if (!self)
        return;
    for (guint i = 0; i < self->threads->len; i++)
        g_async_queue_push(self->waiting, &stop);
    for (guint i = 0; i < self->threads->len; i++)
        g_thread_join(self->threads->pdata[i]);
    for (contents_job *job; (job = g_queue_pop_head(&self->order));)
        contents_job_free(job);
    g_async_queue_unref(self->waiting);
    g_ptr_array_unref(self->threads);
    g_mutex_clear(&self->lock);
    g_cond_clear(&self->done);
    g_free(self);
}

void contents_queue_push(contents_queue *self, int fd, const struct stat *st,
                         const snapshot_entry *entry)
{
    contents_job *job = g_new0(contents_job, 1);
    *job = (contents_job){.fd = fd, .st = *st, .entry = *entry, .path = g_strdup(entry->path)};
    job->entry.path = job->path;
    g_queue_push_tail(&self->order, job);
    g_async_queue_push(self->waiting, job);
}

gboolean contents_queue_is_full(const contents_queue *self)
{
    return self->order.length >= OPEN_MAX_FILES;
}

contents_job *contents_queue_pop(contents_queue *self)
{
    contents_job *job = g_queue_pop_head(&self->order);
    if (!job)
        return NULL;
    g_mutex_lock(&self->lock);
    while (!job->is_done)
        g_cond_wait(&self->done, &self->lock);
    g_mutex_unlock(&self->lock);
    return job;
}

/* A stretch begins. */
static gboolean begin_stretch(sparse_reader *self)
{
    sparse_head head;
    memcpy(&head, self->head, sizeof head);
    self->has = 0;
    if (!head.length || head.offset < self->at || head.offset > self->size ||
        head.length > self->size - head.offset)
        return FALSE;
    self->at = head.offset;
    self->left = head.length;
    return TRUE;
}

gboolean sparse_next(sparse_reader *self, const guint8 **piece, gsize *length, guint64 *offset,
                     const guint8 **data, gsize *count)
{
    *count = 0;
    if (!self->left) {
        gsize n = MIN(sizeof self->head - self->has, *length);
        memcpy(self->head + self->has, *piece, n);
        self->has += n;
        *piece += n;
        *length -= n;
        if (self->has < sizeof self->head)
            return TRUE;
        if (!begin_stretch(self))
            return FALSE;
    }
    *count = (gsize)MIN(self->left, *length);
    *offset = self->at;
    *data = *piece;
    self->at += *count;
    self->left -= *count;
    *piece += *count;
    *length -= *count;
    return TRUE;
}

gboolean sparse_is_complete(const sparse_reader *self)
{
    return !self->left && !self->has;
}
