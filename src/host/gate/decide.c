#include "host/gate/connection.h"

/* For its program to be found. */
#define PROGRAM_MS 200

static void refuse_now(struct connection *self)
{
    event_timer_stop(&self->timer);
    connection_refuse(self, self->refusal_due);
}

static void program_known(struct program_wait *program)
{
    refuse_now(program->owner);
}

static void program_late(struct event_timer *timer)
{
    refuse_now(timer->owner);
}

/* A program that is told ends, and nobody finds it any more. */
static void refuse_by_name(struct connection *self, const char *why)
{
    self->refusal_due = why;
    if (!program_names_waits(&self->program)) {
        connection_refuse(self, why);
        return;
    }
    self->program.answered = program_known;
    self->timer.expired = program_late;
    event_timer_set(&self->timer, PROGRAM_MS);
}

void connection_decide(struct connection *self, const struct sockaddr_in6 *destination)
{
    const char *why;
    const struct target *target = &self->target;
    if (target_find(self->rules, destination, &self->target, &why) == 0)
        connection_admit(self);
    else if (target->name[0] &&
             network_rules_unlisted(self->rules, target->name, target->port) == UNLISTED_ASKED)
        connection_ask(self);
    else
        refuse_by_name(self, why);
}

void connection_admit(struct connection *self)
{
    /* A server of SSH speaks first, and the relay looks at what both say. */
    if (self->target.first == FIRST_ANY || self->target.first == FIRST_SSH)
        connection_dial(self);
    else
        connection_read_head(self);
}
