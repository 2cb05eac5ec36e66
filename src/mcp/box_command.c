#include "mcp/box_command.h"

#include <string.h>

#include "box/exec/output_pieces.h"
#include "common/paths.h"
#include "common/text.h"

/* A snapshot of a large home, or a box that has to stop, takes its time. */
#define COMMAND_MS (10 * 60 * 1000)
#define PREFIX "box: "

void box_command_run(struct call *call, const char *const *words, gsize most,
                     void (*finish)(struct call *call))
{
    g_autofree char *program = paths_libexec("box");
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_ptr_array_add(argv, program);
    for (; *words; words++)
        g_ptr_array_add(argv, (gpointer)*words);
    g_ptr_array_add(argv, NULL);
    call->text_max = most;
    call_run_program(call, (char *const *)argv->pdata, COMMAND_MS, finish);
}

/* The last message in what it printed: the error, behind warnings. A new string; NULL: none. */
static char *find_message(const GString *printed)
{
    g_autofree char *message = NULL;
    g_auto(GStrv) lines = g_strsplit(printed->str, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (!g_str_has_prefix(*line, PREFIX))
            continue;
        g_free(message);
        message = text_safe(*line + strlen(PREFIX), -1);
    }
    return g_steal_pointer(&message);
}

gboolean box_command_succeeded(struct call *call)
{
    const struct session_child_report *said = &call->process.said;
    g_autofree char *message = said->status > 0 ? find_message(call->text[1]) : NULL;
    if (said->status == 0)
        return TRUE;
    if (said->status < 0)
        call_fail(call, "%s", said->message);
    else if (message)
        call_fail(call, "%s", message);
    else
        call_fail(call, "box ended with status %d", said->status);
    return FALSE;
}

json_t *box_command_pick(json_t *from, const char *const *keys)
{
    json_t *picked = json_object();
    for (; *keys; keys++) {
        json_t *value = json_object_get(from, *keys);
        json_object_set_new(picked, *keys,
                            json_is_string(value) ? output_text(json_string_value(value),
                                                                json_string_length(value), TRUE)
                            : value               ? json_incref(value)
                                                  : json_null());
    }
    return picked;
}

json_t *box_command_pick_all(json_t *list, const char *const *keys, double most,
                             gboolean *truncated)
{
    json_t *picked = json_array();
    size_t count = json_array_size(list), end = MIN(count, (size_t)most);
    for (size_t i = 0; i < end; i++)
        json_array_append_new(picked, box_command_pick(json_array_get(list, i), keys));
    *truncated = count > end;
    return picked;
}

json_t *box_command_json(struct call *call)
{
    if (!box_command_succeeded(call))
        return NULL;
    gboolean is_whole = call->text[0]->len <= call->text_max;
    json_t *value =
        is_whole ? json_loadb(call->text[0]->str, call->text[0]->len, JSON_ALLOW_NUL, NULL) : NULL;
    if (!value)
        call_fail(call, is_whole ? "box printed no JSON"
                                 : "there is too much to list: ask for a part of it");
    return value;
}
