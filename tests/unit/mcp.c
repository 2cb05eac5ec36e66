/* The MCP server over buffers: lines, messages, both generations of the protocol, arguments of
 * tools, paths, and what a box answers. */
#include "mcp/files_reply.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/tool.h"
#include "mcp/tools.h"

#include <glib.h>
#include <string.h>

#define META                                                                 \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void add(lines *self, const char *text)
{
    lines_add(self, text, strlen(text));
}

static void assert_line(lines *self, const char *expected)
{
    const char *line;
    gsize length;
    g_assert_cmpint(lines_next(self, &line, &length), ==, LINE_READY);
    g_assert_cmpmem(line, length, expected, strlen(expected));
}

static void assert_state(lines *self, line_state expected)
{
    const char *line;
    gsize length;
    g_assert_cmpint(lines_next(self, &line, &length), ==, expected);
}

static void test_lines(void)
{
    lines self = {0};
    assert_state(&self, LINE_NONE);
    add(&self, "one\ntwo\n\nth");
    assert_line(&self, "one");
    assert_line(&self, "two");
    assert_line(&self, "");
    assert_state(&self, LINE_NONE);
    add(&self, "ree\n");
    assert_line(&self, "three");
    assert_state(&self, LINE_NONE);
    lines_clear(&self);
}

static void test_long_line(void)
{
    lines self = {0};
    g_autofree char *part = g_strnfill(LINE_MAX_BYTES / 2, 'x');
    add(&self, part);
    add(&self, part);
    assert_state(&self, LINE_NONE);
    add(&self, "x");
    assert_state(&self, LINE_TOO_LONG);
    for (int i = 0; i < 5; i++) {
        add(&self, part);
        assert_state(&self, LINE_NONE);
        g_assert_cmpuint(self.bytes->len - self.begin, ==, 0);
    }
    add(&self, "end\nnext\n");
    assert_line(&self, "next");
    assert_state(&self, LINE_NONE);
    lines_clear(&self);
}

static void assert_wrong(const char *text, int code)
{
    g_auto(message) self = {0};
    message_parse(&self, text, strlen(text));
    g_assert_cmpint(self.kind, ==, MESSAGE_WRONG);
    g_assert_cmpint(self.code, ==, code);
}

static void test_wrong_messages(void)
{
    g_autofree char *deep = g_strnfill(100000, '[');
    g_autofree char *long_id = g_strnfill(MESSAGE_ID_MAX + 1, 'x');
    g_autofree char *with_long_id =
        g_strdup_printf("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}", long_id);
    assert_wrong("", MESSAGE_PARSE_ERROR);
    assert_wrong("nonsense", MESSAGE_PARSE_ERROR);
    assert_wrong(deep, MESSAGE_PARSE_ERROR);
    assert_wrong("{\"jsonrpc\":\"2.0\",\"method\":\"a\\u0000b\",\"id\":1}", MESSAGE_PARSE_ERROR);
    assert_wrong("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
                 MESSAGE_PARSE_ERROR);
    assert_wrong("[]", MESSAGE_INVALID_REQUEST);
    assert_wrong("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", MESSAGE_INVALID_REQUEST);
    assert_wrong("{\"id\":1,\"method\":\"ping\"}", MESSAGE_INVALID_REQUEST);
    assert_wrong("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", MESSAGE_INVALID_REQUEST);
    assert_wrong("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", MESSAGE_INVALID_REQUEST);
    assert_wrong(with_long_id, MESSAGE_INVALID_REQUEST);
    assert_wrong("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", MESSAGE_INVALID_REQUEST);
    assert_wrong("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
                 MESSAGE_INVALID_PARAMS);
}

static void test_brackets_in_text(void)
{
    g_autofree char *many = g_strnfill(1000, '[');
    g_autofree char *text = g_strdup_printf(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\\\"%s\"}}", many);
    g_auto(message) self = {0};
    message_parse(&self, text, strlen(text));
    g_assert_cmpint(self.kind, ==, MESSAGE_REQUEST);
}

