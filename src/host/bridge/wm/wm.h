/*
 * litterbox-wm SERVER [ARGUMENT…]: starts a box's own X server and manages its windows.
 *
 * It is the first process of the server's jail (host/bridge/x11/jail.c) and has two children:
 * SERVER and the window manager. It only waits for the server; when either of them ends, both do,
 * and the box's next X client starts a new pair. The manager handles data from the box's programs,
 * any of which can disconnect it (KillClient). Then windows stay as they are, with the keyboard
 * focus where it is, and later ones are not managed, until the server ends as usual and the next
 * one has a manager again.
 *
 * Before they handle any data, both give up files (Landlock, where the kernel has it), sockets,
 * programs and processes (seccomp, in addition to the jail's filter), and memory beyond a limit.
 * The manager asks nothing of a client and waits for none, reads a limited part of each property,
 * keeps a fixed number of windows, reads no title, and takes every error for a window that is gone.
 * While it handles events it grabs the server, so that a client that floods it waits, too.
 *
 * Why not an existing window manager: none is installed on a desktop beside the desktop's own. They
 * come with menus that start programs, with themes, and with configuration files that the jail does
 * not have, and nearly all leave the placing of windows to the user, on a screen that is itself a
 * window. Here there are no frames: a normal window fills the screen, a dialog is centred.
 *
 * wm.c       connection, atoms, properties, the list of managed windows
 * screen.c   claims the screen
 * manage.c   a window from its map request to its end, and where it is
 * focus.c    which window has the keyboard
 * main.c     the two processes, and the dispatch of events
 */
#pragma once

#include <stdint.h>
#include <xcb/xcb.h>

/* The atoms; ATOM_NAME is the index of each in wm.atoms. */
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
    xcb_window_t root, check; /* check: for _NET_SUPPORTING_WM_CHECK, not visible */
    int is_active;            /* we manage the screen, and no other manager does */
    int width, height;        /* of the screen */
    xcb_atom_t atoms[N_ATOMS];
};
extern struct wm wm;

/* Managed windows: mapped top-level windows of the box's programs. */

/* Windows beyond this number are mapped, but not managed. */
#define WINDOWS_MAX 256

enum window_kind {
    KIND_NORMAL,
    KIND_DIALOG,
    KIND_UTILITY,   /* stays where it is */
    KIND_UNFOCUSED, /* also never gets the keyboard */
};

/* Bits of window.state: _NET_WM_STATE_FULLSCREEN, _MAXIMIZED_HORZ, … */
enum { STATE_FULLSCREEN = 1, STATE_HORZ = 2, STATE_VERT = 4, STATE_MODAL = 8 };

struct rect {
    int x, y, width, height;
};

struct window {
    xcb_window_t id;
    xcb_window_t owner; /* of a dialog, as WM_TRANSIENT_FOR says; 0 for none */
    enum window_kind kind;
    int is_fixed;         /* its largest size is smaller than the screen */
    unsigned state;       /* STATE_… */
    struct rect floating; /* where it is when it does not fill the screen */
    uint64_t focused;     /* when it last had the keyboard: the larger, the later */
};

/* Adds a window; NULL when there are too many. Pointers are valid until one is removed. */
struct window *windows_add(xcb_window_t id);
struct window *windows_find(xcb_window_t id);
void windows_remove(struct window *self);
/* The window at INDEX; NULL behind the last. */
struct window *windows_at(unsigned index);
/* Writes _NET_CLIENT_LIST. */
void windows_publish(void);

/* Properties. */

/* Reads the first values, at most MAX, of PROPERTY if its type is TYPE and its format 32. Returns
 * their number. */
unsigned property_read(xcb_window_t window, xcb_atom_t property, xcb_atom_t type, uint32_t *values,
                       unsigned max);
void property_write(xcb_window_t window, enum wm_atom property, xcb_atom_t type,
                    const uint32_t *values, unsigned count);
/* Sends WINDOW the WM_PROTOCOLS message VALUE (ICCCM 4.2.8). */
void property_send_protocol(xcb_window_t window, enum wm_atom value);
/* Whether WM_PROTOCOLS of WINDOW has VALUE. */
int property_has_protocol(xcb_window_t window, enum wm_atom value);

/* screen.c: the screen that is managed: its window-manager properties and its size. */

/*
 * Becomes the window manager of the screen (ICCCM 2.8, EWMH) and manages the windows that are
 * there. Does nothing when the box has another window manager already. -1: the server has gone.
 */
int screen_claim(void);
/* Its size may have changed. */
void screen_resized(int width, int height);
/* Leaves it to another window manager, which the box has started with --replace. */
void screen_release(void);

/* manage.c: a window from its first map request to its end, and where it is: it fills the screen,
 * or lies completely on it. */

/* Maps ID, places it and gives it the keyboard. */
void manage_window(xcb_window_t id);
/* Manages the windows that are already mapped. */
void manage_existing(void);
/* ID was unmapped or destroyed. */
void manage_end(xcb_window_t id);
/* Releases all windows to another window manager. */
void manage_end_all(void);
/* A program asks to change one or two states. ACTION (EWMH): 0 remove, 1 add, 2 toggle. */
void manage_state(struct window *self, uint32_t action, xcb_atom_t one, xcb_atom_t other);
/* Writes _NET_FRAME_EXTENTS: our windows have no frame. */
void manage_frame_extents(xcb_window_t id);

/* Places all windows anew, after the size of the screen has changed. */
void placement_apply_all(void);
/* A program asks to configure one of its windows. */
void placement_configure(const xcb_configure_request_event_t *asked);

/* focus.c: which window has the keyboard and is on top; Alt+Tab and Alt+F4. */

/* Raises SELF and gives it the keyboard, if it takes it. */
void focus_window(struct window *self);
/* The same after a click on it. */
void focus_clicked(struct window *self);
/* A program has set the focus to a window of its own. */
void focus_noticed(const xcb_focus_in_event_t *event);
/* Raises ID, and its dialogs above it. */
void focus_raise(xcb_window_t id);
/* After the end of GONE: if it had the keyboard, its owner or the last one before gets it. */
void focus_return(const struct window *gone);
/* Closes window ID with WM_DELETE_WINDOW; disconnects a client that does not know that. */
void focus_close_window(xcb_window_t id);

/* Alt+Tab (next window) and Alt+F4 (close), if the user's desktop lets them through. */
void keys_grab(void);
void keys_ungrab(void);
void keys_pressed(const xcb_key_press_event_t *event);
/* The keyboard map may have changed: keys_update() reads it, once for all events that have come. */
void keys_changed(const xcb_mapping_notify_event_t *event);
void keys_update(void);
