#include "host/bridge/wm/last.h"

#include <stdlib.h>
#include <sys/uio.h>
#include <xcb/xcbext.h>

#include "host/bridge/wm/wm.h"

/*
 * Two requests of XFixes, by its protocol: the library that has them is one more that this machine
 * may not have. libxcb itself fills in the first word.
 */
enum { QUERY_VERSION = 0, SET_CLIENT_DISCONNECT_MODE = 33 };
#define VERSION 6
#define TERMINATE 1

struct request {
    uint32_t header;
    uint32_t values[2];
};
struct version {
    uint32_t header[2];
    uint32_t major;
};

static xcb_extension_t xfixes = {"XFIXES", 0};

/* Its number. libxcb wants the two places before the first part. */
static unsigned send(uint8_t what, int has_reply, uint32_t one, uint32_t other, unsigned count)
{
    struct request request = {0, {one, other}};
    struct iovec parts[3] = {[2] = {&request, sizeof request.header + 4 * count}};
    const xcb_protocol_request_t how = {
        .count = 1,
        .ext = &xfixes,
        .opcode = what,
        .isvoid = !has_reply,
    };
    return xcb_send_request(wm.x, has_reply ? XCB_REQUEST_CHECKED : 0, parts + 2, &how);
}

int last_of_clients(void)
{
    const xcb_query_extension_reply_t *known = xcb_get_extension_data(wm.x, &xfixes);
    if (!known || !known->present)
        return xcb_connection_has_error(wm.x) ? -1 : 0;
    xcb_generic_error_t *error = NULL;
    struct version *version =
        xcb_wait_for_reply(wm.x, send(QUERY_VERSION, 1, VERSION, 0, 2), &error);
    if (version && version->major >= VERSION)
        send(SET_CLIENT_DISCONNECT_MODE, 0, TERMINATE, 0, 1);
    free(version);
    free(error);
    return xcb_connection_has_error(wm.x) ? -1 : 0;
}
