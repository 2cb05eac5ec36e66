/* The requests to an X server that selections need, each with the words of its protocol. */
#pragma once

#include "host/bridge/clipboard/xlink.h"

/* No atom, no window; the time that the server has. */
#define X_NONE 0u
#define X_NOW 0u
/* Atoms that every server has. */
#define X_ATOM 4u
/* Of events. */
#define X_PROPERTY_CHANGES (1u << 22)
/* What a property's state is. */
#define X_PROPERTY_NEW 0

/* The opcode of an extension, and its first event, in EVENT (may be NULL); 0: it is not there. */
uint8_t x_extension(struct xlink *link, const char *name, uint8_t *event);
/* The number of an atom; X_NONE on failure. Both wait, as xlink_ask() does. */
uint32_t x_atom(struct xlink *link, const char *name);

/* A window that is never shown. */
void x_create_window(struct xlink *link, uint32_t window, uint32_t events);
void x_select_events(struct xlink *link, uint32_t window, uint32_t events);
/* OWNER: a window of ours, or X_NONE. */
void x_own_selection(struct xlink *link, uint32_t owner, uint32_t selection);
void x_convert(struct xlink *link, uint32_t window, uint32_t selection, uint32_t target,
               uint32_t property);
/* Asks for a piece of it, from byte AT (of four) on; it is deleted with the last one. */
void x_get_property(struct xlink *link, uint32_t window, uint32_t property, size_t at);
void x_delete_property(struct xlink *link, uint32_t window, uint32_t property);
/* DATA: LENGTH bytes, of items of WIDTH bytes. */
void x_set_property(struct xlink *link, uint32_t window, uint32_t property, uint32_t type,
                    unsigned width, const void *data, size_t length);
/* Answers a request for a selection; PROPERTY X_NONE: no. */
void x_notify(struct xlink *link, uint32_t window, uint32_t selection, uint32_t target,
              uint32_t property, uint32_t time);

/* Of the extension XFIXES, whose opcode is OPCODE. */
/* Its version, 0: none. Waits. */
uint32_t x_fixes_version(struct xlink *link, uint8_t opcode);
/* Every change of the selection's owner is to be told of. */
void x_fixes_watch(struct xlink *link, uint8_t opcode, uint32_t window, uint32_t selection);
/* The server is to end with its last client but us; from this version on. */
#define X_FIXES_NOT_COUNTING 6u
void x_fixes_do_not_count(struct xlink *link, uint8_t opcode);

/* The window that has the keyboard, or under the pointer where that decides; X_NONE. Waits. */
uint32_t x_focus(struct xlink *link);
/* The process that made WINDOW, as the server knows it from its socket, by the extension X-Resource
 * (1.2), whose opcode is OPCODE; 0: unknown. Waits. */
uint32_t x_resource_pid(struct xlink *link, uint8_t opcode, uint32_t window);
