/* What a tool has `box` itself do, in a process of its own: the commands of box-branch(1) and
 * box-snapshot(1) and their --json. */
#pragma once

#include "mcp/call.h"

/* Runs box with WORDS (ends with NULL; no text of the client's may be an option in it) to its end,
 * and calls FINISH. MOST: bytes of output that are kept. */
void box_command_run(struct call *call, const char *const *words, gsize most,
                     void (*finish)(struct call *call));

/* KEYS (ends with NULL) of the object FROM, null where there is none; a new object. Texts, which a
 * box may have chosen, have no control characters (output_text). */
json_t *box_command_pick(json_t *from, const char *const *keys);
/* KEYS of MOST objects of the array LIST; *TRUNCATED: it has more. A new array. */
json_t *box_command_pick_all(json_t *list, const char *const *keys, double most,
                             gboolean *truncated);

/* In FINISH: TRUE when it ended well. Else the call has failed, with what it said. */
gboolean box_command_succeeded(struct call *call);
/* The same, and the JSON that it printed, a new value; NULL: the call has failed. */
json_t *box_command_json(struct call *call);
