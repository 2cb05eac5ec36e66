#include "host/bridge/clipboard/data_control.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <wayland-client.h>

#include "host/bridge/clipboard/pipes.h"
#include "host/bridge/wayland/wayland.h"
#include "net/event_loop.h"
#include "sys/clock.h"

/*
 * The interfaces of both protocols, which differ in their names only. Written out here, because old
 * versions of wayland-protocols do not have their XML.
 */
enum { MANAGER_SOURCE, MANAGER_DEVICE };
enum { DEVICE_SET, DEVICE_DESTROY };
enum { SOURCE_OFFER, SOURCE_DESTROY };
enum { OFFER_RECEIVE, OFFER_DESTROY };

static const struct wl_interface data_control_device, data_control_source, data_control_offer;

static const struct wl_interface *none[] = {NULL, NULL};
static const struct wl_interface *source_type[] = {&data_control_source};
static const struct wl_interface *offer_type[] = {&data_control_offer};
static const struct wl_interface *device_types[] = {&data_control_device, &wl_seat_interface};

static const struct wl_message manager_requests[] = {
    {"create_data_source", "n", source_type},
    {"get_data_device", "no", device_types},
    {"destroy", "", none},
};
static const struct wl_message device_requests[] = {
    {"set_selection", "?o", source_type},
    {"destroy", "", none},
    {"set_primary_selection", "?o", source_type},
};
static const struct wl_message device_events[] = {
    {"data_offer", "n", offer_type},
    {"selection", "?o", offer_type},
    {"finished", "", none},
    {"primary_selection", "?o", offer_type},
};
static const struct wl_message source_requests[] = {{"offer", "s", none}, {"destroy", "", none}};
static const struct wl_message source_events[] = {{"send", "sh", none}, {"cancelled", "", none}};
static const struct wl_message offer_requests[] = {{"receive", "sh", none}, {"destroy", "", none}};
static const struct wl_message offer_events[] = {{"offer", "s", none}};

static const struct wl_interface data_control_managers[2] = {
    {DATA_CONTROL_EXT, 1, 3, manager_requests, 0, NULL},
    {DATA_CONTROL_WLR, 1, 3, manager_requests, 0, NULL},
};
static const struct wl_interface data_control_device = {
    "ext_data_control_device_v1", 1, 3, device_requests, 4, device_events};
static const struct wl_interface data_control_source = {
    "ext_data_control_source_v1", 1, 2, source_requests, 2, source_events};
static const struct wl_interface data_control_offer = {
    "ext_data_control_offer_v1", 1, 2, offer_requests, 1, offer_events};

/* A MIME type that marks our own offers, with a random number for this process. */
#define MARK "application/x-litterbox;of="
#define MARK_SIZE (sizeof MARK + 16)

/* What a program has copied. */
struct offer {
    struct wl_proxy *proxy;
    unsigned kinds;
    int is_secret, is_ours;
};

static struct {
    struct wl_display *display;
    struct wl_proxy *manager, *device, *source;
    struct wl_seat *seat;
    struct exchange *exchange;
    int reads;
    struct offer *current; /* the clipboard */
    char mark[MARK_SIZE];
} self;

static void request(struct wl_proxy *proxy, uint32_t opcode, uint32_t flags)
{
    wl_proxy_marshal_flags(proxy, opcode, NULL, 1, flags);
}

/* Offers. */

static void on_type(void *data, struct wl_proxy *proxy, const char *type)
{
    struct offer *offer = data;
    int kind = clip_kind_of(type);
    if (kind >= 0)
        offer->kinds |= CLIP_HAS(kind);
    offer->is_secret |= strcmp(type, CLIP_TYPE_SECRET) == 0;
    offer->is_ours |= strcmp(type, self.mark) == 0;
}

static void destroy_offer(struct offer *offer)
{
    if (!offer)
        return;
    request(offer->proxy, OFFER_DESTROY, WL_MARSHAL_FLAG_DESTROY);
    free(offer);
}

static void on_offer(void *data, struct wl_proxy *device, struct wl_proxy *proxy)
{
    static void (*const listener[])(void) = {(void (*)(void))on_type};
    struct offer *offer = calloc(1, sizeof *offer);
    if (!offer)
        abort();
    offer->proxy = proxy;
    wl_proxy_add_listener(proxy, (void (**)(void))listener, offer);
}

static struct offer *offer_of(struct wl_proxy *proxy)
{
    return proxy ? wl_proxy_get_user_data(proxy) : NULL;
}

static void on_selection(void *data, struct wl_proxy *device, struct wl_proxy *proxy)
{
    pipes_cancel_read();
    destroy_offer(self.current);
    self.current = offer_of(proxy);
    if (!self.reads)
        return;
    int is_passed = self.current && !self.current->is_secret && !self.current->is_ours;
    exchange_offered(self.exchange, EXCHANGE_HOST, is_passed ? self.current->kinds : 0, clock_ms());
}

static void on_primary(void *data, struct wl_proxy *device, struct wl_proxy *proxy)
{
    destroy_offer(offer_of(proxy));
}

static void on_finished(void *data, struct wl_proxy *device)
{
    event_loop_quit();
}

