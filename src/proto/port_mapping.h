/*
 * Forwarded ports: a port of the host that leads to a port of a box, as text, and the file that
 * lists those of a running box.
 */
#pragma once

#include <glib.h>

#define PORT_MAPPING_LOOPBACK "127.0.0.1"

typedef struct {
    char *host_ip; /* normalised; the default is 127.0.0.1 */
    guint16 host_port, box_port;
    gboolean udp;
} port_mapping;
void port_mapping_free(port_mapping *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(port_mapping, port_mapping_free)

/* Parses "[[IP:]HOST:]BOX[/udp|/tcp]", an IPv6 address in brackets. NULL when TEXT is invalid. */
port_mapping *port_mapping_parse(const char *text);
/* "IP:HOST:BOX[/udp]", a new string that parses into the same mapping. */
char *port_mapping_text(const port_mapping *self);
/* "IP:HOST", a new string. */
char *port_mapping_host_side(const port_mapping *self);
/* TRUE when both use the same address, port and protocol of the host. */
gboolean port_mapping_same_host_side(gconstpointer a, gconstpointer b);
/* TRUE when only this machine can reach its address on the host. */
gboolean port_mapping_is_local(const port_mapping *self);

/* The IPv4 or IPv6 address TEXT as inet_ntop(3) writes it, a new string; NULL when it is invalid.
 */
char *port_mapping_address(const char *text);

/* Name of the forwarder's lock and log (host/supervisor/helper_lock.h). */
#define PORT_HELPER "port"
/* Names in the runtime folder of a box. A list with the same name in its data folder has the ports
 * that are forwarded at each start. */
#define PORT_LIST "ports"
#define PORT_SOCKET "port.sock"

/* Most forwarded ports of a box, and most CONNECT requests of one at a time. Together they must fit
 * into the sessions that box-init allows. */
#define PORT_FORWARDS_MAX 32
#define PORT_CONNECTS_MAX 16

/* Reads FOLDER's list, which `box` writes and the forwarder reads, a mapping in a line; boxes
 * cannot see it. A new array of port_mapping; invalid lines and UDP are skipped. */
GPtrArray *port_list_read(const char *folder);
gboolean port_list_write(const char *folder, const GPtrArray *list, GError **error);

/* The mapping in LIST that uses the same address and port of the host as LIKE, and its index in *AT
 * (AT may be NULL). NULL: none. */
port_mapping *port_list_find(const GPtrArray *list, const port_mapping *like, guint *at);
