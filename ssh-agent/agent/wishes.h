/* Which keys the user attached to a box: by the configuration, and by `box keys attach`. */
#pragma once

#include "ssh-agent/agent/boxes.h"

#define WISHES_MAX 1000

/* Of key_wish. */
GPtrArray *wishes_new(void);
/*
 * From the control socket: [{"fingerprint": "SHA256:…", "label": "work"}, …], one of both at least;
 * or {"line": "ssh-ed25519 AAAA… work", "label": "id.pub"}, a public key file's line, with the name
 * for a key whose comment is empty. Returns the indices of lines that are no key, a new array.
 */
json_t *wishes_take(GPtrArray *self, const json_t *list);

/*
 * The box's file of attachments: "SHA256:… LABEL" a line. Only the agent writes it, and there is
 * one agent: two who attach at once lose nothing. A missing file is empty; one that cannot be read
 * is an error, and nothing is written over it.
 */
gboolean wishes_read(GPtrArray *self, const char *box, GError **error);
/* KEYS as above, by fingerprint; each may be there already, and then is called anew. */
gboolean wishes_attach(const char *box, const json_t *keys, GError **error);
/* KEY is a fingerprint or a label. */
gboolean wishes_detach(const char *box, const char *key, GError **error);
/* In all boxes that have FINGERPRINT, whether they run or not, it is called LABEL; NULL: it is
 * detached. Returns their names, a new array; NULL with ERROR. */
json_t *wishes_change_in_all(const char *fingerprint, const char *label, GError **error);
/* TRUE when there is such a file, though it may be empty: the user was asked, or attached some. */
gboolean wishes_were_asked(const char *box);

/* As boxes_label(). */
char *wishes_label(const GPtrArray *self, const char *fingerprint, const char *comment,
                   gsize length);
/* TRUE when FINGERPRINT is among them as such; a label may be that of any key. */
gboolean wishes_name(const GPtrArray *self, const char *fingerprint);
