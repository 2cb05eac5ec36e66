#include "host/bridge/clipboard/exchange.h"

#include <stdlib.h>

/* How often a box may read the desktop's clipboard, and replace it. */
static const struct token_bucket reads = {.burst = 20, .refill_ms = 500};
static const struct token_bucket writes = {.gap_ms = 300, .burst = 5, .refill_ms = 2000};
/* Between two tries while the rate limit delays a fetch. */
#define RETRY_MS 100

void exchange_begin(struct exchange *self)
{
    self->reads = reads;
    self->writes = writes;
}

static void clear(struct exchange_content *contents)
{
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        free(contents[kind].data);
        contents[kind] = (struct exchange_content){0};
    }
}

static void refuse(struct exchange *self, int end, int token)
{
    self->ends[end].give(self->ends[end].self, token, NULL, 0);
}

/* From the box. */

static void publish(struct exchange *self)
{
    unsigned kinds = 0;
    for (int kind = 0; kind < CLIP_KINDS; kind++)
        kinds |= self->fetched[kind].data ? CLIP_HAS(kind) : 0;
    /* Fetching may have taken long, and the user may have left the box's windows. */
    if (!kinds || !self->may_write())
        return;
    clear(self->published);
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        self->published[kind] = self->fetched[kind];
        self->fetched[kind] = (struct exchange_content){0};
    }
    self->ends[EXCHANGE_HOST].offer(self->ends[EXCHANGE_HOST].self, kinds);
}

/* Fetches one kind after the other, then publishes all at once. */
static void fetch_next_from_box(struct exchange *self)
{
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        if (!(self->to_fetch & CLIP_HAS(kind)))
            continue;
        self->ends[EXCHANGE_BOX].fetch(self->ends[EXCHANGE_BOX].self, kind);
        return;
    }
    publish(self);
}

static void try_to_fetch(struct exchange *self, int64_t now)
{
    if (!token_bucket_take(&self->writes, now))
        return;
    self->is_delayed = 0;
    fetch_next_from_box(self);
}

static void offered_by_box(struct exchange *self, unsigned kinds, int64_t now)
{
    clear(self->fetched);
    self->is_delayed = 0;
    self->to_fetch = kinds;
    /* A copy that may not be published now is dropped, so that it cannot replace the clipboard
     * later. */
    if (!(self->directions & EXCHANGE_FROM_BOX) || !kinds || !self->may_write()) {
        self->to_fetch = 0;
        return;
    }
    self->is_delayed = 1;
    try_to_fetch(self, now);
}

static void fetched_from_box(struct exchange *self, int kind, unsigned char *data, size_t length)
{
    if (!(self->to_fetch & CLIP_HAS(kind))) {
        free(data);
        return;
    }
    self->to_fetch &= ~CLIP_HAS(kind);
    if (data && clip_clean(kind, data, &length) < 0) {
        free(data);
        data = NULL;
    }
    free(self->fetched[kind].data);
    self->fetched[kind] = (struct exchange_content){data, length};
    fetch_next_from_box(self);
}

/* To the box. */

static void fetch_next_from_host(struct exchange *self)
{
    if (self->is_fetching || self->n_waiting == 0)
        return;
    self->is_fetching = 1;
    self->ends[EXCHANGE_HOST].fetch(self->ends[EXCHANGE_HOST].self, self->waiting[0].kind);
}

/* Answers all programs that wait for KIND (-1: for any). */
static void answer(struct exchange *self, int kind, const unsigned char *data, size_t length)
{
    struct exchange_port *box = &self->ends[EXCHANGE_BOX];
    int left = 0;
    for (int i = 0; i < self->n_waiting; i++) {
        if (kind < 0 || self->waiting[i].kind == kind)
            box->give(box->self, self->waiting[i].token, data, length);
        else
            self->waiting[left++] = self->waiting[i];
    }
    self->n_waiting = left;
}

/* Drops requests for the previous content. */
static void offered_by_host(struct exchange *self, unsigned kinds)
{
    self->is_fetching = 0;
    answer(self, -1, NULL, 0);
    self->host_kinds = self->directions & EXCHANGE_TO_BOX ? kinds : 0;
    if (self->directions & EXCHANGE_TO_BOX)
        self->ends[EXCHANGE_BOX].offer(self->ends[EXCHANGE_BOX].self, kinds);
}

static void wanted_by_box(struct exchange *self, int kind, int token, int64_t now)
{
    if (!(self->directions & EXCHANGE_TO_BOX) || !(self->host_kinds & CLIP_HAS(kind)) ||
        self->n_waiting == EXCHANGE_WAITING_MAX || !token_bucket_take(&self->reads, now) ||
        !self->may_read()) {
        refuse(self, EXCHANGE_BOX, token);
        return;
    }
    self->waiting[self->n_waiting].token = token;
    self->waiting[self->n_waiting++].kind = kind;
    fetch_next_from_host(self);
}

static void fetched_from_host(struct exchange *self, int kind, unsigned char *data, size_t length)
{
    int is_valid = data && length <= CLIP_MAX;
    self->is_fetching = 0;
    answer(self, kind, is_valid ? data : NULL, is_valid ? length : 0);
    free(data);
    fetch_next_from_host(self);
}

void exchange_offered(struct exchange *self, int end, unsigned kinds, int64_t now)
{
    if (end == EXCHANGE_BOX)
        offered_by_box(self, kinds, now);
    else
        offered_by_host(self, kinds);
}

void exchange_wanted(struct exchange *self, int end, int kind, int token, int64_t now)
{
    const struct exchange_content *content = &self->published[kind];
    if (end == EXCHANGE_BOX)
        wanted_by_box(self, kind, token, now);
    else if (content->data)
        self->ends[end].give(self->ends[end].self, token, content->data, content->length);
    else
        refuse(self, end, token);
}

void exchange_fetched(struct exchange *self, int end, int kind, unsigned char *data, size_t length)
{
    if (end == EXCHANGE_BOX)
        fetched_from_box(self, kind, data, length);
    else
        fetched_from_host(self, kind, data, length);
}

int exchange_due(struct exchange *self, int64_t now)
{
    if (self->is_delayed)
        try_to_fetch(self, now);
    return self->is_delayed ? RETRY_MS : -1;
}
