#include "host/bridge/wm/events.h"

#include <stdlib.h>

#include "host/bridge/wm/focus.h"
#include "host/bridge/wm/keys.h"
#include "host/bridge/wm/manage.h"
#include "host/bridge/wm/place.h"
#include "host/bridge/wm/screen.h"

/* Set where a client has sent the event, not the server. */
#define SENT 0x80

static void on_button(const xcb_button_press_event_t *event)
{
    struct window *self = windows_find(event->event);
    if (self)
        focus_clicked(self);
    /* The pointer stands still until then. */
    xcb_allow_events(wm.x, XCB_ALLOW_REPLAY_POINTER, event->time);
}

static void on_state_wish(struct window *self, const uint32_t *values)
{
    manage_state(self, values[0], values[1], values[2]);
}

static void on_message(const xcb_client_message_event_t *event)
{
    struct window *self = windows_find(event->window);
    if (event->format != 32)
        return;
    if (event->type == wm.atoms[ATOM__NET_REQUEST_FRAME_EXTENTS])
        manage_frame(event->window);
    else if (!self)
        return;
    else if (event->type == wm.atoms[ATOM__NET_ACTIVE_WINDOW])
        focus(self);
    else if (event->type == wm.atoms[ATOM__NET_CLOSE_WINDOW])
        focus_close_window(self->id);
    else if (event->type == wm.atoms[ATOM__NET_WM_STATE])
        on_state_wish(self, event->data.data32);
}

static void on_configured(const xcb_configure_notify_event_t *event)
{
    if (event->window == wm.root)
        screen_resized(event->width, event->height);
}

static void on_cleared(const xcb_selection_clear_event_t *event)
{
    if (event->selection == wm.atoms[ATOM_WM_S0])
        screen_leave();
}

/* What comes from the server alone. */
static void on_told(const xcb_generic_event_t *event)
{
    switch (event->response_type) {
    case XCB_KEY_PRESS:
        keys_pressed((const void *)event);
        break;
    case XCB_BUTTON_PRESS:
        on_button((const void *)event);
        break;
    case XCB_FOCUS_IN:
        focus_noticed((const void *)event);
        break;
    case XCB_MAP_REQUEST:
        manage(((const xcb_map_request_event_t *)event)->window);
        break;
    case XCB_CONFIGURE_REQUEST:
        place_asked((const void *)event);
        break;
    case XCB_CONFIGURE_NOTIFY:
        on_configured((const void *)event);
        break;
    case XCB_DESTROY_NOTIFY:
        manage_end(((const xcb_destroy_notify_event_t *)event)->window);
        break;
    case XCB_REPARENT_NOTIFY:
        manage_end(((const xcb_reparent_notify_event_t *)event)->window);
        break;
    case XCB_SELECTION_CLEAR:
        on_cleared((const void *)event);
        break;
    case XCB_MAPPING_NOTIFY:
        keys_changed((const void *)event);
        break;
    }
}

static void on_event(const xcb_generic_event_t *event)
{
    /* These two clients send as well: the second when they do not want to be seen any more. */
    switch (event->response_type & ~SENT) {
    case XCB_CLIENT_MESSAGE:
        on_message((const void *)event);
        break;
    case XCB_UNMAP_NOTIFY:
        manage_end(((const xcb_unmap_notify_event_t *)event)->window);
        break;
    default:
        on_told(event);
    }
}

void events_run(void)
{
    for (xcb_generic_event_t *event; (event = xcb_wait_for_event(wm.x));) {
        /* Who floods us is not heard until we have answered: or what waits would have no end. */
        xcb_grab_server(wm.x);
        xcb_flush(wm.x);
        for (; event; event = xcb_poll_for_event(wm.x)) {
            if (wm.is_active)
                on_event(event);
            free(event);
        }
        if (wm.is_active)
            keys_settle();
        xcb_ungrab_server(wm.x);
        xcb_flush(wm.x);
    }
}