static protocol_step last;

static void take(struct protocol *self, const char *text)
{
    static message given;
    json_decref(last.answer);
    message_clear(&given);
    message_parse(&given, text, strlen(text));
    protocol_take(self, &given, &last);
}

static void request(struct protocol *self, const char *method, const char *params)
{
    g_autofree char *text = g_strdup_printf(
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":%s}", method, params);
    take(self, text);
}

static int error_code(void)
{
    g_assert_cmpint(last.action, ==, PROTOCOL_ANSWER);
    return (int)json_integer_value(json_object_get(json_object_get(last.answer, "error"), "code"));
}

static json_t *result(void)
{
    g_assert_cmpint(last.action, ==, PROTOCOL_ANSWER);
    json_t *value = json_object_get(last.answer, "result");
    g_assert_nonnull(value);
    return value;
}

static const char *text_at(json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void test_modern(void)
{
    struct protocol self = {.instructions = "words"};
    request(&self, "server/discover", "{" META "}");
    g_assert_cmpstr(text_at(result(), "resultType"), ==, "complete");
    g_assert_cmpstr(text_at(result(), "cacheScope"), ==, "public");
    g_assert_cmpstr(
        json_string_value(json_array_get(json_object_get(result(), "supportedVersions"), 0)), ==,
        "2026-07-28");
    request(&self, "tools/list", "{" META "}");
    g_assert_true(json_is_integer(json_object_get(result(), "ttlMs")));
    request(&self, "tools/list", "{\"cursor\":\"x\"," META "}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
    request(&self, "ping", "{" META "}");
    g_assert_cmpint(error_code(), ==, MESSAGE_METHOD_NOT_FOUND);
    request(&self, "initialize", "{" META "}");
    g_assert_cmpint(error_code(), ==, MESSAGE_METHOD_NOT_FOUND);
    g_assert_false(self.is_legacy);
    request(&self, "subscriptions/listen",
            "{\"notifications\":{\"toolsListChanged\":true}," META "}");
    g_assert_cmpstr(text_at(last.answer, "method"), ==, "notifications/subscriptions/acknowledged");
}

static void test_versions(void)
{
    struct protocol self = {.instructions = "words"};
    request(&self, "tools/list", "{}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
    request(&self, "server/discover", "{}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
    request(&self, "tools/list",
            "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\"}}");
    g_assert_cmpint(error_code(), ==, MESSAGE_UNSUPPORTED_VERSION);
    request(&self, "tools/list",
            "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
    request(&self, "tools/list", "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7}}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
}

static void test_legacy(void)
{
    struct protocol self = {.instructions = "words"};
    request(&self, "initialize", "{\"protocolVersion\":\"2025-06-18\"}");
    g_assert_cmpstr(text_at(result(), "protocolVersion"), ==, "2025-06-18");
    request(&self, "initialize", "{\"protocolVersion\":\"2024-01-01\"}");
    g_assert_cmpstr(text_at(result(), "protocolVersion"), ==, "2025-11-25");
    take(&self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    g_assert_cmpint(last.action, ==, PROTOCOL_NOTHING);
    take(&self, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}");
    g_assert_cmpuint(json_object_size(result()), ==, 0);
    request(&self, "tools/list", "{}");
    g_assert_null(json_object_get(result(), "resultType"));
    request(&self, "resources/list", "{}");
    g_assert_cmpint(error_code(), ==, MESSAGE_METHOD_NOT_FOUND);
    /* Both at once. */
    request(&self, "server/discover", "{" META "}");
    g_assert_cmpstr(text_at(result(), "resultType"), ==, "complete");
}

static void test_calls(void)
{
    struct protocol self = {.instructions = "words"};
    request(&self, "tools/call", "{\"name\":\"nothing\"," META "}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
    request(&self, "tools/call", "{" META "}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
    request(&self, "tools/call", "{\"name\":\"run\",\"arguments\":[]," META "}");
    g_assert_cmpint(error_code(), ==, MESSAGE_INVALID_PARAMS);
    request(&self, "tools/call", "{\"name\":\"run\",\"arguments\":{\"command\":\"ls\"}," META "}");
    g_assert_cmpint(last.action, ==, PROTOCOL_CALL);
    g_assert_cmpstr(last.tool->name, ==, "run");
    g_assert_true(last.modern);
    take(&self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                "{\"requestId\":7}}");
    g_assert_cmpint(last.action, ==, PROTOCOL_CANCEL);
    take(&self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                "{\"requestId\":[]}}");
    g_assert_cmpint(last.action, ==, PROTOCOL_NOTHING);
    take(&self, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    g_assert_cmpint(last.action, ==, PROTOCOL_NOTHING);
}

/* Schemas are objects, in the table's order. */
static void test_tools(void)
{
    struct protocol self = {.instructions = "words"};
    request(&self, "tools/list", "{" META "}");
    json_t *list = json_object_get(result(), "tools"), *one;
    gsize at;
    json_array_foreach (list, at, one) {
        g_assert_cmpstr(text_at(one, "name"), ==, tools[at].name);
        g_assert_cmpstr(text_at(json_object_get(one, "inputSchema"), "type"), ==, "object");
        g_assert_cmpstr(text_at(json_object_get(one, "outputSchema"), "type"), ==, "object");
    }
    g_assert_null(tools[json_array_size(list)].name);
}

static void assert_check(const char *name, const char *arguments, const char *expected)
{
    json_t *given = json_loads(arguments, 0, NULL);
    g_autofree char *wrong = tool_check(tool_find(name)->fields, given);
    if (expected)
        g_assert_nonnull(wrong);
    g_assert_true(expected ? strstr(wrong, expected) != NULL : wrong == NULL);
    json_decref(given);
}

static void test_arguments(void)
{
    assert_check("run", "{\"command\":\"ls\",\"timeout\":5,\"env\":{\"A\":\"b\"}}", NULL);
    assert_check("read", "{\"path\":\"a\",\"line\":3.0}", NULL);
    assert_check("read", "{}", "'path' is missing");
    assert_check("read", "{\"path\":7}", "'path' must be of type string");
    assert_check("read", "{\"path\":\"a\",\"line\":0}", "from 1");
    assert_check("read", "{\"path\":\"a\",\"line\":1e300}", "integer");
    assert_check("read", "{\"path\":\"a\",\"line\":1.5}", "integer");
    assert_check("read", "{\"file\":\"a\"}", "no argument 'file'");
    assert_check("run", "{\"code\":\"1\",\"language\":\"cobol\"}", "must be one of");
    assert_check("run", "{\"env\":{\"A\":1}}", "texts");
    assert_check("run", "{\"background\":\"yes\"}", "boolean");
    assert_check("branch", "{\"action\":\"diff\",\"name\":\"a\",\"paths\":[\"b\",\"c\"]}", NULL);
    assert_check("branch", "{\"action\":\"diff\",\"paths\":[\"a\",1]}", "array of texts");
    assert_check("branch", "{\"action\":\"diff\",\"paths\":{\"a\":\"b\"}}", "array of texts");
    assert_check("branch", "{\"action\":\"take\",\"name\":\"a\"}", "must be one of");
    assert_check("snapshot", "{\"action\":\"restore\",\"number\":1}", "must be one of");
}

static void assert_path(const char *text, const char *expected)
{
    g_autofree char *path = project_path("/home/u/shop", text);
    g_assert_cmpstr(path, ==, expected);
}

static void test_paths(void)
{
    g_autofree char *long_path = g_strnfill(5000, 'x');
    assert_path("", ".");
    assert_path(".", ".");
    assert_path("a//b/./c/", "a/b/c");
    assert_path("a/../b", "b");
    assert_path("..", NULL);
    assert_path("a/../../b", NULL);
    assert_path("/home/u/shop", ".");
    assert_path("/home/u/shop/a", "a");
    assert_path("/home/u/shopping", NULL);
    assert_path("/home/u/shop/../x", NULL);
    assert_path("/etc/passwd", NULL);
    assert_path(long_path, NULL);
}

#define BYTES(text) text, sizeof(text) - 1

static void test_read_reply(void)
{
    json_t *read = files_reply_read(BYTES("5\0001\0001\0000\000h\303\244\n"));
    g_assert_cmpstr(text_at(read, "content"), ==, "h\303\244\n");
    g_assert_cmpstr(text_at(read, "encoding"), ==, "utf-8");
    json_decref(read);
    read = files_reply_read(BYTES("2\0001\0001\0001\000\377\376"));
    g_assert_cmpstr(text_at(read, "content"), ==, "//4=");
    g_assert_true(json_is_true(json_object_get(read, "truncated")));
    json_decref(read);
    g_assert_null(files_reply_read(BYTES("")));
    g_assert_null(files_reply_read(BYTES("5\0001\0001")));
    g_assert_null(files_reply_read(BYTES("-5\0001\0001\0000\000")));
    g_assert_null(files_reply_read(BYTES("99999999999999999999\0001\0001\0000\000")));
    /* More than anybody can have asked for. */
    g_autoptr(GString) large = g_string_new_len("9\0001\0001\0000\000", 8);
    for (gsize i = 0; i < READ_MAX; i++)
        g_string_append_c(large, '\1');
    read = files_reply_read(large->str, large->len);
    g_assert_cmpuint(json_string_length(json_object_get(read, "content")), ==, READ_MAX);
    json_decref(read);
    g_string_append_c(large, '\1');
    g_assert_null(files_reply_read(large->str, large->len));
}

static void test_list_reply(void)
{
    json_t *list = files_reply_list(BYTES("f\0003\000a\033\000d\0000\000b\000\0001\000\000"));
    json_t *first = json_array_get(json_object_get(list, "entries"), 0);
    g_assert_cmpstr(text_at(first, "path"), ==, "a\357\277\275");
    g_assert_true(json_is_true(json_object_get(list, "truncated")));
    json_decref(list);
    g_assert_null(files_reply_list(BYTES("f\0003\000a\000")));
    g_assert_null(files_reply_list(BYTES("x\0003\000a\000\0001\000\000")));
    g_assert_null(files_reply_list(BYTES("")));
    json_t *found = files_reply_search(BYTES("a.c\0002\000int x;\000\0000\000\000"));
    g_assert_cmpuint(json_array_size(json_object_get(found, "matches")), ==, 1);
    json_decref(found);
    g_assert_null(files_reply_search(BYTES("a.c\0002\000int x;")));
}

static void test_failure_reply(void)
{
    int error;
    char *words;
    g_assert_true(files_reply_failure(BYTES("30\000Read-only\033[31m\000"), &error, &words));
    g_assert_cmpint(error, ==, 30);
    g_assert_null(strchr(words, '\033'));
    g_free(words);
    g_assert_false(files_reply_failure(BYTES("9999\000x\000"), &error, &words));
    g_assert_false(files_reply_failure(BYTES("30"), &error, &words));
    g_assert_false(files_reply_failure(BYTES("sh: not found\n"), &error, &words));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mcp/lines", test_lines);
    g_test_add_func("/mcp/long-line", test_long_line);
    g_test_add_func("/mcp/wrong-messages", test_wrong_messages);
    g_test_add_func("/mcp/brackets-in-text", test_brackets_in_text);
    g_test_add_func("/mcp/modern", test_modern);
    g_test_add_func("/mcp/versions", test_versions);
    g_test_add_func("/mcp/legacy", test_legacy);
    g_test_add_func("/mcp/calls", test_calls);
    g_test_add_func("/mcp/tools", test_tools);
    g_test_add_func("/mcp/arguments", test_arguments);
    g_test_add_func("/mcp/paths", test_paths);
    g_test_add_func("/mcp/read-reply", test_read_reply);
    g_test_add_func("/mcp/list-reply", test_list_reply);
    g_test_add_func("/mcp/failure-reply", test_failure_reply);
    return g_test_run();
}
