#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/ask_table.h"
#include "host/gate/connection.h"
#include "host/gate/gate.h"
#include "host/supervisor/launcher.h"
#include "proto/network_record.h"
#include "sys/clock.h"
#include "sys/descriptors.h"

/* Longer than the SSH agent takes for as many questions, one after the other, and one of another
 * kind. */
#define QUESTION_MS ((ASK_QUESTIONS_MAX + 1) * 60 * 1000 + 10000)

/* A question for which nothing waits any more is withdrawn after this time. Many programs close a
 * connection that takes too long and try again, and must not make the window come and go; nor must
 * one that wants that. */
#define LINGER_MS 5000
/* A program that has ended what it sends may wait for an answer: how often that is looked at. */
#define LOOK_MS 1000

/* A question that is open: one of ASK_QUESTIONS_MAX. */
struct question {
    struct event_watch answer; /* the pipe from its asker; fd -1: the slot is free */
    struct event_timer timer;
    struct event_timer linger; /* set while no connection waits */
    struct ask_entry *entry;
};

static struct question questions[ASK_QUESTIONS_MAX];
static struct ask_table table;
static const struct network_rules *ask_rules;
static struct event_watch asker_launcher = {.fd = -1};

static const char *reason(enum gate_reply reply)
{
    switch (reply) {
    case GATE_DENIED:
        return NETWORK_ASKED "said no";
    case GATE_LATE:
        return NETWORK_ASKED "was asked and did not answer";
    default:
        return NETWORK_ASKED "could not be asked";
    }
}

struct answer {
    const struct ask_entry *entry;
    enum gate_reply reply;
};

static void tell_decision(struct connection *each, void *data)
{
    const struct answer *answer = data;
    if (each->asked != answer->entry)
        return;
    each->asked = NULL;
    event_timer_stop(&each->timer);
    event_watch_set(&each->line.side[BOX], 0);
    each->target.is_approved = answer->reply == GATE_ONCE;
    if (target_renew(ask_rules, &each->target) == 0)
        connection_admit(each);
    else
        connection_refuse(each, each->target.is_unknown ? reason(answer->reply) : NETWORK_DENIED);
}

static void end(struct question *self, enum gate_reply reply)
{
    struct answer answer = {self->entry, reply};
    event_timer_stop(&self->timer);
    event_timer_stop(&self->linger);
    event_watch_close(&self->answer);
    ask_table_end(&table, self->entry, reply, clock_ms());
    connections_each(tell_decision, &answer);
}

static void user_answered(struct event_watch *watch, uint32_t events)
{
    char reply = GATE_UNANSWERED;
    ssize_t got = read(watch->fd, &reply, 1);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    end(watch->owner, got == 1 ? (enum gate_reply)reply : GATE_UNANSWERED);
}

static void answer_late(struct event_timer *timer)
{
    end(timer->owner, GATE_UNANSWERED);
}

static struct question *find_free(void)
{
    for (size_t i = 0; i < ASK_QUESTIONS_MAX; i++)
        if (questions[i].answer.fd < 0)
            return &questions[i];
    return NULL;
}

/* Sends the question, with the pipe for its answer. */
static int send_question(const struct connection *first, int answer)
{
    struct gate_question asked = {.port = first->target.port};
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    char text[GATE_QUESTION_SIZE];
    /* Without it the program is unknown. */
    if (getpeername(first->line.side[BOX].fd, (struct sockaddr *)&from, &length) == 0 &&
        from.sin_family == AF_INET) {
        asked.from = ntohl(from.sin_addr.s_addr);
        asked.from_port = ntohs(from.sin_port);
    }
    snprintf(asked.name, sizeof asked.name, "%s", first->target.name);
    gate_question_write(&asked, text);
    return descriptors_send(asker_launcher.fd, text, strlen(text), &answer, 1, 0) < 0 ? -1 : 0;
}

static struct question *question_of(const struct ask_entry *entry)
{
    for (size_t i = 0; i < ASK_QUESTIONS_MAX; i++)
        if (questions[i].answer.fd >= 0 && questions[i].entry == entry)
            return &questions[i];
    return NULL;
}

static void leave(struct connection *self)
{
    connection_log_refused(self, "its program has ended before the user answered");
    connection_end(self, true);
}

static void look(struct event_timer *timer)
{
    struct connection *self = timer->owner;
    if (connection_is_left(self))
        leave(self);
    else
        event_timer_set(timer, LOOK_MS);
}

static void box_ended(struct event_watch *box, uint32_t events)
{
    struct connection *self = box->owner;
    if (events & (EPOLLERR | EPOLLHUP)) {
        leave(self);
        return;
    }
    /* A reset may follow, after which look() finds neither end. */
    event_watch_set(box, EPOLLERR);
    look(&self->timer);
}

