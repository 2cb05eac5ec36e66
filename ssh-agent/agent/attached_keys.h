/*
 * The keys that the user attached to a box: in the configuration, and with `box keys attach`. The
 * latter are in a file for each box, with lines "SHA256:… LABEL". Only the agent writes it, and
 * there is one agent, so concurrent commands lose nothing.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Keys of one box. */
#define ATTACHED_KEYS_MAX 1000

typedef struct attached_key {
    char *fingerprint; /* "SHA256:…"; NULL: every key that has the label */
    char *label;       /* NULL: the key's comment in the real agent */
} attached_key;

/* An empty list of attached_key. */
GPtrArray *attached_keys_new(void);
/*
 * Replaces SELF's keys by those that the control socket's LIST names:
 *   {"fingerprint": "SHA256:…", "label": "work"}   at least one of the two
 *   {"line": "ssh-ed25519 AAAA… work", "label": "id.pub"}   a line of a public key file; the label
 *                                                  is for a key whose comment is empty
 * Returns the indices of lines that are no keys, a new array.
 */
json_t *attached_keys_parse(GPtrArray *self, const json_t *list);

/* Replaces SELF's keys by those of BOX's file. A missing file is an empty one. */
gboolean attached_keys_read(GPtrArray *self, const char *box, GError **error);
/* Adds KEYS, as above and with a fingerprint each, to BOX's file; a key that is there gets the new
 * label. A file that cannot be read is not overwritten. */
gboolean attached_keys_attach(const char *box, const json_t *keys, GError **error);
/* Removes KEY, a fingerprint or a label, from BOX's file. */
gboolean attached_keys_detach(const char *box, const char *key, GError **error);
/* Sets the LABEL of the key FINGERPRINT in the files of all boxes, whether they run or not; NULL
 * removes the key. Returns the names of the changed boxes, a new array; NULL with ERROR when one
 * could not be changed, but all others were. */
json_t *attached_keys_change_in_all(const char *fingerprint, const char *label, GError **error);
/* TRUE when BOX has a file, which may be empty: the user has decided about its keys. */
gboolean attached_keys_exist(const char *box);

/* See agent_box_label(). */
char *attached_keys_label(const GPtrArray *self, const char *fingerprint, const char *comment,
                          gsize length);
/* TRUE when one of SELF has that FINGERPRINT. Keys that are given by label alone do not count. */
gboolean attached_keys_contain(const GPtrArray *self, const char *fingerprint);
