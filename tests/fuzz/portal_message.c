/*
 * Bytes as a message of the box's bus to the portal. Whatever comes, each answer is a whole message
 * that the portal's own reader takes, and what is asked of the bridge is within its ceilings.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/portal/pending_requests.h"
#include "guest/portal/portal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dbus_writer out;
static uint32_t serial;

/* In place of bus.c and ask.c. */
struct dbus_writer *bus_begin(struct dbus_message_head head)
{
    head.serial = ++serial;
    dbus_message_begin(&out, &head);
    return &out;
}

static void check_body(const struct dbus_message *message)
{
    struct dbus_reader in = message->body;
    for (const char *type = message->signature; *type; type = dbus_type_end(type))
        dbus_skip(&in, type);
    if (in.wrong || in.at != in.length)
        abort();
}

uint32_t bus_end(void)
{
    struct dbus_message message;
    if (dbus_message_end(&out) < 0)
        return 0;
    if (dbus_message_parse(&message, out.data, out.length) < 0)
        abort();
    check_body(&message);
    return serial;
}

int desktop_request_send(const char *const *texts, struct desktop_answer *answer)
{
    struct desktop_request asked;
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
    if (desktop_request_parse(&asked, packet, length))
        abort();
    return -1;
}

void desktop_request_receive(int connection, struct desktop_answer *answer)
{
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dbus_message message;
    if (size < DBUS_MESSAGE_HEAD || dbus_message_length(data) != size)
        return 0;
    /* Each in memory of its own, so that a byte too far is seen. */
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    if (dbus_message_parse(&message, copy, size) == 0)
        portal_handle(&message);
    free(copy);
    return 0;
}
