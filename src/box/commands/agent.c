#include <stdio.h>
#include <string.h>

#include "box/helpers/agent.h"
#include "cli/commands/agent_show.h"
#include "box/commands/commands.h"
#include "box/json.h"
#include "cli/commands/project.h"
#include "box/say.h"
#include "common/text.h"

#define MUTE_DEFAULT "10m"
#define LOG_DEFAULT 20
#define LOG_MOST 100000

static struct {
    gboolean json;
    const char *duration, *lines;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "print JSON"},
    {"for", 0, OPTION_TEXT, &set.duration, "DURATION", "mute: how long, such as 10m; 0 ends it"},
    {"lines", 'n', OPTION_TEXT, &set.lines, "N", "log: only the last N lines (default 20)"},
    {0},
};

/* Asks OP of a running agent. NULL without ERROR when none runs. */
static json_t *look(const char *op, GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = agent_call(json_pack("{s:s}", "op", op), FALSE, &problem);
    if (problem && !g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        g_propagate_error(error, g_steal_pointer(&problem));
    return answer;
}

/* Prints what the agent knows under KEY (NULL: the whole answer) by SHOW. */
static int show(const char *op, const char *key, void (*text)(const json_t *what), GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = look(op, &problem);
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return -1;
    }
    json_object_del(answer, "ok");
    json_t *what = key ? json_object_get(answer, key) : answer;
    if (set.json)
        json_print(what ? json_incref(what) : key ? json_array() : json_pack("{s:b}", "runs", 0));
    else if (what)
        text(what);
    else
        say_note("the SSH agent does not run: no box that runs has keys");
    json_decref(answer);
    return 0;
}

static int status(const arguments *given, GError **error)
{
    return show("status", NULL, agent_show_status, error);
}

static int pending(const arguments *given, GError **error)
{
    return show("pending", "pending", agent_show_pending, error);
}

static int grants(const arguments *given, GError **error)
{
    return show("grants", "grants", agent_show_grants, error);
}

/* Sends REQUEST (taken), to an agent that is started for it when START is set; nothing is printed
 * when it worked. */
static int tell(json_t *request, gboolean start, GError **error)
{
    json_t *answer = agent_call(request, start, error);
    json_decref(answer);
    return answer ? 0 : -1;
}

static int approve(const arguments *given, GError **error)
{
    const char *id = given->operands[1], *choice = given->operands[2];
    return tell(
        json_pack("{s:s, s:s, s:s}", "op", "approve", "id", id, "choice", choice ? choice : "once"),
        FALSE, error);
}

static int deny(const arguments *given, GError **error)
{
    return tell(json_pack("{s:s, s:s}", "op", "deny", "id", given->operands[1]), FALSE, error);
}

static int revoke_grant(const arguments *given, GError **error)
{
    return tell(json_pack("{s:s, s:s}", "op", "revoke", "id", given->operands[1]), FALSE, error);
}

static int lock(const arguments *given, GError **error)
{
    return tell(json_pack("{s:s}", "op", "lock"), TRUE, error);
}

static int unlock(const arguments *given, GError **error)
{
    return tell(json_pack("{s:s}", "op", "unlock"), TRUE, error);
}

static int mute(const arguments *given, GError **error)
{
    gint64 seconds;
    g_autoptr(box) self = project_box(given->operands[1], PROJECT_EXISTING, error);
    if (!self)
        return -1;
    if (!text_parse_duration(set.duration ? set.duration : MUTE_DEFAULT, &seconds)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--for takes a duration such as 10m");
        return -1;
    }
    return tell(
        json_pack("{s:s, s:s, s:I}", "op", "mute", "box", self->name, "for", (json_int_t)seconds),
        FALSE, error);
}

static int show_log(const arguments *given, GError **error)
{
    guint64 lines = LOG_DEFAULT;
    if (set.lines && !g_ascii_string_to_unsigned(set.lines, 10, 1, LOG_MOST, &lines, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--lines takes a number");
        return -1;
    }
    agent_show_log((guint)lines, set.json);
    return 0;
}

static int run(const arguments *given, GError **error)
{
    static const command_verb verbs[] = {
        {"status", 0, 0, status, TRUE},
        {"pending", 0, 0, pending, TRUE},
        {"approve", 1, 2, approve, FALSE},
        {"deny", 1, 1, deny, FALSE},
        {"grants", 0, 0, grants, TRUE},
        {"revoke", 1, 1, revoke_grant, FALSE},
        {"lock", 0, 0, lock, FALSE},
        {"unlock", 0, 0, unlock, FALSE},
        {"mute", 0, 1, mute, FALSE},
        {"log", 0, 0, show_log, TRUE},
        {NULL},
    };
    g_autofree char *usage = g_strconcat("box agent ", command_agent.arguments, NULL);
    return command_run_verb(verbs, given, set.json, usage, error);
}

const command command_agent = {
    .name = "agent",
    .group = GROUP_LOOK,
    .arguments = "status|pending|approve|deny|grants|revoke|lock|unlock|mute|log [ID [CHOICE]]",
    .verbs = "status pending approve deny grants revoke lock unlock mute log",
    .summary = "answer what boxes ask of your SSH keys, and see what was answered",
    .details =
        "A box lists the keys that you attached to it, and each signature needs your yes: in a\n"
        "window, or, without a display, here, within a minute: 'pending' shows the questions,\n"
        "'approve ID [once|5m|15m|box]' and 'deny ID' answer them. 'grants' lists the approvals\n"
        "that last longer, 'revoke ID|all' ends them. 'lock' ends all of them and refuses\n"
        "everything until 'unlock'; 'mute [PROJECT]' stops a box from asking. 'log' shows what was\n"
        "asked and what became of it.",
    .options = options,
    .completes = COMPLETE_ASKED,
    .operands_max = 3,
    .run = run,
};
