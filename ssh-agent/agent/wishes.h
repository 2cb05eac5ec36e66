/* Which keys the user attached to a box: by the configuration, and by `box keys attach`. */
#pragma once

#include "ssh-agent/agent/boxes.h"

#define WISHES_MAX 1000

/* Of key_wish. */
GPtrArray *wishes_new(void);
/* From the control socket: [{"fingerprint": "SHA256:…", "label": "work"}, …], one of both at least.
 */
void wishes_take(GPtrArray *self, const json_t *list);
/* From the box's file of attachments: "SHA256:… LABEL" a line. A missing one is empty. */
void wishes_read(GPtrArray *self, const char *box);

/* TRUE when there is such a file, though it may be empty: the user was asked, or attached some. */
gboolean wishes_were_asked(const char *box);
/* Writes LINES as that file. */
void wishes_write(const char *box, const char *lines);

/* As boxes_label(). */
char *wishes_label(const GPtrArray *self, const char *fingerprint, const char *comment,
                   gsize length);
/* FALSE when FINGERPRINT is in neither by its fingerprint, and no label could cover it. */
gboolean wishes_have(const GPtrArray *a, const GPtrArray *b, const char *fingerprint);
