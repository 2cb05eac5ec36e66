/* The requests to an X server that selections need. */
#pragma once

#include "host/bridge/clipboard/x11_connection.h"

/* No atom or window; the current time of the server. */
#define X11_NONE 0u
#define X11_CURRENT_TIME 0u
/* The predefined atom ATOM. */
#define X11_ATOM_ATOM 4u
/* An event mask. */
#define X11_PROPERTY_CHANGE_MASK (1u << 22)
/* A state of PropertyNotify. */
#define X11_PROPERTY_NEW_VALUE 0

/* The opcode of an extension, with its first event in *EVENT (may be NULL); 0: it is missing.
 * Waits. */
uint8_t x11_query_extension(struct x11_connection *connection, const char *name, uint8_t *event);
/* An atom; X11_NONE on failure. Waits. */
uint32_t x11_intern_atom(struct x11_connection *connection, const char *name);

/* Creates a window that is never mapped. */
void x11_create_window(struct x11_connection *connection, uint32_t window, uint32_t events);
void x11_select_events(struct x11_connection *connection, uint32_t window, uint32_t events);
/* OWNER: our window, or X11_NONE. */
void x11_set_selection_owner(struct x11_connection *connection, uint32_t owner, uint32_t selection);
void x11_convert_selection(struct x11_connection *connection, uint32_t window, uint32_t selection,
                           uint32_t target, uint32_t property);
/* Asks for X11_PROPERTY_MAX bytes from AT (a multiple of 4) on; reading the end deletes it. */
void x11_get_property(struct x11_connection *connection, uint32_t window, uint32_t property,
                      size_t at);
void x11_delete_property(struct x11_connection *connection, uint32_t window, uint32_t property);
/* DATA: LENGTH bytes; an item has WIDTH bytes. */
void x11_change_property(struct x11_connection *connection, uint32_t window, uint32_t property,
                         uint32_t type, unsigned width, const void *data, size_t length);
/* Answers SelectionRequest. PROPERTY X11_NONE: refused. */
void x11_send_selection_notify(struct x11_connection *connection, uint32_t window,
                               uint32_t selection, uint32_t target, uint32_t property,
                               uint32_t time);

/* The extension XFIXES. OPCODE is that of x11_query_extension(). */

/* Its major version; 0 on failure. Waits. */
uint32_t x11_fixes_query_version(struct x11_connection *connection, uint8_t opcode);
/* Asks for events when the owner of SELECTION changes. */
void x11_fixes_select_selection_input(struct x11_connection *connection, uint8_t opcode,
                                      uint32_t window, uint32_t selection);
/* Since this version: the server may end although we are connected. */
#define X11_FIXES_DISCONNECT_MODE_VERSION 6u
void x11_fixes_set_disconnect_mode(struct x11_connection *connection, uint8_t opcode);

/* The window with the keyboard focus, or under the pointer if that decides; or X11_NONE. Waits. */
uint32_t x11_get_focus_window(struct x11_connection *connection);
/* The process that created WINDOW, which the server knows from its socket (extension
 * X-Resource 1.2); 0: unknown. Waits. */
uint32_t x11_res_query_pid(struct x11_connection *connection, uint8_t opcode, uint32_t window);
