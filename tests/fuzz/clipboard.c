/*
 * Messages of a box's X server that the box controls: setup, replies and events, with a desktop
 * that offers and accepts everything. The first byte says which directions are open.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/clipboard/selection.h"
#include "sys/clock.h"
#include "tests/unit/clipboard_fixture.h"

#define CHUNK 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct exchange rules;
static struct x11_selection box;

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

/* Skips the pause between two lists of targets. */
static int64_t next_time(void)
{
    return box.requestor.state == REQUESTOR_DELAYED ? box.requestor.next_list : clock_ms();
}

/* Output is never sent, as if the server did not read. */
static void serve(const uint8_t *data, size_t size)
{
    size_t length;
    const unsigned char *message;
    if (byte_queue_append(&box.connection.in, data, size) < 0)
        return;
    while ((message = x11_connection_next(&box.connection, &length))) {
        selection_message(&box, message, length);
        selection_due(&box, next_time());
        x11_connection_consume(&box.connection, length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct x11_setup setup;
    long welcome = x11_setup_size(data, size);
    if (welcome > 0)
        x11_setup_parse(data, (size_t)welcome, &setup);
    if (size < 1 || size > CHUNK * 16)
        return 0;
    rules = (struct exchange){.directions = data[0] & 3, .may_read = yes, .may_write = yes};
    box = (struct x11_selection){
        .exchange = &rules, .end = EXCHANGE_BOX, .reads = 1, .fixes_event = 87};
    box.connection.fd = -1;
    box.connection.setup = (struct x11_setup){1, 2, 16384};
    box.window = 1;
    for (uint32_t i = 0; i < N_ATOMS; i++)
        box.atoms[i] = 64 + i;
    rules.ends[EXCHANGE_BOX] = selection_port(&box);
    rules.ends[EXCHANGE_HOST] = (struct exchange_port){NULL, offer, fetch, give};
    exchange_begin(&rules);
    exchange_offered(&rules, EXCHANGE_HOST, 3, clock_ms());
    serve(data + 1, size - 1);
    selection_free(&box);
    return 0;
}
