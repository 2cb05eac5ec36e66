/* litterbox-portal: see portal.h. It lives as long as the bus that has started it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "guest/portal/bus.h"
#include "guest/portal/errands.h"
#include "guest/portal/portal.h"

#define BUS "org.freedesktop.DBus"
#define DO_NOT_QUEUE 4
#define OWNER 1

/* Calls that we have made and wait for the answer of, by their serials. */
static uint32_t asked[2];
static int refused;

static struct message_head call_of_bus(const char *method, const char *signature)
{
    return (struct message_head){.type = MESSAGE_CALL,
                                 .path = "/org/freedesktop/DBus",
                                 .interface = BUS,
                                 .member = method,
                                 .destination = BUS,
                                 .signature = signature};
}

/* Some of the names may be somebody's already: a program of the box that does the same. */
static int take_names(void)
{
    static const char *const names[] = {"org.freedesktop.portal.Desktop",
                                        "org.freedesktop.Notifications"};
    bus_begin(call_of_bus("Hello", NULL));
    if (!bus_end())
        return -1;
    for (int i = 0; i < 2; i++) {
        struct wire_out *out = bus_begin(call_of_bus("RequestName", "su"));
        wire_put_string(out, names[i]);
        wire_put_u32(out, DO_NOT_QUEUE);
        asked[i] = bus_end();
        if (!asked[i])
            return -1;
    }
    return 0;
}

static void take(const struct message *message)
{
    struct wire_in in = message->body;
    int is_answer = message->type == MESSAGE_RETURN || message->type == MESSAGE_ERROR;
    if (is_answer && (message->reply_to == asked[0] || message->reply_to == asked[1]))
        refused += message->type == MESSAGE_ERROR || wire_get_u32(&in) != OWNER;
    else
        portal_take(message);
}

int main(void)
{
    int bus = bus_connect();
    if (bus < 0 || take_names() < 0) {
        fprintf(stderr, "litterbox-portal: no bus: it is started by that of a box\n");
        return 1;
    }
    while (refused < 2) {
        struct pollfd polls[1 + ERRANDS_MAX] = {{.fd = bus, .events = POLLIN}};
        int patience;
        int count = errands_poll(polls + 1, &patience);
        if (poll(polls, (nfds_t)count + 1, patience) < 0 && errno != EINTR)
            return 1;
        errands_serve(polls + 1, count);
        if (polls[0].revents && bus_read(take) < 0)
            return 0;
    }
    return 0;
}
