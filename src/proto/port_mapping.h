/* A port of the host that leads to one of a box, as people and files write it. */
#pragma once

#include <glib.h>

#define PORT_MAPPING_LOOPBACK "127.0.0.1"

typedef struct {
    char *host_ip; /* normalised; 127.0.0.1 unless said otherwise */
    guint16 host_port, box_port;
    gboolean udp;
} port_mapping;
void port_mapping_free(port_mapping *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(port_mapping, port_mapping_free)

/* "[[IP:]HOST:]BOX[/udp|/tcp]"; an IPv6 address stands in brackets. NULL when TEXT is none. */
port_mapping *port_mapping_parse(const char *text);
/* All of it, "IP:HOST:BOX[/udp]", which parses into the same. */
char *port_mapping_text(const port_mapping *self);
/* Its end on the host: "IP:HOST". */
char *port_mapping_host_side(const port_mapping *self);
/* TRUE when both take the same port of the host. */
gboolean port_mapping_same_host_side(gconstpointer a, gconstpointer b);
/* TRUE when nobody but this machine reaches its end on the host. */
gboolean port_mapping_is_local(const port_mapping *self);

/* An IPv4 or IPv6 address as inet_ntop(3) writes it, a new string; NULL when TEXT is none. */
char *port_mapping_address(const char *text);

/* What the forwarder's lock and log are called (host/supervisor/helper_lock.h). */
#define PORT_HELPER "port"
/* Names in the runtime folder of a box; the list of those that are kept is called the same in its
 * data folder. */
#define PORT_LIST "ports"
#define PORT_SOCKET "port.sock"

/* More than anybody has servers in one project; each may ask for PORT_CONNECTS_MAX connections at a
 * time, which together have to fit into what box-init takes. */
#define PORT_FORWARDS_MAX 32
#define PORT_CONNECTS_MAX 16

/* The mappings in FOLDER's list, of port_mapping; none when it is missing, or makes no sense. */
GPtrArray *port_list_read(const char *folder);
gboolean port_list_write(const char *folder, const GPtrArray *list, GError **error);

/* The mapping in LIST with the same end on the host; NULL. *AT is its index then; AT may be NULL.
 */
port_mapping *port_list_find(const GPtrArray *list, const port_mapping *like, guint *at);
