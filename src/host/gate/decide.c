#include "host/gate/connection.h"

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
        connection_refuse(self, why);
}

void connection_admit(struct connection *self)
{
    /* A server of SSH speaks first, and the relay looks at what both say. */
    if (self->target.first == FIRST_ANY || self->target.first == FIRST_SSH)
        connection_dial(self);
    else
        connection_read_head(self);
}
