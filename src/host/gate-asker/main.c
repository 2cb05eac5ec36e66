/*
 * litterbox-gate-asker FOLDER PROJECT RUN QUESTION: asks the user whether a box may reach a host
 * that no rule of its filtered network has. FOLDER is the box's runtime folder, RUN its PID 1; or
 * of a build of its image, GATE_BUILD_FOLDER in it, and a process that holds the network of the
 * build. QUESTION of proto/gate_question.h, as is the answer on stdout, a pipe: whoever reads there
 * may lose interest, which withdraws the question.
 *
 * The gate has it started (host/gate/ask.c). It runs with the user's rights, as it does what the
 * gate gave up the right to: look at the box's processes, reach the SSH agent, which shows the
 * question, and keep an answer that lasts where `box net` keeps its rules. QUESTION is all that
 * comes from the gate. The gate itself learns of a lasting answer by its rules alone.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/helpers/gate.h"
#include "box/helpers/gate_answers.h"
#include "box/inspect/sockets.h"
#include "box/registry/branch.h"
#include "common/text.h"
#include "host/gate-asker/host_question.h"
#include "sys/crash.h"
#include "sys/debug.h"
#include "sys/proc_stat.h"

typedef struct {
    struct box *box;
    pid_t init; /* of the build: a process in its network */
    gboolean is_build;
    struct gate_question asked;
} request;

/* FALSE when the gate has withdrawn the question, or ended, before the user has answered. */
static gboolean wait_for_answer(int agent)
{
    /* Without EPOLLOUT a pipe reports only that nobody reads from it. */
    struct pollfd polls[] = {{.fd = agent, .events = POLLIN}, {.fd = STDOUT_FILENO}};
    while (poll(polls, 2, -1) < 0 && errno == EINTR)
        ;
    return polls[0].revents && !polls[1].revents;
}

/* Makes the answer a rule, which the gate obeys from now on. */
static enum gate_reply keep(const request *self, gboolean denies, gboolean until_stop)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *line = host_question_rule(&self->asked, denies);
    if (gate_answers_add(self->box, line, until_stop, &error) &&
        gate_update(self->box, self->is_build ? 0 : self->init, &error))
        return denies ? GATE_DENIED : GATE_ONCE;
    fprintf(stderr, "the answer about %s:%u is not kept: %s\n", self->asked.name, self->asked.port,
            error->message);
    return GATE_UNANSWERED;
}

static enum gate_reply reply_to(const request *self, enum question_answer answer)
{
    switch (answer) {
    case QUESTION_ANSWER_ONCE:
        return GATE_ONCE;
    case QUESTION_ANSWER_UNTIL_STOP:
        return keep(self, FALSE, TRUE);
    case QUESTION_ANSWER_ALWAYS:
        return keep(self, FALSE, FALSE);
    case QUESTION_ANSWER_NEVER:
        return keep(self, TRUE, FALSE);
    case QUESTION_ANSWER_DENY:
    case QUESTION_ANSWER_MUTE:
        return GATE_DENIED;
    case QUESTION_ANSWER_TIMEOUT:
        return GATE_LATE;
    default:
        return GATE_UNANSWERED;
    }
}

/* The process that has started the step of a build which PID belongs to; 0: none is found. */
static pid_t outside_step(pid_t pid)
{
    ino_t own, current = 0;
    struct proc_stat stat;
    if (!process_namespace("self", "pid", &own))
        return 0;
    for (; pid > 1; pid = stat.parent) {
        g_autofree char *process = g_strdup_printf("%d", (int)pid);
        if (!process_namespace(process, "pid", &current) || proc_stat_read(&stat, pid) < 0)
            return 0;
        if (current == own)
            return pid;
    }
    return 0;
}

static enum gate_reply ask(const request *self)
{
    const struct gate_question *about = &self->asked;
    pid_t asker = socket_owner(self->init, about->from, about->from_port, about->port);
    pid_t outermost = self->is_build ? outside_step(asker) : self->init;
    g_autoptr(question) asked =
        host_question_new(self->box, about, asker, outermost, self->is_build);
    int agent = agent_ask_begin(asked);
    if (agent < 0)
        return GATE_UNANSWERED;
    if (!wait_for_answer(agent)) {
        close(agent);
        return GATE_UNANSWERED;
    }
    enum question_answer answer = agent_ask_end(agent);
    return question_accepts(asked, answer) ? reply_to(self, answer) : GATE_UNANSWERED;
}

int main(int argc, char **argv)
{
    request self = {0};
    g_autoptr(GError) error = NULL;
    crash_handler_install(GATE_ASKER, NULL);
    debug_start(GATE_ASKER);
    signal(SIGPIPE, SIG_IGN);
    if (argc != 5 || argv[1][0] != '/' || argv[2][0] != '/' || (self.init = atoi(argv[3])) <= 1 ||
        gate_question_parse(argv[4], strlen(argv[4]), &self.asked) < 0) {
        fprintf(stderr, GATE_ASKER ": is started by litterbox-gate\n");
        return 64;
    }
    g_autofree char *folder = g_strdup(argv[1]);
    self.is_build = g_str_has_suffix(folder, "/" GATE_BUILD_FOLDER);
    if (self.is_build)
        text_cut_path(folder);
    g_autofree char *name = g_path_get_basename(folder);
    self.box = box_name_is_valid(name) ? branch_or_box(name, argv[2], &error) : NULL;
    if (!self.box || strcmp(self.box->runtime, folder) != 0) {
        fprintf(stderr, GATE_ASKER ": '%s' is not the folder of a box\n", name);
        return 1;
    }
    char reply = (char)ask(&self);
    box_free(self.box);
    return write(STDOUT_FILENO, &reply, 1) == 1 ? 0 : 1;
}
