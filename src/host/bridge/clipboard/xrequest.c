#include "host/bridge/clipboard/xrequest.h"

#include <string.h>

/* Opcodes of the protocol. */
enum {
    CREATE_WINDOW = 1,
    CHANGE_ATTRIBUTES = 2,
    INTERN_ATOM = 16,
    CHANGE_PROPERTY = 18,
    DELETE_PROPERTY = 19,
    GET_PROPERTY = 20,
    SET_OWNER = 22,
    CONVERT = 24,
    SEND_EVENT = 25,
    QUERY_POINTER = 38,
    GET_FOCUS = 43,
    QUERY_EXTENSION = 98
};
enum { RESOURCE_CLIENT_IDS = 4 };
/* Process ids, among the kinds of them. */
#define RESOURCE_PIDS 2u
enum { FIXES_VERSION = 0, FIXES_SELECT = 2, FIXES_DISCONNECT_MODE = 33 };
/* Of the window's attributes. */
#define EVENT_MASK (1u << 11)
/* Owner set, its window gone, its client gone. */
#define FIXES_ALL_CHANGES 7u
#define FIXES_TERMINATE 1u
#define EVENT_SIZE 32
/* The focus is wherever the pointer is. */
#define POINTER_ROOT 1u

#define PUT(link, opcode, second, words) \
    xlink_put(link, opcode, second, words, sizeof(words) / sizeof *(words), NULL, 0)

static int ask_by_name(struct xlink *link, uint8_t opcode, const char *name,
                       unsigned char reply[32])
{
    size_t length = strlen(name);
    uint32_t words[] = {xlink_halves((uint16_t)length, 0)};
    xlink_put(link, opcode, 0, words, 1, name, length);
    return xlink_ask(link, reply, 32);
}

uint8_t x_extension(struct xlink *link, const char *name, uint8_t *event)
{
    unsigned char reply[32];
    if (ask_by_name(link, QUERY_EXTENSION, name, reply) < 0 || !reply[8])
        return 0;
    if (event)
        *event = reply[10] & 0x7f;
    return reply[9];
}

uint32_t x_atom(struct xlink *link, const char *name)
{
    unsigned char reply[32];
    return ask_by_name(link, INTERN_ATOM, name, reply) < 0 ? X_NONE : xwire_word(reply, 8);
}

void x_create_window(struct xlink *link, uint32_t window, uint32_t events)
{
    /* At 0, 0, of size 1 by 1, without a border; class and visual as the root's. */
    uint32_t words[] = {window, link->setup.root, 0, xlink_halves(1, 1), 0, 0, EVENT_MASK, events};
    PUT(link, CREATE_WINDOW, 0, words);
}

void x_select_events(struct xlink *link, uint32_t window, uint32_t events)
{
    uint32_t words[] = {window, EVENT_MASK, events};
    PUT(link, CHANGE_ATTRIBUTES, 0, words);
}

void x_own_selection(struct xlink *link, uint32_t owner, uint32_t selection)
{
    uint32_t words[] = {owner, selection, X_NOW};
    PUT(link, SET_OWNER, 0, words);
}

void x_convert(struct xlink *link, uint32_t window, uint32_t selection, uint32_t target,
               uint32_t property)
{
    uint32_t words[] = {window, selection, target, property, X_NOW};
    PUT(link, CONVERT, 0, words);
}

void x_get_property(struct xlink *link, uint32_t window, uint32_t property, size_t at)
{
    uint32_t words[] = {window, property, 0, (uint32_t)(at / 4), (uint32_t)(XWIRE_PIECE / 4)};
    PUT(link, GET_PROPERTY, 1, words);
}

void x_delete_property(struct xlink *link, uint32_t window, uint32_t property)
{
    uint32_t words[] = {window, property};
    PUT(link, DELETE_PROPERTY, 0, words);
}

void x_set_property(struct xlink *link, uint32_t window, uint32_t property, uint32_t type,
                    unsigned width, const void *data, size_t length)
{
    unsigned char bits[4] = {(unsigned char)(width * 8)};
    uint32_t words[] = {window, property, type, 0, (uint32_t)(length / width)};
    memcpy(&words[3], bits, sizeof bits);
    xlink_put(link, CHANGE_PROPERTY, 0, words, sizeof words / sizeof *words, data, length);
}

void x_notify(struct xlink *link, uint32_t window, uint32_t selection, uint32_t target,
              uint32_t property, uint32_t time)
{
    unsigned char event[EVENT_SIZE] = {XWIRE_SELECTION_NOTIFY};
    uint32_t said[] = {time, window, selection, target, property};
    uint32_t words[] = {window, 0};
    memcpy(event + 4, said, sizeof said);
    xlink_put(link, SEND_EVENT, 0, words, 2, event, sizeof event);
}

uint32_t x_fixes_version(struct xlink *link, uint8_t opcode)
{
    unsigned char reply[32];
    uint32_t words[] = {X_FIXES_NOT_COUNTING, 0};
    PUT(link, opcode, FIXES_VERSION, words);
    return xlink_ask(link, reply, sizeof reply) < 0 ? 0 : xwire_word(reply, 8);
}

void x_fixes_watch(struct xlink *link, uint8_t opcode, uint32_t window, uint32_t selection)
{
    uint32_t words[] = {window, selection, FIXES_ALL_CHANGES};
    PUT(link, opcode, FIXES_SELECT, words);
}

void x_fixes_do_not_count(struct xlink *link, uint8_t opcode)
{
    uint32_t words[] = {FIXES_TERMINATE};
    PUT(link, opcode, FIXES_DISCONNECT_MODE, words);
}

uint32_t x_focus(struct xlink *link)
{
    unsigned char reply[32];
    uint32_t root[] = {link->setup.root};
    xlink_put(link, GET_FOCUS, 0, NULL, 0, NULL, 0);
    if (xlink_ask(link, reply, sizeof reply) < 0)
        return X_NONE;
    uint32_t window = xwire_word(reply, 8);
    if (window != POINTER_ROOT && window != link->setup.root)
        return window;
    PUT(link, QUERY_POINTER, 0, root);
    return xlink_ask(link, reply, sizeof reply) < 0 ? X_NONE : xwire_word(reply, 12);
}

uint32_t x_resource_pid(struct xlink *link, uint8_t opcode, uint32_t window)
{
    /* Its first answer, behind the head: client, kind, bytes of the value, the value. */
    unsigned char reply[48];
    uint32_t words[] = {1, window, RESOURCE_PIDS};
    PUT(link, opcode, RESOURCE_CLIENT_IDS, words);
    if (xlink_ask(link, reply, sizeof reply) < 0 || xwire_word(reply, 8) != 1 ||
        xwire_word(reply, 40) != sizeof(uint32_t))
        return 0;
    return xwire_word(reply, 44);
}
