/* What `box port list` and `box status` print of ports. */
#pragma once

#include <jansson.h>

#include "box/registry/registry.h"

/* All that is known of the ports of one box. */
typedef struct {
    gboolean running, shares_host;
    const char *argument; /* as the user named the box on the command line; or NULL */
    GPtrArray *forwards;  /* of port_forward */
    GPtrArray *listeners; /* of listener */
    json_t *inspect;      /* what Podman says of the running container; or NULL; borrowed */
} port_view;

/* The documented JSON of it. */
json_t *port_show_json(const port_view *self);
void port_show_text(const port_view *self);

/* "forwards" alone, as an array of the same objects. */
json_t *port_show_forwards_json(const GPtrArray *forwards);
