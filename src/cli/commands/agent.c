#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "cli/commands/agent_show.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/units.h"
#include "console/ask.h"
#include "console/log.h"
#include "console/output.h"
#include "proto/question_answer.h"

#define MUTE_DEFAULT "10m"
#define LOG_DEFAULT 20
#define LOG_MOST 100000

static struct {
    gboolean json;
    const char *duration, *lines;
} given;

static const option options[] = {
    {"for", 0, OPTION_TEXT, &given.duration, "DURATION", "mute: how long, such as 10m; 0 ends it"},
    {"lines", 'n', OPTION_TEXT, &given.lines, "N", "log: only the last N lines (default 20)"},
    {0},
};

/* Sends the request OP to a running agent. NULL without ERROR when none runs. */
static json_t *query(const char *op, GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = agent_call(json_pack("{s:s}", "op", op), FALSE, &problem);
    if (problem && !g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        g_propagate_error(error, g_steal_pointer(&problem));
    return answer;
}

/* WHAT of ANSWER; both are NULL when no agent runs. */
static void print_json(const json_t *answer, json_t *what, const char *key)
{
    json_t *out = what ? json_deep_copy(what) : key ? json_array() : json_object();
    if (!key)
        json_object_set_new(out, "runs", json_boolean(answer != NULL));
    json_empty_to_null(out);
    json_print(out);
}

/* Sends the verb as a request, and prints the part KEY of the answer (NULL: all of it). */
static int show(const struct command_call *call, const char *key, void (*text)(const json_t *what),
                GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = query(call->verb->name, &problem);
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return -1;
    }
    json_object_del(answer, "ok");
    json_t *what = key ? json_object_get(answer, key) : answer;
    if (call->json)
        print_json(answer, what, key);
    else if (what)
        text(what);
    else
        log_note("the SSH agent is not running: no running box has keys");
    json_decref(answer);
    return 0;
}

static int status(const struct command_call *call, GError **error)
{
    return show(call, NULL, agent_show_status, error);
}

static int pending(const struct command_call *call, GError **error)
{
    return show(call, "pending", agent_show_pending, error);
}

static int grants(const struct command_call *call, GError **error)
{
    return show(call, "grants", agent_show_grants, error);
}

/* Sends REQUEST (freed) to the agent, and starts one if START is set. Prints nothing on success. */
static int send_request(json_t *request, gboolean start, GError **error)
{
    json_t *answer = agent_call(request, start, error);
    json_decref(answer);
    return answer ? 0 : -1;
}

/*
 * A box can print a number and the words of another request: on a terminal the request is shown as
 * the agent has it, and approved by a yes. TRUE also without a terminal, and when there is no such
 * request, which the agent will say.
 */
static gboolean confirm(const char *id, const char *choice)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !ask_can())
        return TRUE;
    json_t *answer = query("pending", NULL), *each;
    gboolean yes = TRUE;
    size_t i;
    json_array_foreach (json_object_get(answer, "pending"), i, each) {
        g_autofree char *text = g_strcmp0(json_string_value(json_object_get(each, "id")), id) == 0
                                    ? agent_show_request(each, choice)
                                    : NULL;
        if (text)
            yes = ask_yes(text);
    }
    json_decref(answer);
    return yes;
}

static int approve(const struct command_call *call, GError **error)
{
    const char *id = call->operands[0];
    const char *choice =
        call->operands[1] ? call->operands[1] : question_answer_word(QUESTION_ANSWER_ONCE);
    if (!confirm(id, choice)) {
        log_note("not approved; the request still waits, and 'box agent deny %s' refuses it", id);
        return 1;
    }
    return send_request(json_pack("{s:s, s:s, s:s}", "op", "approve", "id", id, "choice", choice),
                        FALSE, error);
}

static int deny(const struct command_call *call, GError **error)
{
    return send_request(json_pack("{s:s, s:s}", "op", "deny", "id", call->operands[0]), FALSE,
                        error);
}

static int revoke_grant(const struct command_call *call, GError **error)
{
    return send_request(json_pack("{s:s, s:s}", "op", "revoke", "id", call->operands[0]), FALSE,
                        error);
}

static int lock(const struct command_call *call, GError **error)
{
    return send_request(json_pack("{s:s}", "op", "lock"), TRUE, error);
}

static int unlock(const struct command_call *call, GError **error)
{
    return send_request(json_pack("{s:s}", "op", "unlock"), TRUE, error);
}

static int mute(const struct command_call *call, GError **error)
{
    gint64 seconds;
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    if (!self)
        return -1;
    if (!units_parse_duration(given.duration ? given.duration : MUTE_DEFAULT, &seconds)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--for needs a duration such as 10m");
        return -1;
    }
    return send_request(
        json_pack("{s:s, s:s, s:I}", "op", "mute", "box", self->name, "for", (json_int_t)seconds),
        FALSE, error);
}

static int show_log(const struct command_call *call, GError **error)
{
    guint64 lines = LOG_DEFAULT;
    if (given.lines && !g_ascii_string_to_unsigned(given.lines, 10, 1, LOG_MOST, &lines, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--lines takes a number");
        return -1;
    }
    agent_show_log((guint)lines, call->json);
    return 0;
}

static const struct command_verb verbs[] = {
    {"status", "", 0, 0, status, "show whether the agent is ready, and which keys boxes have",
     COMMAND_JSON},
    {"pending", "", 0, 0, pending, "show pending requests", COMMAND_JSON},
    {"approve",
     "ID [CHOICE]",
     1,
     2,
     approve,
     "allow a request: once, 5m, 15m or box",
     0,
     COMPLETE_QUESTIONS,
     {COMPLETE_CHOICES}},
    {"deny", "ID", 1, 1, deny, "deny a request", 0, COMPLETE_QUESTIONS},
    {"grants", "", 0, 0, grants, "list approvals for more than one signature", COMMAND_JSON},
    {"revoke", "ID|all", 1, 1, revoke_grant, "withdraw approvals", 0, COMPLETE_GRANTS},
    {"lock", "", 0, 0, lock, "withdraw all approvals, refuse all requests until unlock"},
    {"unlock", "", 0, 0, unlock, "accept requests again"},
    {"mute", "[PROJECT]", 0, 1, mute, "stop a box from asking", 0, COMPLETE_BOXES},
    {"log", "", 0, 0, show_log, "show what was asked and how it was answered", COMMAND_JSON},
    {0},
};

const struct command command_agent = {
    .name = "agent",
    .group = GROUP_INSPECT,
    .verbs = verbs,
    .summary = "answer requests for your SSH keys, and see the log of answers",
    .options = options,
    .details =
        "A box sees only the keys that you attached to it. Each signature needs your approval: in "
        "a\nwindow or, without a display, by 'box agent approve' within a minute.",
};