/* What the box sends stays unread until the user has answered. */
static void wait_for_answer(struct connection *self, struct ask_entry *entry)
{
    self->asked = entry;
    self->timer.expired = look;
    self->line.side[BOX].ready = box_ended;
    event_watch_set(&self->line.side[BOX], EPOLLRDHUP);
}

/* 0, or -1 when nobody can be asked. */
static int begin_question(const struct connection *first, struct ask_entry *entry)
{
    struct question *self = find_free();
    int ends[2];
    if (!self || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    int sent = send_question(first, ends[1]);
    close(ends[1]);
    *self = (struct question){.answer = {.fd = ends[0], .ready = user_answered, .owner = self},
                              .timer = {.expired = answer_late, .owner = self},
                              .linger = {.expired = answer_late, .owner = self},
                              .entry = entry};
    if (sent < 0 || event_watch_set(&self->answer, EPOLLIN) < 0) {
        event_watch_close(&self->answer);
        return -1;
    }
    event_timer_set(&self->timer, QUESTION_MS);
    return 0;
}

void connection_ask(struct connection *self)
{
    struct ask_entry *entry = NULL;
    switch (ask_table_add(&table, self->target.name, self->target.port, clock_ms(), &entry)) {
    case ASK_JOIN:
        event_timer_stop(&question_of(entry)->linger);
        wait_for_answer(self, entry);
        return;
    case ASK_BEGIN:
        if (begin_question(self, entry) == 0) {
            wait_for_answer(self, entry);
            return;
        }
        ask_table_end(&table, entry, GATE_UNANSWERED, clock_ms());
        connection_refuse(self, reason(GATE_UNANSWERED));
        return;
    case ASK_RECENT:
        connection_refuse(self, reason(entry->why));
        return;
    case ASK_TOO_OFTEN:
        connection_refuse(self, "the box asks about too many names");
        return;
    case ASK_TOO_MANY:
        connection_refuse(self, "too much of the box waits for the user's answers");
        return;
    }
}

void connection_stop_asking(struct connection *self)
{
    struct ask_entry *entry = self->asked;
    self->asked = NULL;
    if (!entry)
        return;
    ask_table_leave(&table, entry);
    if (entry->waiting == 0)
        event_timer_set(&question_of(entry)->linger, LINGER_MS);
}

void asking_check_rules(void)
{
    for (size_t i = 0; i < ASK_QUESTIONS_MAX; i++) {
        struct question *each = &questions[i];
        if (each->answer.fd >= 0 && network_rules_unlisted(ask_rules, each->entry->name,
                                                           each->entry->port) != UNLISTED_ASKED)
            end(each, GATE_UNANSWERED);
    }
}

/* The next worker has another one. */
static void launcher_ended(struct event_watch *self, uint32_t events)
{
    fprintf(stderr, "litterbox-gate: its launcher has ended\n");
    exit(1);
}

void asking_start(const struct network_rules *wanted, int to)
{
    ask_rules = wanted;
    for (size_t i = 0; i < ASK_QUESTIONS_MAX; i++)
        questions[i].answer.fd = -1;
    asker_launcher = (struct event_watch){.fd = to, .ready = launcher_ended};
    event_watch_set(&asker_launcher, EPOLLIN);
}

/* The launcher. */

/* A few more than the gate has open: askers that were withdrawn take a moment to end. */
#define ASKERS_MAX (2 * ASK_QUESTIONS_MAX)

/* The same limit as the gate's own, for one that a box has taken over; its clock is a little late.
 */
static struct token_bucket ask_limit = {.burst = ASK_BURST + 1, .refill_ms = ASK_REFILL_MS};

static const char *box_folder, *box_project, *box_run;

static void handle(struct launcher *self, const char *data, size_t length, int connection)
{
    struct gate_question asked;
    char text[GATE_QUESTION_SIZE];
    if (self->running >= ASKERS_MAX || gate_question_parse(data, length, &asked) < 0 ||
        !token_bucket_take(&ask_limit, clock_ms()))
        return; /* the end of the pipe is the answer */
    gate_question_write(&asked, text);
    char *argv[] = {NULL, (char *)box_folder, (char *)box_project, (char *)box_run, text, NULL};
    launcher_spawn(self, argv, -1, connection);
}

int asking_fork_launcher(const char *folder, const char *project, const char *run)
{
    static struct launcher self = {.program = GATE_ASKER,
                                   .parent = "litterbox-gate",
                                   .noun = "an asker",
                                   .message_max = GATE_QUESTION_SIZE,
                                   .handle = handle};
    box_folder = folder;
    box_project = project;
    box_run = run;
    return launcher_start(&self);
}
