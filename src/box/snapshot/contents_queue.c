#include "box/snapshot/contents_queue.h"

#include <unistd.h>

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
