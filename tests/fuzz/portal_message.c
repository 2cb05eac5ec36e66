/*
 * Bytes as a message of the box's bus to the portal. Whatever comes, each answer is a whole message
 * that the portal's own reader takes, and what is asked of the bridge is within its ceilings.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/portal/errands.h"
#include "guest/portal/portal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wire_out out;
static uint32_t serial;

/* In place of bus.c and ask.c. */
struct wire_out *bus_begin(struct message_head head)
{
    head.serial = ++serial;
    message_begin(&out, &head);
    return &out;
}

static void check_body(const struct message *message)
{
    struct wire_in in = message->body;
    for (const char *type = message->signature; *type; type = wire_type_end(type))
        wire_skip(&in, type);
    if (in.wrong || in.at != in.length)
        abort();
}

uint32_t bus_end(void)
{
    struct message message;
    if (message_end(&out) < 0)
        return 0;
    if (message_parse(&message, out.data, out.length) < 0)
        abort();
    check_body(&message);
    return serial;
}

int ask_begin(const char *const *texts, struct ask_answer *answer)
{
    struct request asked;
    char packet[REQUEST_MAX + REQUEST_BODY_MAX];
    size_t length = 0;
    answer->outcome = (enum request_outcome)(serial % 5);
    strcpy(answer->sentence, "a sentence");
    if (strcmp(texts[0], "open") == 0)
        return -1;
    for (; *texts; texts++) {
        strcpy(packet + length, *texts);
        length += strlen(*texts) + 1;
    }
    if (request_parse(&asked, packet, length))
        abort();
    return -1;
}

void ask_end(int connection, struct ask_answer *answer)
{
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message message;
    if (size < MESSAGE_HEAD || message_length(data) != size)
        return 0;
    /* Each in memory of its own, so that a byte too far is seen. */
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    if (message_parse(&message, copy, size) == 0)
        portal_take(&message);
    free(copy);
    return 0;
}
