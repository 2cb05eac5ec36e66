/* What `box consent` prints for people. Much of it a box has said: nothing goes out unescaped. */
#pragma once

#include <jansson.h>

#include <glib.h>

void consent_show_status(const json_t *status);
/* {"keys": […], "grants": […]} of one box, for `box status`; nothing when there is neither. */
void consent_show_ssh(const json_t *ssh);
void consent_show_pending(const json_t *list);
/* The question whether the answer CHOICE is to be given to the request ITEM of such a list; NULL:
 * it cannot be read, or has no such choice. A new string. */
char *consent_show_request(const json_t *item, const char *choice);
void consent_show_grants(const json_t *list);
/* The last LINES entries of the log; AS_JSON: as they are. */
void consent_show_log(guint lines, gboolean as_json);
