/*
 * One value of the configuration, by its kind: from TOML into a field of settings (value_read.c,
 * which has the table of kinds, and value_read_list.c), back to TOML (value_print.c), and to JSON
 * (value_print.c).
 */
#pragma once

#include <jansson.h>

#include "config/problems.h"
#include "config/schema.h"
#include "config/toml.h"

/* Most entries of one list, map or [[mount]]. */
#define VALUE_ENTRIES_MAX 1000

/* Where a value is read from: for messages. */
typedef struct {
    const schema_key *row;
    const char *file;
    problems *problems;
    const char *key; /* within a [[mount]]; else NULL */
} value_source;

/*
 * Reads NODE into FIELD, which holds the value of the files before: replaced, or merged with as the
 * kind says. On FALSE the problems are recorded, and FIELD is unchanged.
 */
gboolean value_read(const value_source *from, const toml_tree *node, void *field);

/* Frees what FIELD holds and leaves it empty. */
void value_clear(schema_kind kind, void *field);

/* FIELD as TOML, a new string that is safe to show. */
char *value_print(const schema_key *row, const void *field);

/*
 * FIELD as JSON, a new value: null for a text that is not set, sizes in bytes, durations in seconds
 * or "never". A mount is {"source", "target", "mode"}, a share {"source", "mode"}, a port its text.
 */
json_t *value_to_json(const schema_key *row, const void *field);

/* TEXT as a TOML string, safe to show; dangerous characters as \uXXXX. Appended to OUT. */
void value_print_string(GString *out, const char *text);

/* Readers of the table of kinds. */
typedef gboolean (*value_reader)(const value_source *from, const toml_tree *node, void *field);
gboolean value_read_list(const value_source *from, const toml_tree *node, void *field);
gboolean value_read_map(const value_source *from, const toml_tree *node, void *field);
gboolean value_read_ports(const value_source *from, const toml_tree *node, void *field);
gboolean value_read_shares(const value_source *from, const toml_tree *node, void *field);
gboolean value_read_mounts(const value_source *from, const toml_tree *node, void *field);
gboolean value_read_raw(const value_source *from, const toml_tree *node, void *field);

/* Records a problem of the value at AT; FORMAT's texts must be safe. Always FALSE. */
gboolean value_wrong(const value_source *from, toml_place at, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* "must be WANTED, not a list". Always FALSE. */
gboolean value_wrong_kind(const value_source *from, const toml_tree *node, const char *wanted);
/* NODE's text when it is a string without NUL, else NULL and a problem. Owned by NODE. */
const char *value_text(const value_source *from, const toml_tree *node);
/* TEXT as CHECK normalises it (a new string), else NULL and a problem. CHECK NULL: a copy. */
char *value_checked(const value_source *from, toml_place at, const char *text, schema_check check);
/* The choice that NODE names, or NULL and a problem. */
const struct choice *value_choice(const value_source *from, const toml_tree *node,
                                  const struct choice *choices);

/*
 * value_requests.c: an entry of [network] allow for some requests of a host alone:
 *
 *     { host = "api.example.com", methods = ["GET", "HEAD"], paths = ["/v1"] }
 *
 * It stands for a rule of each method and path (proto/network_rules.h), and is shown as these.
 */

/* Adds the rules of the table NODE to LIST, of char *. FALSE with a problem. */
gboolean value_read_requests(const value_source *from, const toml_tree *node, GPtrArray *list);
