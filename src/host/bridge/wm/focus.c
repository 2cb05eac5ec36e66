#include <stdlib.h>

#include "host/bridge/wm/wm.h"

/* Of dialogs of dialogs: the box can declare a cycle. */
#define DEPTH_MAX 4
/* WM_HINTS: the flag of the input field (ICCCM 4.1.2.4). */
#define HINT_INPUT 1

static xcb_window_t active;
static uint64_t focus_counter;

static void set_active(xcb_window_t id)
{
    active = id;
    property_write(wm.root, ATOM__NET_ACTIVE_WINDOW, XCB_ATOM_WINDOW, &active, 1);
}

static int wants_input(xcb_window_t id)
{
    uint32_t hints[2];
    unsigned count = property_read(id, XCB_ATOM_WM_HINTS, XCB_ATOM_WM_HINTS, hints, 2);
    return count < 2 || !(hints[0] & HINT_INPUT) || hints[1];
}

static void raise_above(xcb_window_t id, int depth)
{
    const uint32_t above = XCB_STACK_MODE_ABOVE;
    struct window *each;
    xcb_configure_window(wm.x, id, XCB_CONFIG_WINDOW_STACK_MODE, &above);
    for (unsigned i = 0; depth < DEPTH_MAX && (each = windows_at(i)); i++) {
        if (each->owner == id && each->id != id)
            raise_above(each->id, depth + 1);
    }
}

void focus_raise(xcb_window_t id)
{
    raise_above(id, 0);
}

/* With CurrentTime: a later time than the click's would override a newer request of the program. */
void focus_window(struct window *self)
{
    focus_raise(self->id);
    if (self->kind == KIND_UNFOCUSED)
        return;
    self->focused = ++focus_counter;
    set_active(self->id);
    if (wants_input(self->id))
        xcb_set_input_focus(wm.x, XCB_INPUT_FOCUS_POINTER_ROOT, self->id, XCB_CURRENT_TIME);
    if (property_has_protocol(self->id, ATOM_WM_TAKE_FOCUS))
        property_send_protocol(self->id, ATOM_WM_TAKE_FOCUS);
}

/* Whether a window has the focus: not PointerRoot, None or the root window. */
static int has_focus_window(void)
{
    xcb_get_input_focus_reply_t *now =
        xcb_get_input_focus_reply(wm.x, xcb_get_input_focus(wm.x), NULL);
    int is = now && now->focus > XCB_INPUT_FOCUS_POINTER_ROOT && now->focus != wm.root;
    free(now);
    return is;
}

/* If the window has the focus already, a child of it may have it: that is kept. */
void focus_clicked(struct window *self)
{
    if (self->id == active && has_focus_window())
        focus_raise(self->id);
    else
        focus_window(self);
}

void focus_noticed(const xcb_focus_in_event_t *event)
{
    struct window *self = windows_find(event->event);
    int is_grab = event->mode == XCB_NOTIFY_MODE_GRAB || event->mode == XCB_NOTIFY_MODE_UNGRAB;
    if (!self || is_grab || event->detail >= XCB_NOTIFY_DETAIL_POINTER || self->id == active)
        return;
    self->focused = ++focus_counter;
    set_active(self->id);
}

/* The window that had the keyboard last (SIGN 1) or longest ago (-1). */
static struct window *find_by_focus_time(int sign)
{
    struct window *found = NULL, *each;
    for (unsigned i = 0; (each = windows_at(i)); i++) {
        if (each->kind == KIND_UNFOCUSED)
            continue;
        if (!found || (sign > 0 ? each->focused > found->focused : each->focused < found->focused))
            found = each;
    }
    return found;
}

void focus_return(const struct window *gone)
{
    if (gone->id != active)
        return;
    struct window *next = windows_find(gone->owner);
    if (!next || next->kind == KIND_UNFOCUSED)
        next = find_by_focus_time(1);
    if (next) {
        focus_window(next);
        return;
    }
    xcb_set_input_focus(wm.x, XCB_INPUT_FOCUS_POINTER_ROOT, XCB_INPUT_FOCUS_POINTER_ROOT,
                        XCB_CURRENT_TIME);
    set_active(XCB_NONE);
}

static void focus_next(void)
{
    struct window *next = find_by_focus_time(-1);
    if (next)
        focus_window(next);
}

void focus_close_window(xcb_window_t id)
{
    if (property_has_protocol(id, ATOM_WM_DELETE_WINDOW))
        property_send_protocol(id, ATOM_WM_DELETE_WINDOW);
    else
        xcb_kill_client(wm.x, id);
}

static void close_active(void)
{
    if (active)
        focus_close_window(active);
}

/* Keys. */

#define ALT XCB_MOD_MASK_1
/* Caps Lock and Num Lock are ignored. */
#define LOCKS (XCB_MOD_MASK_LOCK | XCB_MOD_MASK_2)

static struct {
    xcb_keysym_t keysym;
    void (*action)(void);
    xcb_keycode_t code; /* 0: not on this keyboard */
} keys[] = {{0xff09 /* Tab */, focus_next, 0}, {0xffc1 /* F4 */, close_active, 0}};

#define N_KEYS (sizeof keys / sizeof *keys)

static int are_stale;

static void find_codes(const xcb_get_keyboard_mapping_reply_t *map, int first)
{
    int each = map->keysyms_per_keycode;
    int count = each ? xcb_get_keyboard_mapping_keysyms_length(map) / each : 0;
    const xcb_keysym_t *keysyms = xcb_get_keyboard_mapping_keysyms(map);
    for (unsigned key = 0; key < N_KEYS; key++) {
        keys[key].code = 0;
        for (int i = 0; i < count && !keys[key].code; i++) {
            if (keysyms[i * each] == keys[key].keysym)
                keys[key].code = (xcb_keycode_t)(first + i);
        }
    }
}

static void read_codes(void)
{
    const xcb_setup_t *setup = xcb_get_setup(wm.x);
    uint8_t count = (uint8_t)(setup->max_keycode - setup->min_keycode + 1);
    xcb_get_keyboard_mapping_cookie_t asked =
        xcb_get_keyboard_mapping(wm.x, setup->min_keycode, count);
    xcb_get_keyboard_mapping_reply_t *map = xcb_get_keyboard_mapping_reply(wm.x, asked, NULL);
    if (map)
        find_codes(map, setup->min_keycode);
    free(map);
}

void keys_grab(void)
{
    are_stale = 0;
    read_codes();
    for (unsigned key = 0; key < N_KEYS; key++) {
        for (unsigned locks = 0; keys[key].code && locks <= LOCKS; locks++) {
            if ((locks & ~(unsigned)LOCKS) == 0)
                xcb_grab_key(wm.x, 1, wm.root, (uint16_t)(ALT | locks), keys[key].code,
                             XCB_GRAB_MODE_ASYNC, XCB_GRAB_MODE_ASYNC);
        }
    }
}

void keys_ungrab(void)
{
    xcb_ungrab_key(wm.x, XCB_GRAB_ANY, wm.root, XCB_MOD_MASK_ANY);
}

void keys_pressed(const xcb_key_press_event_t *event)
{
    for (unsigned key = 0; key < N_KEYS; key++) {
        if (event->detail && event->detail == keys[key].code)
            keys[key].action();
    }
}

void keys_changed(const xcb_mapping_notify_event_t *event)
{
    if (event->request == XCB_MAPPING_KEYBOARD)
        are_stale = 1;
}

void keys_update(void)
{
    if (!are_stale)
        return;
    keys_ungrab();
    keys_grab();
}
