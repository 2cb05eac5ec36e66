#include "host/bridge/wm/focus.h"

#include <stdlib.h>

#include "host/bridge/wm/property.h"

/* Dialogs of dialogs: the box may say that they go round in circles. */
#define DEPTH_MAX 4
/* WM_HINTS: flags, and whether it wants to be given the keyboard. */
#define HINT_INPUT 1

static xcb_window_t active;
static uint64_t turns;

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

/* The time is left open: a later one than that of the click would be taken for a newer wish. */
void focus(struct window *self)
{
    focus_raise(self->id);
    if (self->kind == KIND_STILL)
        return;
    self->focused = ++turns;
    set_active(self->id);
    if (wants_input(self->id))
        xcb_set_input_focus(wm.x, XCB_INPUT_FOCUS_POINTER_ROOT, self->id, XCB_CURRENT_TIME);
    if (property_has_protocol(self->id, ATOM_WM_TAKE_FOCUS))
        property_tell(self->id, ATOM_WM_TAKE_FOCUS);
}

/* That it is with some window, not with whichever the pointer is in, or with none. */
static int is_given(void)
{
    xcb_get_input_focus_reply_t *now =
        xcb_get_input_focus_reply(wm.x, xcb_get_input_focus(wm.x), NULL);
    int is = now && now->focus > XCB_INPUT_FOCUS_POINTER_ROOT && now->focus != wm.root;
    free(now);
    return is;
}

/* A program may have passed it on to a part of its window: there it stays. */
void focus_clicked(struct window *self)
{
    if (self->id == active && is_given())
        focus_raise(self->id);
    else
        focus(self);
}

void focus_noticed(const xcb_focus_in_event_t *event)
{
    struct window *self = windows_find(event->event);
    int is_grab = event->mode == XCB_NOTIFY_MODE_GRAB || event->mode == XCB_NOTIFY_MODE_UNGRAB;
    if (!self || is_grab || event->detail >= XCB_NOTIFY_DETAIL_POINTER || self->id == active)
        return;
    self->focused = ++turns;
    set_active(self->id);
}

/* The one that had the keyboard last (SIGN 1) or longest ago (-1). */
static struct window *find_by_turn(int sign)
{
    struct window *found = NULL, *each;
    for (unsigned i = 0; (each = windows_at(i)); i++) {
        if (each->kind == KIND_STILL)
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
    if (!next || next->kind == KIND_STILL)
        next = find_by_turn(1);
    if (next) {
        focus(next);
        return;
    }
    xcb_set_input_focus(wm.x, XCB_INPUT_FOCUS_POINTER_ROOT, XCB_INPUT_FOCUS_POINTER_ROOT,
                        XCB_CURRENT_TIME);
    set_active(XCB_NONE);
}

void focus_cycle(void)
{
    struct window *next = find_by_turn(-1);
    if (next)
        focus(next);
}

void focus_close_window(xcb_window_t id)
{
    if (property_has_protocol(id, ATOM_WM_DELETE_WINDOW))
        property_tell(id, ATOM_WM_DELETE_WINDOW);
    else
        xcb_kill_client(wm.x, id);
}

void focus_close(void)
{
    if (active)
        focus_close_window(active);
}