static void fetched(int kind, unsigned char *data, size_t length)
{
    exchange_fetched(self.exchange, EXCHANGE_HOST, kind, data, length);
}

static void fetch_wayland(void *port, int kind)
{
    int ends[2];
    if (!self.current || pipe2(ends, O_CLOEXEC) < 0) {
        fetched(kind, NULL, 0);
        return;
    }
    wl_proxy_marshal_flags(self.current->proxy, OFFER_RECEIVE, NULL, 1, 0, clip_type(kind),
                           ends[1]);
    close(ends[1]);
    pipes_read(ends[0], kind, fetched);
}

/* Sources. */

static void destroy_source(void)
{
    if (self.source)
        request(self.source, SOURCE_DESTROY, WL_MARSHAL_FLAG_DESTROY);
    self.source = NULL;
}

/* The index of a writer in pipes.h is the exchange's token. */
static void on_send(void *data, struct wl_proxy *source, const char *type, int fd)
{
    int kind = clip_kind_of(type);
    int writer = kind < 0 ? -1 : pipes_add_writer(fd);
    if (kind < 0)
        close(fd);
    if (writer >= 0)
        exchange_wanted(self.exchange, EXCHANGE_HOST, kind, writer, clock_ms());
}

static void on_cancelled(void *data, struct wl_proxy *source)
{
    if (source == self.source)
        destroy_source();
}

static void give_wayland(void *port, int token, const unsigned char *data, size_t length)
{
    pipes_write(token, data, length);
}

static void offer_kinds(void *port, unsigned kinds)
{
    static void (*const listener[])(void) = {(void (*)(void))on_send, (void (*)(void))on_cancelled};
    struct wl_proxy *old = self.source;
    self.source =
        wl_proxy_marshal_flags(self.manager, MANAGER_SOURCE, &data_control_source, 1, 0, NULL);
    if (!self.source)
        abort();
    wl_proxy_add_listener(self.source, (void (**)(void))listener, NULL);
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        if (kinds & CLIP_HAS(kind))
            wl_proxy_marshal_flags(self.source, SOURCE_OFFER, NULL, 1, 0, clip_type(kind));
    }
    wl_proxy_marshal_flags(self.source, SOURCE_OFFER, NULL, 1, 0, self.mark);
    wl_proxy_marshal_flags(self.device, DEVICE_SET, NULL, 1, 0, self.source);
    if (old)
        request(old, SOURCE_DESTROY, WL_MARSHAL_FLAG_DESTROY);
}

struct exchange_port data_control_port(void)
{
    return (struct exchange_port){NULL, offer_kinds, fetch_wayland, give_wayland};
}

/* The connection. */

static void on_global(void *data, struct wl_registry *registry, uint32_t name,
                      const char *interface, uint32_t version)
{
    for (int i = 0; i < 2; i++) {
        if (!self.manager && strcmp(interface, data_control_managers[i].name) == 0)
            self.manager = wl_registry_bind(registry, name, &data_control_managers[i], 1);
    }
    if (!self.seat && strcmp(interface, wl_seat_interface.name) == 0)
        self.seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static void on_compositor(struct event_watch *watch, uint32_t events)
{
    if (wl_display_dispatch(self.display) < 0)
        event_loop_quit();
}

static int make_mark(void)
{
    unsigned char random[8];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -1;
    strcpy(self.mark, MARK);
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(self.mark + sizeof MARK - 1 + 2 * i, 3, "%02x", random[i]);
    return 0;
}

static void get_device(void)
{
    static void (*const listener[])(void) = {(void (*)(void))on_offer, (void (*)(void))on_selection,
                                             (void (*)(void))on_finished,
                                             (void (*)(void))on_primary};
    self.device = wl_proxy_marshal_flags(self.manager, MANAGER_DEVICE, &data_control_device, 1, 0,
                                         NULL, self.seat);
    if (self.device)
        wl_proxy_add_listener(self.device, (void (**)(void))listener, NULL);
}

int data_control_begin(struct exchange *exchange, int reads)
{
    static const struct wl_registry_listener listener = {on_global, on_global_remove};
    self.exchange = exchange;
    self.reads = reads;
    self.display = wl_display_connect(NULL);
    if (!self.display || make_mark() < 0)
        return -1;
    struct wl_registry *registry = wl_display_get_registry(self.display);
    wl_registry_add_listener(registry, &listener, NULL);
    if (wl_display_roundtrip(self.display) < 0)
        return -1;
    if (!self.manager || !self.seat) {
        fprintf(stderr, "litterbox-bridge: the compositor lets no program share the clipboard (it "
                        "has no data-control protocol): the box's stays apart\n");
        return -1;
    }
    get_device();
    static struct event_watch compositor = {.ready = on_compositor};
    compositor.fd = wl_display_get_fd(self.display);
    return self.device ? event_watch_set(&compositor, EPOLLIN) : -1;
}

int data_control_due(int64_t now)
{
    return pipes_due(now);
}

void data_control_flush(void)
{
    if (wl_display_dispatch_pending(self.display) < 0 ||
        (wl_display_flush(self.display) < 0 && errno != EAGAIN))
        event_loop_quit();
}
