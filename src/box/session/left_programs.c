#include "box/session/left_programs.h"

#include "common/text.h"
#include "console/log.h"
#include "console/output.h"

static gboolean is_used(const struct session_program *program)
{
    return program->processes > 0;
}

/* Processes of programs that had no room in the list. */
static guint count_others(const struct session_left *left)
{
    guint64 named = 0;
    for (int i = 0; i < SESSION_LEFT_MAX; i++)
        named += left->programs[i].processes;
    return named < left->processes ? (guint)(left->processes - named) : 0;
}

static const char *plural(guint count)
{
    return count == 1 ? "" : "es";
}

char *left_programs_text(const struct session_left *left)
{
    GString *out = g_string_new(NULL);
    guint others = count_others(left);
    for (int i = 0; i < SESSION_LEFT_MAX; i++) {
        const struct session_program *one = &left->programs[i];
        g_autofree char *name = text_safe(*one->name ? one->name : "?", -1);
        if (is_used(one))
            g_string_append_printf(out, "%s%s (%u process%s)", out->len ? ", " : "", name,
                                   one->processes, plural(one->processes));
    }
    if (others)
        g_string_append_printf(out, "%s%u %sprocess%s", out->len ? " and " : "", others,
                               out->len ? "other " : "", plural(others));
    return g_string_free(out, out->len == 0);
}

json_t *left_programs_json(const struct session_left *left)
{
    json_t *list = json_array();
    for (int i = 0; left->fate == SESSION_LEFT_KEEPS && i < SESSION_LEFT_MAX; i++)
        if (is_used(&left->programs[i]))
            json_array_append_new(list,
                                  json_pack("{s:o, s:I}", "name", json_text(left->programs[i].name),
                                            "processes", (json_int_t)left->programs[i].processes));
    return list;
}

void left_programs_note(const char *name, const struct session_left *left)
{
    g_autofree char *text = left_programs_text(left);
    if (!text || left->fate == SESSION_LEFT_STAYS)
        return;
    if (left->fate == SESSION_LEFT_KEEPS)
        log_note("box '%s' keeps running for: %s; 'box stop %s' ends it", name, text, name);
    else
        log_note("box '%s' stops when it has been idle, and then ends: %s", name, text);
}
