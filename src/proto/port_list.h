/*
 * The file that says which ports of the host lead into a box: a mapping a line (mapping.h), written
 * by `box`, read by the forwarder. It lies where no box can see it.
 */
#pragma once

#include "proto/port_mapping.h"

/* What the forwarder's lock and log are called (host/supervisor/helper_lock.h). */
#define PORT_HELPER "port"
/* Names in the runtime folder of a box; the list of those that are kept is called the same in its
 * data folder. */
#define PORT_LIST "ports"
#define PORT_SOCKET "port.sock"

/* More than anybody has servers in one project; each may ask for PORT_DIALS_MAX connections at a
 * time, which together have to fit into what box-init takes. */
#define PORT_FORWARDS_MAX 32
#define PORT_DIALS_MAX 16

/* The mappings in FOLDER's list, of port_mapping; none when it is missing, or makes no sense. */
GPtrArray *port_list_read(const char *folder);
gboolean port_list_write(const char *folder, const GPtrArray *list, GError **error);

/* The mapping in LIST with the same end on the host; NULL. *AT is its index then; AT may be NULL.
 */
port_mapping *port_list_find(const GPtrArray *list, const port_mapping *like, guint *at);
