#include "cli/commands/consent.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/units.h"

#define MUTE_DEFAULT "10m"
#define LOG_DEFAULT 20
#define LOG_MOST 100000

static struct {
    const char *duration, *lines;
} consent_given;

static const option consent_options[] = {
    {"for", 0, OPTION_TEXT, &consent_given.duration, "DURATION",
     "mute: how long, such as 10m; 0 ends it"},
    {"lines", 'n', OPTION_TEXT, &consent_given.lines, "N",
     "log: only the last N lines (default 20)"},
    {0},
};

static int status(const struct command_call *call, GError **error)
{
    return consent_request_show("status", NULL, call->json, consent_show_status, error);
}

static int pending_questions(const struct command_call *call, GError **error)
{
    return consent_requests_pending(NULL, call->json, error);
}

static int grants(const struct command_call *call, GError **error)
{
    return consent_request_show("grants", "grants", call->json, consent_show_grants, error);
}

static int approve_question(const struct command_call *call, GError **error)
{
    return consent_requests_approve(call->operands[0], call->operands[1], error);
}

static int deny_question(const struct command_call *call, GError **error)
{
    return consent_requests_deny(call->operands[0], FALSE, error);
}

static int revoke_grant(const struct command_call *call, GError **error)
{
    return consent_request_send(json_pack("{s:s, s:s}", "op", "revoke", "id", call->operands[0]),
                                FALSE, error);
}

static int lock(const struct command_call *call, GError **error)
{
    return consent_request_send(json_pack("{s:s}", "op", "lock"), TRUE, error);
}

static int unlock(const struct command_call *call, GError **error)
{
    return consent_request_send(json_pack("{s:s}", "op", "unlock"), TRUE, error);
}

static int mute(const struct command_call *call, GError **error)
{
    gint64 seconds;
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    if (!self)
        return -1;
    if (!units_parse_duration(consent_given.duration ? consent_given.duration : MUTE_DEFAULT,
                              &seconds)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--for needs a duration such as 10m");
        return -1;
    }
    return consent_request_send(
        json_pack("{s:s, s:s, s:I}", "op", "mute", "box", self->name, "for", (json_int_t)seconds),
        FALSE, error);
}

static int show_consent_log(const struct command_call *call, GError **error)
{
    guint64 lines = LOG_DEFAULT;
    if (consent_given.lines &&
        !g_ascii_string_to_unsigned(consent_given.lines, 10, 1, LOG_MOST, &lines, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--lines takes a number");
        return -1;
    }
    consent_show_log((guint)lines, call->json);
    return 0;
}

static const struct command_verb consent_verbs[] = {
    {"status", "", 0, 0, status, "show whether the agent is ready, and which keys boxes have",
     COMMAND_JSON},
    {"pending", "", 0, 0, pending_questions, "show pending requests", COMMAND_JSON},
    {"approve",
     "ID [CHOICE]",
     1,
     2,
     approve_question,
     "allow a request: once, 5m, 15m or box",
     0,
     COMPLETE_QUESTIONS,
     {COMPLETE_CHOICES}},
    {"deny", "ID", 1, 1, deny_question, "deny a request", 0, COMPLETE_QUESTIONS},
    {"grants", "", 0, 0, grants, "list approvals for more than one signature", COMMAND_JSON},
    {"revoke", "ID|all", 1, 1, revoke_grant, "withdraw approvals", 0, COMPLETE_GRANTS},
    {"lock", "", 0, 0, lock, "withdraw all approvals, refuse all requests until unlock"},
    {"unlock", "", 0, 0, unlock, "accept requests again"},
    {"mute", "[PROJECT]", 0, 1, mute, "stop a box from asking", 0, COMPLETE_BOXES},
    {"log", "", 0, 0, show_consent_log, "show what was asked and how it was answered",
     COMMAND_JSON},
    {0},
};

const struct command command_consent = {
    .name = "consent",
    .group = GROUP_INSPECT,
    .verbs = consent_verbs,
    .summary = "answer what boxes ask for, and see the log of answers",
    .options = consent_options,
    .details =
        "Boxes ask before they sign with your SSH keys, connect to a host that no rule has, become\n"
        "root, open a page, or get the picture on your clipboard. Answer in the window or, without a\n"
        "display, by 'box consent approve' within a minute. A box sees only the keys that you\n"
        "attached to it.",
};
