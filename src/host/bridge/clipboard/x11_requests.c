#include "host/bridge/clipboard/x11_requests.h"

#include <string.h>

/* Opcodes of the core protocol. */
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
/* LocalClientPID of QueryClientIds. */
#define RESOURCE_PIDS 2u
enum { FIXES_VERSION = 0, FIXES_SELECT = 2, FIXES_DISCONNECT_MODE = 33 };
/* CWEventMask. */
#define EVENT_MASK (1u << 11)
/* Owner set, window destroyed, client closed. */
#define FIXES_ALL_CHANGES 7u
#define FIXES_TERMINATE 1u
#define EVENT_SIZE 32
/* PointerRoot: the focus follows the pointer. */
#define POINTER_ROOT 1u

#define PUT(connection, opcode, second, words)                                                     \
    x11_connection_put_request(connection, opcode, second, words, sizeof(words) / sizeof *(words), \
                               NULL, 0)

static int ask_by_name(struct x11_connection *connection, uint8_t opcode, const char *name,
                       unsigned char reply[32])
{
    size_t length = strlen(name);
    uint32_t words[] = {x11_pack_halves((uint16_t)length, 0)};
    x11_connection_put_request(connection, opcode, 0, words, 1, name, length);
    return x11_connection_wait_reply(connection, reply, 32);
}

uint8_t x11_query_extension(struct x11_connection *connection, const char *name, uint8_t *event)
{
    unsigned char reply[32];
    if (ask_by_name(connection, QUERY_EXTENSION, name, reply) < 0 || !reply[8])
        return 0;
    if (event)
        *event = reply[10] & 0x7f;
    return reply[9];
}

uint32_t x11_intern_atom(struct x11_connection *connection, const char *name)
{
    unsigned char reply[32];
    return ask_by_name(connection, INTERN_ATOM, name, reply) < 0 ? X11_NONE
                                                                 : x11_message_word(reply, 8);
}

void x11_create_window(struct x11_connection *connection, uint32_t window, uint32_t events)
{
    /* At 0, 0, of size 1 by 1, without a border; class and visual as the root's. */
    uint32_t words[] = {window, connection->setup.root, 0, x11_pack_halves(1, 1), 0, 0, EVENT_MASK,
                        events};
    PUT(connection, CREATE_WINDOW, 0, words);
}

void x11_select_events(struct x11_connection *connection, uint32_t window, uint32_t events)
{
    uint32_t words[] = {window, EVENT_MASK, events};
    PUT(connection, CHANGE_ATTRIBUTES, 0, words);
}

void x11_set_selection_owner(struct x11_connection *connection, uint32_t owner, uint32_t selection)
{
    uint32_t words[] = {owner, selection, X11_CURRENT_TIME};
    PUT(connection, SET_OWNER, 0, words);
}

void x11_convert_selection(struct x11_connection *connection, uint32_t window, uint32_t selection,
                           uint32_t target, uint32_t property)
{
    uint32_t words[] = {window, selection, target, property, X11_CURRENT_TIME};
    PUT(connection, CONVERT, 0, words);
}

void x11_get_property(struct x11_connection *connection, uint32_t window, uint32_t property,
                      size_t at)
{
    uint32_t words[] = {window, property, 0, (uint32_t)(at / 4), (uint32_t)(X11_PROPERTY_MAX / 4)};
    PUT(connection, GET_PROPERTY, 1, words);
}

void x11_delete_property(struct x11_connection *connection, uint32_t window, uint32_t property)
{
    uint32_t words[] = {window, property};
    PUT(connection, DELETE_PROPERTY, 0, words);
}

void x11_change_property(struct x11_connection *connection, uint32_t window, uint32_t property,
                         uint32_t type, unsigned width, const void *data, size_t length)
{
    unsigned char bits[4] = {(unsigned char)(width * 8)};
    uint32_t words[] = {window, property, type, 0, (uint32_t)(length / width)};
    memcpy(&words[3], bits, sizeof bits);
    x11_connection_put_request(connection, CHANGE_PROPERTY, 0, words, sizeof words / sizeof *words,
                               data, length);
}

void x11_send_selection_notify(struct x11_connection *connection, uint32_t window,
                               uint32_t selection, uint32_t target, uint32_t property,
                               uint32_t time)
{
    unsigned char event[EVENT_SIZE] = {X11_SELECTION_NOTIFY};
    uint32_t said[] = {time, window, selection, target, property};
    uint32_t words[] = {window, 0};
    memcpy(event + 4, said, sizeof said);
    x11_connection_put_request(connection, SEND_EVENT, 0, words, 2, event, sizeof event);
}

uint32_t x11_fixes_query_version(struct x11_connection *connection, uint8_t opcode)
{
    unsigned char reply[32];
    uint32_t words[] = {X11_FIXES_DISCONNECT_MODE_VERSION, 0};
    PUT(connection, opcode, FIXES_VERSION, words);
    return x11_connection_wait_reply(connection, reply, sizeof reply) < 0
               ? 0
               : x11_message_word(reply, 8);
}

void x11_fixes_select_selection_input(struct x11_connection *connection, uint8_t opcode,
                                      uint32_t window, uint32_t selection)
{
    uint32_t words[] = {window, selection, FIXES_ALL_CHANGES};
    PUT(connection, opcode, FIXES_SELECT, words);
}

void x11_fixes_set_disconnect_mode(struct x11_connection *connection, uint8_t opcode)
{
    uint32_t words[] = {FIXES_TERMINATE};
    PUT(connection, opcode, FIXES_DISCONNECT_MODE, words);
}

uint32_t x11_get_focus_window(struct x11_connection *connection)
{
    unsigned char reply[32];
    uint32_t root[] = {connection->setup.root};
    x11_connection_put_request(connection, GET_FOCUS, 0, NULL, 0, NULL, 0);
    if (x11_connection_wait_reply(connection, reply, sizeof reply) < 0)
        return X11_NONE;
    uint32_t window = x11_message_word(reply, 8);
    if (window != POINTER_ROOT && window != connection->setup.root)
        return window;
    PUT(connection, QUERY_POINTER, 0, root);
    return x11_connection_wait_reply(connection, reply, sizeof reply) < 0
               ? X11_NONE
               : x11_message_word(reply, 12);
}

uint32_t x11_res_query_pid(struct x11_connection *connection, uint8_t opcode, uint32_t window)
{
    /* The reply: a header of 32 bytes, then client, mask, length of the value, the value. */
    unsigned char reply[48];
    uint32_t words[] = {1, window, RESOURCE_PIDS};
    PUT(connection, opcode, RESOURCE_CLIENT_IDS, words);
    if (x11_connection_wait_reply(connection, reply, sizeof reply) < 0 ||
        x11_message_word(reply, 8) != 1 || x11_message_word(reply, 40) != sizeof(uint32_t))
        return 0;
    return x11_message_word(reply, 44);
}
