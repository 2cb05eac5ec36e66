#include "host/bridge/clipboard/exchange.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define SIGNATURE_SIZE 8
/* Length, name and checksum of a chunk. */
#define CHUNK_FRAME 12
#define HEADER_SIZE 13

static const char *const types[CLIP_KINDS] = {CLIP_TYPE_TEXT, CLIP_TYPE_PICTURE};

int clip_kind_of(const char *type)
{
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        if (strcmp(type, types[kind]) == 0)
            return kind;
    }
    return -1;
}

const char *clip_type(int kind)
{
    return types[kind];
}

/* Length of the UTF-8 character at AT; 0 when it is not valid, or longer than LEFT. */
static size_t character(const unsigned char *at, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    *code = n == 1 ? *at : *at & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (at[i] & 0x3f);
    }
    return *code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : n;
}

static int is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
           (code >= 0x7f && code < 0xa0);
}

static int clean_text(unsigned char *data, size_t *length)
{
    size_t kept = 0, n;
    for (size_t at = 0; at < *length; at += n) {
        uint32_t code;
        n = character(data + at, *length - at, &code);
        if (n == 0)
            return -1;
        if (is_control(code))
            continue;
        memmove(data + kept, data + at, n);
        kept += n;
    }
    *length = kept;
    return kept > 0 ? 0 : -1;
}

static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int is_reasonable(uint32_t width, uint32_t height)
{
    return width > 0 && height > 0 && width <= CLIP_PIXELS_MAX && height <= CLIP_PIXELS_MAX &&
           width * height <= CLIP_AREA_MAX;
}

/* AT: the first chunk, of which LEFT bytes are there. */
static int check_header(const unsigned char *at, size_t left)
{
    return left >= CHUNK_FRAME + HEADER_SIZE && number(at) == HEADER_SIZE &&
                   memcmp(at + 4, "IHDR", 4) == 0 && is_reasonable(number(at + 8), number(at + 12))
               ? 0
               : -1;
}

/* The chunks that pass: pixels, palette, transparency, and color data of a fixed size. */
static int is_passed(const unsigned char *name)
{
    static const char names[][5] = {"IHDR", "PLTE", "IDAT", "IEND", "tRNS",
                                    "gAMA", "cHRM", "sRGB", "pHYs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (memcmp(name, names[i], 4) == 0)
            return 1;
    }
    return 0;
}

/* A critical chunk (PNG, 5.4: bit 5 of the first byte is 0) cannot be left out. */
static int is_critical(const unsigned char *name)
{
    return !(name[0] & 0x20);
}

/* Nothing may follow the last chunk: another file could be hidden there. */
static int clean_picture(unsigned char *data, size_t *length)
{
    if (*length < SIGNATURE_SIZE || memcmp(data, SIGNATURE, SIGNATURE_SIZE) != 0 ||
        check_header(data + SIGNATURE_SIZE, *length - SIGNATURE_SIZE) < 0)
        return -1;
    size_t kept = SIGNATURE_SIZE, chunk;
    for (size_t at = SIGNATURE_SIZE; *length - at >= CHUNK_FRAME; at += chunk) {
        const unsigned char *name = data + at + 4;
        size_t size = number(data + at);
        chunk = CHUNK_FRAME + size;
        if (size > *length - at - CHUNK_FRAME || (is_critical(name) && !is_passed(name)))
            return -1;
        int is_last = memcmp(name, "IEND", 4) == 0;
        if (is_passed(name)) {
            memmove(data + kept, data + at, chunk);
            kept += chunk;
        }
        if (is_last) {
            int is_whole = at + chunk == *length;
            *length = kept;
            return is_whole ? 0 : -1;
        }
    }
    return -1;
}

int clip_clean(int kind, unsigned char *data, size_t *length)
{
    if (*length == 0 || *length > CLIP_MAX)
        return -1;
    return kind == CLIP_TEXT ? clean_text(data, length) : clean_picture(data, length);
}

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
