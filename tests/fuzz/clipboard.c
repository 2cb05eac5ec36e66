/*
 * The X server of a box, taken over by it: its welcome, its answers and its events go through the
 * very code that reads them, with a desktop that takes and has anything. The first byte says which
 * directions are open.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/clipboard/xside.h"
#include "sys/clock.h"
#include "tests/unit/clipboard-madeup.h"

#define CHUNK 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct exchange rules;
static struct xside box;

static int yes(void)
{
    return 1;
}

static void offer(void *self, unsigned kinds)
{
    assert(kinds && !(kinds >> CLIP_KINDS));
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        if (kinds & CLIP_HAS(kind))
            exchange_wanted(&rules, EXCHANGE_HOST, kind, 0, clock_ms());
    }
}

static void fetch(void *self, int kind)
{
    exchange_fetched(&rules, EXCHANGE_HOST, kind, calloc(1, 300000), 300000);
}

static void give(void *self, int token, const unsigned char *data, size_t length)
{
    assert(!data || (length > 0 && length <= CLIP_MAX));
}

/* What waits for its time need not. */
static int64_t next_time(void)
{
    return box.reader.state == XREADER_LATER ? box.reader.next_list : clock_ms();
}

/* Nothing is sent: the server does not read. */
static void serve(const uint8_t *data, size_t size)
{
    size_t length;
    const unsigned char *message;
    if (byte_queue_append(&box.link.in, data, size) < 0)
        return;
    while ((message = xlink_next(&box.link, &length))) {
        xside_message(&box, message, length);
        xside_due(&box, next_time());
        xlink_drop(&box.link, length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xwire_setup setup;
    long welcome = xwire_setup_size(data, size);
    if (welcome > 0)
        xwire_setup(data, (size_t)welcome, &setup);
    if (size < 1 || size > CHUNK * 16)
        return 0;
    rules = (struct exchange){.may = data[0] & 3, .may_read = yes, .may_write = yes};
    box = (struct xside){.exchange = &rules, .end = EXCHANGE_BOX, .reads = 1, .fixes_event = 87};
    box.link.fd = -1;
    box.link.setup = (struct xwire_setup){1, 2, 16384};
    box.window = 1;
    for (uint32_t i = 0; i < X_ATOMS; i++)
        box.atoms[i] = 64 + i;
    rules.ends[EXCHANGE_BOX] = xside_port(&box);
    rules.ends[EXCHANGE_HOST] = (struct exchange_port){NULL, offer, fetch, give};
    exchange_begin(&rules);
    exchange_offered(&rules, EXCHANGE_HOST, 3, clock_ms());
    serve(data + 1, size - 1);
    madeup_side_free(&box);
    return 0;
}
