#include "mcp/protocol.h"

#include <string.h>

#include "common/text.h"
#include "mcp/message.h"

#define MODERN "2026-07-28"
#define META "io.modelcontextprotocol/"

/* Of the generation with "initialize", the latest first. Those before them have batches. */
static const char *const legacy_versions[] = {"2025-11-25", "2025-06-18", NULL};

static void step_answer(protocol_step *step, json_t *with)
{
    step->action = PROTOCOL_ANSWER;
    step->answer = with;
}

static void refuse(protocol_step *step, json_t *id, int code, const char *text)
{
    step_answer(step, message_error(id, code, text, NULL));
}

static json_t *capabilities(void)
{
    return json_pack("{s:{}}", "tools");
}

static const char *text_of(json_t *params, const char *name)
{
    return json_string_value(json_object_get(params, name));
}

static void initialize(struct protocol *self, const message *given, protocol_step *step)
{
    const char *wanted = text_of(given->params, "protocolVersion");
    if (!wanted) {
        refuse(step, given->id, MESSAGE_INVALID_PARAMS, "protocolVersion is missing");
        return;
    }
    gboolean is_known = g_strv_contains(legacy_versions, wanted);
    self->is_legacy = TRUE;
    step_answer(step, message_result(given->id, json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion",
                                                          is_known ? wanted : legacy_versions[0],
                                                          "capabilities", capabilities(),
                                                          "serverInfo", protocol_server_info(),
                                                          "instructions", self->instructions)));
}

static json_t *discover(const struct protocol *self)
{
    return protocol_cacheable(json_pack("{s:[s], s:o, s:s}", "supportedVersions", MODERN,
                                        "capabilities", capabilities(), "instructions",
                                        self->instructions));
}

static json_t *list_tools(gboolean modern)
{
    json_t *list = json_array();
    for (const tool *one = tools; one->name; one++)
        json_array_append_new(list, tool_json(one));
    json_t *result = json_pack("{s:o}", "tools", list);
    return modern ? protocol_cacheable(result) : result;
}

/* There is nothing to notify of, so the stream stays empty until the client cancels it. */
static json_t *acknowledge(json_t *id)
{
    return message_notification(
        "notifications/subscriptions/acknowledged",
        json_pack("{s:{s:O}, s:{}}", "_meta", META "subscriptionId", id, "notifications"));
}

static void call_tool(const message *given, protocol_step *step)
{
    const char *name = text_of(given->params, "name");
    json_t *arguments = json_object_get(given->params, "arguments");
    json_t *token = json_object_get(json_object_get(given->params, "_meta"), "progressToken");
    step->tool = name ? tool_find(name) : NULL;
    if (!name) {
        refuse(step, given->id, MESSAGE_INVALID_PARAMS, "the tool's name is missing");
    } else if (!step->tool) {
        g_autofree char *safe = text_safe_max(name, -1, 64);
        g_autofree char *text = g_strconcat("Unknown tool: ", safe, NULL);
        refuse(step, given->id, MESSAGE_INVALID_PARAMS, text);
    } else if (arguments && !json_is_object(arguments)) {
        refuse(step, given->id, MESSAGE_INVALID_PARAMS, "arguments must be an object");
    } else {
        step->action = PROTOCOL_CALL;
        step->id = given->id;
        step->arguments = arguments;
        step->token = message_id_is_valid(token) ? token : NULL;
    }
}

static void unknown_method(const message *given, protocol_step *step)
{
    g_autofree char *safe = text_safe_max(given->method, -1, 64);
    g_autofree char *text = g_strconcat("Method not found: ", safe, NULL);
    refuse(step, given->id, MESSAGE_METHOD_NOT_FOUND, text);
}

/* All tools are in the first page. */
static void tools_page(const message *given, protocol_step *step)
{
    if (json_object_get(given->params, "cursor"))
        refuse(step, given->id, MESSAGE_INVALID_PARAMS, "unknown cursor");
    else
        step_answer(step, message_result(given->id, list_tools(step->modern)));
}

static void take_modern(struct protocol *self, const message *given, protocol_step *step)
{
    step->modern = TRUE;
    if (strcmp(given->method, "server/discover") == 0)
        step_answer(step, message_result(given->id, discover(self)));
    else if (strcmp(given->method, "subscriptions/listen") == 0)
        step_answer(step, acknowledge(given->id));
    else if (strcmp(given->method, "tools/list") == 0)
        tools_page(given, step);
    else if (strcmp(given->method, "tools/call") == 0)
        call_tool(given, step);
    else
        unknown_method(given, step);
}

static void take_legacy(const message *given, protocol_step *step)
{
    if (strcmp(given->method, "tools/list") == 0)
        tools_page(given, step);
    else if (strcmp(given->method, "tools/call") == 0)
        call_tool(given, step);
    else
        unknown_method(given, step);
}

static void unsupported(const message *given, const char *version, protocol_step *step)
{
    g_autofree char *safe = text_safe_max(version, -1, 64);
    step_answer(
        step, message_error(given->id, MESSAGE_UNSUPPORTED_VERSION, "Unsupported protocol version",
                            json_pack("{s:[s], s:s}", "supported", MODERN, "requested", safe)));
}

static void take_request(struct protocol *self, const message *given, protocol_step *step)
{
    json_t *meta = json_object_get(given->params, "_meta");
    json_t *version = json_object_get(meta, META "protocolVersion");
    if (version && !json_is_string(version))
        refuse(step, given->id, MESSAGE_INVALID_PARAMS, META "protocolVersion must be a text");
    else if (version && strcmp(json_string_value(version), MODERN) != 0)
        unsupported(given, json_string_value(version), step);
    else if (version && !json_is_object(json_object_get(meta, META "clientCapabilities")))
        refuse(step, given->id, MESSAGE_INVALID_PARAMS,
               META "clientCapabilities is missing in _meta");
    else if (version)
        take_modern(self, given, step);
    else if (strcmp(given->method, "initialize") == 0)
        initialize(self, given, step);
    else if (strcmp(given->method, "ping") == 0)
        step_answer(step, message_result(given->id, json_object()));
    else if (self->is_legacy)
        take_legacy(given, step);
    else
        refuse(step, given->id, MESSAGE_INVALID_PARAMS,
               META "protocolVersion is missing in _meta (" MODERN
                    "), and there was no initialize (2025-11-25)");
}

static void take_notification(const message *given, protocol_step *step)
{
    json_t *id = json_object_get(given->params, "requestId");
    if (strcmp(given->method, "notifications/cancelled") != 0 || !message_id_is_valid(id))
        return;
    step->action = PROTOCOL_CANCEL;
    step->id = id;
}

void protocol_take(struct protocol *self, const message *given, protocol_step *step)
{
    *step = (protocol_step){.action = PROTOCOL_NOTHING};
    switch (given->kind) {
    case MESSAGE_REQUEST:
        take_request(self, given, step);
        break;
    case MESSAGE_NOTIFICATION:
        take_notification(given, step);
        break;
    case MESSAGE_RESPONSE:
        break;
    case MESSAGE_WRONG:
        refuse(step, given->id, given->code, given->wrong);
        break;
    }
}
