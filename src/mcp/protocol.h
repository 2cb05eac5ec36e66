/*
 * What a server of the Model Context Protocol answers, by both generations of the protocol:
 * 2026-07-28, where each request says its version, and those that begin with "initialize"
 * (specification 2026-07-28, Versioning). Knows nothing of a box; no input, no output.
 */
#pragma once

#include "mcp/message.h"
#include "mcp/tool.h"

struct protocol {
    gboolean is_legacy;       /* "initialize" has come */
    const char *instructions; /* for the model */
};

typedef enum {
    PROTOCOL_NOTHING,
    PROTOCOL_ANSWER, /* send ANSWER */
    PROTOCOL_CALL,   /* start a call of TOOL */
    PROTOCOL_CANCEL, /* cancel the call ID */
} protocol_action;

/* All but ANSWER belongs to the message. */
typedef struct {
    protocol_action action;
    json_t *answer; /* new */
    const tool *tool;
    json_t *id, *arguments, *token; /* ARGUMENTS, TOKEN: NULL when there are none */
    gboolean modern;
} protocol_step;

void protocol_take(struct protocol *self, const message *given, protocol_step *step);
