/* litterbox-portal (portal.h). It runs until the bus that has started it ends. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "guest/portal/bus.h"
#include "guest/portal/portal.h"
#include "sys/crash.h"

#define BUS "org.freedesktop.DBus"
#define DO_NOT_QUEUE 4
#define OWNER 1

/* The serials of our RequestName calls, and how many of them the bus has refused. */
static uint32_t calls[2];
static int refused;

static struct dbus_message_head call_of_bus(const char *method, const char *signature)
{
    return (struct dbus_message_head){.type = DBUS_MESSAGE_CALL,
                                      .path = "/org/freedesktop/DBus",
                                      .interface = BUS,
                                      .member = method,
                                      .destination = BUS,
                                      .signature = signature};
}

/* Another program of the box may already own one of the names. */
static int request_names(void)
{
    static const char *const names[] = {"org.freedesktop.portal.Desktop",
                                        "org.freedesktop.Notifications"};
    bus_begin(call_of_bus("Hello", NULL));
    if (!bus_end())
        return -1;
    for (int i = 0; i < 2; i++) {
        struct dbus_writer *out = bus_begin(call_of_bus("RequestName", "su"));
        dbus_write_string(out, names[i]);
        dbus_write_u32(out, DO_NOT_QUEUE);
        calls[i] = bus_end();
        if (!calls[i])
            return -1;
    }
    return 0;
}

static void handle(const struct dbus_message *message)
{
    struct dbus_reader in = message->body;
    int is_answer = message->type == DBUS_MESSAGE_RETURN || message->type == DBUS_MESSAGE_ERROR;
    if (is_answer && (message->reply_to == calls[0] || message->reply_to == calls[1]))
        refused += message->type == DBUS_MESSAGE_ERROR || dbus_read_u32(&in) != OWNER;
    else
        portal_handle(message);
}

int main(void)
{
    crash_handler_install("litterbox-portal", NULL);
    int bus = bus_connect();
    if (bus < 0 || request_names() < 0) {
        fprintf(
            stderr,
            "litterbox-portal: cannot connect to the session bus of a box, which starts this program\n");
        return 1;
    }
    while (refused < 2) {
        struct pollfd polls[1 + PENDING_REQUESTS_MAX] = {{.fd = bus, .events = POLLIN}};
        int timeout;
        int count = pending_requests_poll(polls + 1, &timeout);
        if (poll(polls, (nfds_t)count + 1, timeout) < 0 && errno != EINTR)
            return 1;
        pending_requests_serve(polls + 1, count);
        if (polls[0].revents && bus_read(handle) < 0)
            return 0;
    }
    return 0;
}
