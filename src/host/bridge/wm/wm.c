#include "host/bridge/wm/wm.h"

#include <stdlib.h>
#include <string.h>

#define PROTOCOLS_MAX 32

struct wm wm;

unsigned property_read(xcb_window_t window, xcb_atom_t property, xcb_atom_t type, uint32_t *values,
                       unsigned max)
{
    xcb_get_property_cookie_t asked = xcb_get_property(wm.x, 0, window, property, type, 0, max);
    xcb_get_property_reply_t *reply = xcb_get_property_reply(wm.x, asked, NULL);
    unsigned count = 0;
    if (reply && reply->type == type && reply->format == 32) {
        count = (unsigned)xcb_get_property_value_length(reply) / sizeof *values;
        count = count < max ? count : max;
        count = count < reply->length ? count : reply->length;
        memcpy(values, xcb_get_property_value(reply), count * sizeof *values);
    }
    free(reply);
    return count;
}

void property_write(xcb_window_t window, enum wm_atom property, xcb_atom_t type,
                    const uint32_t *values, unsigned count)
{
    xcb_change_property(wm.x, XCB_PROP_MODE_REPLACE, window, wm.atoms[property], type, 32, count,
                        values);
}

void property_send_protocol(xcb_window_t window, enum wm_atom value)
{
    xcb_client_message_event_t message = {
        .response_type = XCB_CLIENT_MESSAGE,
        .format = 32,
        .window = window,
        .type = wm.atoms[ATOM_WM_PROTOCOLS],
        .data.data32 = {wm.atoms[value], XCB_CURRENT_TIME},
    };
    xcb_send_event(wm.x, 0, window, XCB_EVENT_MASK_NO_EVENT, (const char *)&message);
}

int property_has_protocol(xcb_window_t window, enum wm_atom value)
{
    uint32_t atoms[PROTOCOLS_MAX];
    unsigned count =
        property_read(window, wm.atoms[ATOM_WM_PROTOCOLS], XCB_ATOM_ATOM, atoms, PROTOCOLS_MAX);
    for (unsigned i = 0; i < count; i++) {
        if (atoms[i] == wm.atoms[value])
            return 1;
    }
    return 0;
}

static struct window windows[WINDOWS_MAX];
static unsigned count;

struct window *windows_add(xcb_window_t id)
{
    if (count == WINDOWS_MAX)
        return NULL;
    windows[count] = (struct window){.id = id};
    return &windows[count++];
}

struct window *windows_find(xcb_window_t id)
{
    for (unsigned i = 0; i < count; i++) {
        if (windows[i].id == id)
            return &windows[i];
    }
    return NULL;
}

/* Keeps the order of mapping, which _NET_CLIENT_LIST has (EWMH). */
void windows_remove(struct window *self)
{
    count--;
    for (; self < &windows[count]; self++)
        self[0] = self[1];
}

struct window *windows_at(unsigned index)
{
    return index < count ? &windows[index] : NULL;
}

void windows_publish(void)
{
    static uint32_t ids[WINDOWS_MAX];
    for (unsigned i = 0; i < count; i++)
        ids[i] = windows[i].id;
    property_write(wm.root, ATOM__NET_CLIENT_LIST, XCB_ATOM_WINDOW, ids, count);
}
