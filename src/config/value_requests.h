/*
 * An entry of [network] allow for some requests of a host alone:
 *
 *     { host = "api.example.com", methods = ["GET", "HEAD"], paths = ["/v1"] }
 *
 * It stands for a rule of each method and path (proto/network_rules.h), and is shown as these.
 */
#pragma once

#include "config/value.h"

/* Adds the rules of the table NODE to LIST, of char *. FALSE with a problem. */
gboolean value_read_requests(const value_source *from, const toml_tree *node, GPtrArray *list);
