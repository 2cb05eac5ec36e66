/*
 * TOML 1.0 as a plain tree for C. toml.cc, the only C++ of the project, fills it with toml++, which
 * is built without exceptions and used only in that file.
 *
 * Every node and every key knows its line and column (from 1, in characters). All text is valid
 * UTF-8; strings may contain NUL (compare their length), keys do not.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Deepest nesting of arrays and inline tables, and most segments of one dotted key. Without the
 * second limit, a key "a.a.a.…" would build a tree that overflows the stack when it is freed. */
#define TOML_DEPTH_MAX 16

typedef enum {
    TOML_STRING,
    TOML_INTEGER,
    TOML_DOUBLE,
    TOML_BOOLEAN,
    TOML_DATE, /* any of the four date and time types; the value is not kept */
    TOML_ARRAY,
    TOML_TABLE,
} toml_kind;

typedef struct {
    guint line, column; /* 0: nowhere, for a table that only a dotted key implies */
} toml_place;

typedef struct toml_tree {
    toml_kind kind;
    toml_place at;
    char *key; /* in a table: this node's key; else NULL */
    toml_place key_at;
    char *string;
    gsize length;
    gint64 integer;
    double number;
    gboolean boolean;
    GPtrArray *children; /* of toml_tree: of an array in order, of a table sorted by key */
} toml_tree;

/*
 * Parses LENGTH bytes. NULL on the first error: its place and a message (safe to show, free with
 * g_free) are in *AT and *MESSAGE.
 */
toml_tree *toml_parse(const char *text, gsize length, toml_place *at, char **message);
void toml_free(toml_tree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(toml_tree, toml_free)

/* The child of table TREE with KEY, or NULL. */
const toml_tree *toml_get(const toml_tree *tree, const char *key);

/* "a string", "a table" …, for messages. */
const char *toml_kind_name(toml_kind kind);

/*
 * Scans TEXT for what toml++ does not handle safely, before toml++ parses it: keys of too many
 * segments (its recursion overflows the stack), and characters beyond ASCII outside strings and
 * comments, which TOML does not allow. NULL when there are none, else what is wrong, and where.
 */
const char *toml_scan(const char *text, gsize length, toml_place *at);

G_END_DECLS
