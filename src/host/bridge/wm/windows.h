/* The windows that are managed: mapped ones of the box's programs. A fixed number of places. */
#pragma once

#include "host/bridge/wm/wm.h"

/* More are mapped, and left to themselves. */
#define WINDOWS_MAX 256

enum kind {
    KIND_NORMAL,
    KIND_DIALOG,
    KIND_TOOL, /* keeps its place */
    KIND_STILL /* and never has the keyboard */
};

/* As bits of window.state, each with its _NET_WM_STATE_… */
enum { STATE_FULLSCREEN = 1, STATE_HORZ = 2, STATE_VERT = 4, STATE_MODAL = 8 };

struct rect {
    int x, y, width, height;
};

struct window {
    xcb_window_t id;
    xcb_window_t owner; /* whose dialog it is, as it says; 0 */
    enum kind kind;
    int is_fixed;     /* cannot be as large as the screen */
    unsigned state;   /* STATE_… */
    struct rect own;  /* where it is when it does not fill the screen */
    uint64_t focused; /* when it last had the keyboard: the larger, the later */
};

/* A new one; NULL when there are too many. Valid until one is removed. */
struct window *windows_add(xcb_window_t id);
struct window *windows_find(xcb_window_t id);
void windows_remove(struct window *self);
/* The one at INDEX, NULL behind the last. */
struct window *windows_at(unsigned index);
/* Says in the root's properties which there are. */
void windows_list(void);
