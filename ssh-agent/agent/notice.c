#include "ssh-agent/agent/agent.h"

#include <string.h>

#include "proto/session_notice.h"
#include "ssh-agent/agent/upstream.h"

gboolean notice_question(const pending_question *which, gint64 now)
{
    const question *asked = which->asked;
    const question_program *program = asked->chain->len ? asked->chain->pdata[0] : NULL;
    const char *command = question_kind_traits(asked->kind)->command;
    g_autofree char *text = g_strdup_printf(
        "box '%s' asks: %s\n"
        "answer in another terminal, within %d s: 'box %s approve %" G_GUINT64_FORMAT
        "', or 'box %s deny %" G_GUINT64_FORMAT "'",
        asked->box, asked->headline, (int)pending_question_seconds_left(which, now), command,
        which->id, command, which->id);
    return notice_send(asked->box, program ? (pid_t)program->host_pid : 0, text);
}

/* Why a request is refused without a question, and what to do about it. */
static const struct {
    const char *why, *help;
} refusals[] = {
    {"the key store is locked", "the key store is locked: 'box keys unlock' unlocks it"},
    {"locked", "the SSH agent is locked: 'box consent unlock' ends that"},
    {"muted", "it is muted: 'box consent mute --for 0' ends that"},
    {"cooldown", "it may not ask for a while after a refusal or requests that nobody answered"},
    {"queue full", "too many of its requests wait: 'box consent pending' shows them"},
    {"timeout",
     "nobody answered in time: 'box consent pending' shows what waits, and how to answer"},
    {"failed", "the window that asked has ended without an answer"},
    {"not attached any more", "the key was detached, or is gone from your own SSH agent"},
    {"forwarding",
     "another machine asked (ssh -A), which [ssh] forward = \"ask\" would let you answer"},
    {UPSTREAM_NONE, "you have no SSH agent: start one, and the box's next session has it"},
    {UPSTREAM_SILENT,
     "your own SSH agent does not answer: 'ssh-add -l', outside of the box, tries it"},
    {UPSTREAM_REFUSED, "your own SSH agent refused, which may be locked"},
    {UPSTREAM_LACKS,
     "your own SSH agent has none that the box may use: 'ssh-add', outside of the box, adds one"},
};

void notice_refusal(const char *box, pid_t asker, const char *why)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
        if (strcmp(refusals[i].why, why) != 0)
            continue;
        g_autofree char *text =
            g_strdup_printf("box '%s' cannot use your SSH keys: %s", box, refusals[i].help);
        notice_send(box, asker, text);
        return;
    }
}
