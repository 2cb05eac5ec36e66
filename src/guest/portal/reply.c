#include "guest/portal/reply.h"

#include <stdio.h>

void caller_set(struct caller *self, const struct message *call)
{
    snprintf(self->name, sizeof self->name, "%s", call->sender);
    self->serial = call->flags & MESSAGE_NO_REPLY ? 0 : call->serial;
}

struct wire_out *reply_begin(const struct caller *to, const char *signature)
{
    return bus_begin((struct message_head){.type = MESSAGE_RETURN,
                                           .reply_to = to->serial,
                                           .destination = to->name,
                                           .signature = signature});
}

void reply_end(const struct caller *to)
{
    if (to->serial)
        bus_end();
}

void reply_nothing(const struct caller *to)
{
    reply_begin(to, NULL);
    reply_end(to);
}

void reply_error(const struct caller *to, const char *error, const char *sentence)
{
    struct wire_out *out = bus_begin((struct message_head){.type = MESSAGE_ERROR,
                                                           .reply_to = to->serial,
                                                           .error = error,
                                                           .destination = to->name,
                                                           .signature = "s"});
    wire_put_string(out, sentence);
    reply_end(to);
}

void reply_wrong(const struct caller *to)
{
    reply_error(to, REPLY_WRONG, "the arguments are not those of this method");
}
