/*
 * Fuzzes the MCP server's side of a connection: lines, messages, both generations of the protocol
 * and the check of arguments; and as the first byte says, what a box answers to a file tool.
 * Whatever is answered must be JSON that can be written, with the request's id.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/files_reply.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(const message *given, const protocol_step *step)
{
    char *text = json_dumps(step->answer, JSON_COMPACT);
    assert(text && !strchr(text, '\n'));
    json_t *id = json_object_get(step->answer, "id");
    assert(!id || json_equal(id, given->id));
    free(text);
    json_decref(step->answer);
}

/* A path that is accepted stays below the project. */
static void check_path(json_t *arguments)
{
    const char *text = tool_text(arguments, "path");
    g_autofree char *path = text ? project_path("/p", text) : NULL;
    assert(!path || (*path != '/' && strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0 &&
                     !strstr(path, "/../")));
}

static void check_call(const protocol_step *step)
{
    json_t *arguments = step->arguments ? json_incref(step->arguments) : json_object();
    g_autofree char *wrong = tool_check(step->tool->fields, arguments);
    assert(!wrong || g_utf8_validate(wrong, -1, NULL));
    if (!wrong)
        check_path(arguments);
    json_decref(arguments);
}

static void take_line(struct protocol *self, const char *line, gsize length)
{
    g_auto(message) given = {0};
    protocol_step step;
    message_parse(&given, line, length);
    protocol_take(self, &given, &step);
    if (step.action == PROTOCOL_ANSWER)
        check_answer(&given, &step);
    else if (step.action == PROTOCOL_CALL)
        check_call(&step);
}

static void check_reply(uint8_t kind, const char *bytes, size_t size)
{
    static json_t *(*const readers[])(const char *, gsize) = {files_reply_read, files_reply_write,
                                                              files_reply_edit, files_reply_list,
                                                              files_reply_search};
    int error;
    char *words;
    json_t *answer = readers[kind % G_N_ELEMENTS(readers)](bytes, size);
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    assert(!answer || text);
    free(text);
    json_decref(answer);
    if (files_reply_failure(bytes, size, &error, &words)) {
        assert(error >= 0 && g_utf8_validate(words, -1, NULL));
        g_free(words);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct protocol self = {.instructions = "words"};
    lines read = {0};
    const char *line;
    gsize length;
    line_state state;
    if (size == 0)
        return 0;
    check_reply(data[0], (const char *)data + 1, size - 1);
    /* In two reads. */
    size_t first = size / 2;
    for (int i = 0; i < 2; i++) {
        lines_add(&read, (const char *)data + (i ? first : 0), i ? size - first : first);
        while ((state = lines_next(&read, &line, &length)) != LINE_NONE) {
            if (state == LINE_READY)
                take_line(&self, line, length);
        }
    }
    lines_clear(&read);
    return 0;
}
