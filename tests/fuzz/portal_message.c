/*
 * Fuzzes messages of the session bus to the portal. Each reply must be a valid message, and each
 * request to the bridge must be within its limits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/portal/portal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_desktop_request_send(const char *const *texts, struct desktop_answer *answer);
void __wrap_desktop_request_receive(int connection, struct desktop_answer *answer);

static struct dbus_writer out;
static uint32_t serial;

/* In place of bus.c. */
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

/* In place of that of desktop_request.c (tests/fuzz/meson.build). */
int __wrap_desktop_request_send(const char *const *texts, struct desktop_answer *answer)
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

void __wrap_desktop_request_receive(int connection, struct desktop_answer *answer)
{
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dbus_message message;
    if (size < DBUS_MESSAGE_HEAD || dbus_message_length(data) != size)
        return 0;
    /* A copy of its own, so that the sanitizer notices reads beyond it. */
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    if (dbus_message_parse(&message, copy, size) == 0)
        portal_handle(&message);
    free(copy);
    return 0;
}
