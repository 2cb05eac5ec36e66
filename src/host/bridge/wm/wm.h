/*
 * litterbox-wm SERVER [ARGUMENT…]: an X server of a box's own, and who manages its windows.
 *
 * It is the first process of the server's jail (host/bridge/x11/jail.h), and does nothing there but
 * wait for SERVER, a child: what ends one of them ends both, and the box's next X client starts
 * others. The manager is another child. It answers what the box's programs say, any of which can
 * end it, as X11 has it: then windows stay as they are, with the keyboard where it is, and later
 * ones are the programs' own, until the server ends as ever and the next one has a manager again.
 *
 * Before the first answer both give up files (Landlock, where the kernel has it), sockets, programs
 * and processes (seccomp, on top of the jail's filter), and memory beyond a limit. The manager asks
 * a client for nothing, waits for none, reads of a property no more than it has a place for, keeps
 * a fixed number of windows, reads no title, and takes every error for a window that has gone.
 * While it answers, the server serves nobody else: a flood waits with who makes it.
 *
 * Why none of those that there are: a desktop has none installed beside its own; they come with
 * menus that start programs, themes, and files of configuration that the jail does not show; and
 * all but the one of handhelds place windows by hand, on a screen that is itself a window. Here
 * there are no frames: a window fills the screen, a dialog lies in its middle.
 *
 * windows.h what there is, place.h where, focus.h who has the keyboard, manage.h from the first
 * wish to be mapped to the end, events.h what the server tells.
 */
#pragma once

#include <stdint.h>
#include <xcb/xcb.h>

/* Of each of these ATOM_… is the index in wm.atoms. */
#define WM_ATOMS(X)                      \
    X(WM_PROTOCOLS)                      \
    X(WM_DELETE_WINDOW)                  \
    X(WM_TAKE_FOCUS)                     \
    X(WM_STATE)                          \
    X(WM_S0)                             \
    X(UTF8_STRING)                       \
    X(_NET_SUPPORTED)                    \
    X(_NET_SUPPORTING_WM_CHECK)          \
    X(_NET_WM_NAME)                      \
    X(_NET_CLIENT_LIST)                  \
    X(_NET_ACTIVE_WINDOW)                \
    X(_NET_CLOSE_WINDOW)                 \
    X(_NET_WORKAREA)                     \
    X(_NET_NUMBER_OF_DESKTOPS)           \
    X(_NET_CURRENT_DESKTOP)              \
    X(_NET_FRAME_EXTENTS)                \
    X(_NET_REQUEST_FRAME_EXTENTS)        \
    X(_NET_WM_STATE)                     \
    X(_NET_WM_STATE_FULLSCREEN)          \
    X(_NET_WM_STATE_MAXIMIZED_HORZ)      \
    X(_NET_WM_STATE_MAXIMIZED_VERT)      \
    X(_NET_WM_STATE_MODAL)               \
    X(_NET_WM_WINDOW_TYPE)               \
    X(_NET_WM_WINDOW_TYPE_NORMAL)        \
    X(_NET_WM_WINDOW_TYPE_DIALOG)        \
    X(_NET_WM_WINDOW_TYPE_UTILITY)       \
    X(_NET_WM_WINDOW_TYPE_TOOLBAR)       \
    X(_NET_WM_WINDOW_TYPE_MENU)          \
    X(_NET_WM_WINDOW_TYPE_SPLASH)        \
    X(_NET_WM_WINDOW_TYPE_DOCK)          \
    X(_NET_WM_WINDOW_TYPE_DESKTOP)       \
    X(_NET_WM_WINDOW_TYPE_NOTIFICATION)  \
    X(_NET_WM_WINDOW_TYPE_TOOLTIP)       \
    X(_NET_WM_WINDOW_TYPE_POPUP_MENU)    \
    X(_NET_WM_WINDOW_TYPE_DROPDOWN_MENU) \
    X(_NET_WM_WINDOW_TYPE_COMBO)

#define WM_ATOM_INDEX(name) ATOM_##name,
enum wm_atom { WM_ATOMS(WM_ATOM_INDEX) N_ATOMS };
#undef WM_ATOM_INDEX

struct wm {
    xcb_connection_t *x;
    xcb_window_t root, check; /* check: a window of ours, never seen */
    int is_active;            /* no other manager has the screen */
    int width, height;        /* of that */
    xcb_atom_t atoms[N_ATOMS];
};
extern struct wm wm;
