/* Results on stdout: JSON for programs, tables for people. */
#pragma once

#include <glib.h>
#include <jansson.h>

/*
 * JSON on stdout, by the same conventions for every command with --json (box(1), JSON OUTPUT):
 * names of keys in snake_case, times as RFC 3339 in UTC, sizes in bytes, durations in seconds, and
 * null for what is unknown or does not apply.
 */

/*
 * Prints VALUE (taken over) and a line end. On a terminal it is indented and ASCII alone, with \u
 * for the rest: no text of a box can change what the terminal shows.
 */
void json_print(json_t *value);
/* Prints VALUE (taken over) as one line at once: a result of many such lines. */
void json_print_line(json_t *value);

/* New values, null for what is unknown: */
/* TEXT; null for NULL and for "". What is not UTF-8 is escaped (text_safe). */
json_t *json_text(const char *text);
/* An array of them; LIST may be NULL. */
json_t *json_texts(char *const *list);
/* A number, size or duration; null when it is negative. */
json_t *json_count(gint64 count);
/* SECONDS since 1970; null when it is not positive. */
json_t *json_time(gint64 seconds);

/* Makes null of every "" in VALUE, at any depth: the agent's protocol has "" for what is unknown.
 */
void json_empty_to_null(json_t *value);

/* Output in columns. Each is as wide as its widest cell, so the widest column belongs last. */

typedef struct table table;

/* HEADINGS is NULL-terminated. */
table *table_new(const char *const *headings);
void table_free(table *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(table, table_free)

/* Adds the next cell, row by row from the left. TEXT is made safe (text_safe). */
void table_add(table *self, const char *text);
/* TRUE when there is no row but the headings. */
gboolean table_is_empty(const table *self);
/* Prints to stdout. */
void table_print(const table *self);
