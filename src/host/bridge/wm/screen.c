#include "host/bridge/wm/screen.h"

#include <stdlib.h>
#include <string.h>

#include "host/bridge/wm/keys.h"
#include "host/bridge/wm/last.h"
#include "host/bridge/wm/manage.h"
#include "host/bridge/wm/place.h"
#include "host/bridge/wm/property.h"

/*
 * Java takes windows for framed, waits for the frame and puts menus where that would have them,
 * unless the manager is one of those that it knows to make none. This is the name of one, and what
 * such managers call themselves for it.
 */
#define NAME "LG3D"
#define EVENTS (XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_STRUCTURE_NOTIFY)
/* The arrow, in the font of pointers; each is followed by its mask. */
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

static void make_check(void)
{
    const uint32_t override = 1;
    wm.check = xcb_generate_id(wm.x);
    xcb_create_window(wm.x, 0, wm.check, wm.root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
                      XCB_COPY_FROM_PARENT, XCB_CW_OVERRIDE_REDIRECT, &override);
}

/* -1: another has it. */
static int take(void)
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

/* From _NET_SUPPORTED on: all that we know of them. */
static void introduce(void)
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
    windows_list();
    xcb_set_selection_owner(wm.x, wm.check, wm.atoms[ATOM_WM_S0], XCB_CURRENT_TIME);
}

/* Else it is the X of an X server without anybody. */
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

int screen_begin(void)
{
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(wm.x)).data;
    if (!screen || last_of_clients() < 0 || get_atoms() < 0)
        return -1;
    wm.root = screen->root;
    make_check();
    if (take() < 0)
        return xcb_connection_has_error(wm.x) ? -1 : 0;
    wm.is_active = 1;
    /* It may be another since the server said what it has. */
    xcb_get_geometry_reply_t *now =
        xcb_get_geometry_reply(wm.x, xcb_get_geometry(wm.x, wm.root), NULL);
    wm.width = now ? now->width : screen->width_in_pixels;
    wm.height = now ? now->height : screen->height_in_pixels;
    free(now);
    introduce();
    show_pointer();
    keys_grab();
    manage_present();
    return xcb_flush(wm.x) > 0 ? 0 : -1;
}

void screen_resized(int width, int height)
{
    if (width == wm.width && height == wm.height)
        return;
    wm.width = width;
    wm.height = height;
    write_size();
    place_all();
}

void screen_leave(void)
{
    const uint32_t none = XCB_EVENT_MASK_NO_EVENT;
    wm.is_active = 0;
    xcb_change_window_attributes(wm.x, wm.root, XCB_CW_EVENT_MASK, &none);
    keys_ungrab();
    manage_end_all();
    /* For a click that has come meanwhile the pointer still waits for us. */
    xcb_allow_events(wm.x, XCB_ALLOW_REPLAY_POINTER, XCB_CURRENT_TIME);
    xcb_destroy_window(wm.x, wm.check);
}
