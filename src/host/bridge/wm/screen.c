#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xcb/xcbext.h>

#include "host/bridge/wm/wm.h"

/*
 * Java's AWT expects windows to be reparented into a frame, and places menus wrongly otherwise,
 * unless it knows the window manager by name as one that does not reparent. LG3D is such a name,
 * which other managers use for that, too.
 */
#define NAME "LG3D"
#define EVENTS (XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_STRUCTURE_NOTIFY)
/* The glyph of the arrow in the font "cursor"; the next glyph is its mask. */
#define ARROW 68

#define WM_ATOM_NAME(name) #name,
static const char *const names[] = {WM_ATOMS(WM_ATOM_NAME)};

static int get_atoms(void)
{
    xcb_intern_atom_cookie_t asked[N_ATOMS];
    for (unsigned i = 0; i < N_ATOMS; i++)
        asked[i] = xcb_intern_atom(wm.x, 0, (uint16_t)strlen(names[i]), names[i]);
    for (unsigned i = 0; i < N_ATOMS; i++) {
        xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(wm.x, asked[i], NULL);
        if (!reply)
            return -1;
        wm.atoms[i] = reply->atom;
        free(reply);
    }
    return 0;
}

static void create_check_window(void)
{
    const uint32_t override = 1;
    wm.check = xcb_generate_id(wm.x);
    xcb_create_window(wm.x, 0, wm.check, wm.root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
                      XCB_COPY_FROM_PARENT, XCB_CW_OVERRIDE_REDIRECT, &override);
}

/* Selects the events of a window manager, which only one client may. -1: another one has. */
static int select_root_events(void)
{
    const uint32_t events = EVENTS;
    xcb_void_cookie_t asked =
        xcb_change_window_attributes_checked(wm.x, wm.root, XCB_CW_EVENT_MASK, &events);
    xcb_generic_error_t *error = xcb_request_check(wm.x, asked);
    int taken = !error;
    free(error);
    return taken ? 0 : -1;
}

static void write_size(void)
{
    const uint32_t area[] = {0, 0, (uint32_t)wm.width, (uint32_t)wm.height};
    property_write(wm.root, ATOM__NET_WORKAREA, XCB_ATOM_CARDINAL, area, 4);
}

/* Writes the root properties of EWMH. _NET_SUPPORTED: all atoms from that one on. */
static void write_root_properties(void)
{
    const uint32_t one = 1, none = 0;
    property_write(wm.check, ATOM__NET_SUPPORTING_WM_CHECK, XCB_ATOM_WINDOW, &wm.check, 1);
    xcb_change_property(wm.x, XCB_PROP_MODE_REPLACE, wm.check, wm.atoms[ATOM__NET_WM_NAME],
                        wm.atoms[ATOM_UTF8_STRING], 8, sizeof NAME - 1, NAME);
    property_write(wm.root, ATOM__NET_SUPPORTING_WM_CHECK, XCB_ATOM_WINDOW, &wm.check, 1);
    property_write(wm.root, ATOM__NET_SUPPORTED, XCB_ATOM_ATOM, &wm.atoms[ATOM__NET_SUPPORTED],
                   N_ATOMS - ATOM__NET_SUPPORTED);
    property_write(wm.root, ATOM__NET_NUMBER_OF_DESKTOPS, XCB_ATOM_CARDINAL, &one, 1);
    property_write(wm.root, ATOM__NET_CURRENT_DESKTOP, XCB_ATOM_CARDINAL, &none, 1);
    write_size();
    windows_publish();
    xcb_set_selection_owner(wm.x, wm.check, wm.atoms[ATOM_WM_S0], XCB_CURRENT_TIME);
}

/* The default pointer is an X. */
static void show_pointer(void)
{
    static const char name[] = "cursor";
    xcb_font_t font = xcb_generate_id(wm.x);
    xcb_cursor_t cursor = xcb_generate_id(wm.x);
    xcb_open_font(wm.x, font, sizeof name - 1, name);
    xcb_create_glyph_cursor(wm.x, cursor, font, font, ARROW, ARROW + 1, 0, 0, 0, 0xffff, 0xffff,
                            0xffff);
    xcb_change_window_attributes(wm.x, wm.root, XCB_CW_CURSOR, &cursor);
    xcb_close_font(wm.x, font);
}

/*
 * The server ends some time after its last client (-terminate), so we must not count as a client.
 * XFixes 6 (X.Org 21.1) has a request for that. The two requests are written out here, because
 * libxcb-xfixes may not be installed. libxcb fills in the first word.
 */
enum { QUERY_VERSION = 0, SET_CLIENT_DISCONNECT_MODE = 33 };
#define VERSION 6
#define TERMINATE 1

struct request {
    uint32_t header;
    uint32_t values[2];
};
struct version {
    uint32_t header[2];
    uint32_t major;
};

static xcb_extension_t xfixes = {"XFIXES", 0};

/* Returns the sequence number. xcb_send_request() needs two free entries before the first part. */
static unsigned send_xfixes(uint8_t what, int has_reply, uint32_t one, uint32_t other,
                            unsigned count)
{
    struct request request = {0, {one, other}};
    struct iovec parts[3] = {[2] = {&request, sizeof request.header + 4 * count}};
    const xcb_protocol_request_t how = {
        .count = 1,
        .ext = &xfixes,
        .opcode = what,
        .isvoid = !has_reply,
    };
    return xcb_send_request(wm.x, has_reply ? XCB_REQUEST_CHECKED : 0, parts + 2, &how);
}

/* -1: the server has gone. */
static int disregard_connection(void)
{
    const xcb_query_extension_reply_t *known = xcb_get_extension_data(wm.x, &xfixes);
    if (!known || !known->present)
        return xcb_connection_has_error(wm.x) ? -1 : 0;
    xcb_generic_error_t *error = NULL;
    struct version *version =
        xcb_wait_for_reply(wm.x, send_xfixes(QUERY_VERSION, 1, VERSION, 0, 2), &error);
    if (version && version->major >= VERSION)
        send_xfixes(SET_CLIENT_DISCONNECT_MODE, 0, TERMINATE, 0, 1);
    free(version);
    free(error);
    return xcb_connection_has_error(wm.x) ? -1 : 0;
}

int screen_claim(void)
{
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(wm.x)).data;
    if (!screen || disregard_connection() < 0 || get_atoms() < 0)
        return -1;
    wm.root = screen->root;
    create_check_window();
    if (select_root_events() < 0)
        return xcb_connection_has_error(wm.x) ? -1 : 0;
    wm.is_active = 1;
    /* The size may have changed since the connection was set up. */
    xcb_get_geometry_reply_t *now =
        xcb_get_geometry_reply(wm.x, xcb_get_geometry(wm.x, wm.root), NULL);
    wm.width = now ? now->width : screen->width_in_pixels;
    wm.height = now ? now->height : screen->height_in_pixels;
    free(now);
    write_root_properties();
    show_pointer();
    keys_grab();
    manage_existing();
    return xcb_flush(wm.x) > 0 ? 0 : -1;
}

void screen_resized(int width, int height)
{
    if (width == wm.width && height == wm.height)
        return;
    wm.width = width;
    wm.height = height;
    write_size();
    placement_apply_all();
}

void screen_release(void)
{
    const uint32_t none = XCB_EVENT_MASK_NO_EVENT;
    wm.is_active = 0;
    xcb_change_window_attributes(wm.x, wm.root, XCB_CW_EVENT_MASK, &none);
    keys_ungrab();
    manage_end_all();
    /* A click in the meantime may have frozen the pointer. */
    xcb_allow_events(wm.x, XCB_ALLOW_REPLAY_POINTER, XCB_CURRENT_TIME);
    xcb_destroy_window(wm.x, wm.check);
}
