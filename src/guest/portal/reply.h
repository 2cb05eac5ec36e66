/* Answers of the portal to who calls it. */
#pragma once

#include "guest/portal/bus.h"

/* Names on a bus are no longer (D-Bus Specification, "Valid Names"). */
#define CALLER_MAX 256

struct caller {
    char name[CALLER_MAX];
    uint32_t serial; /* of the call; 0: no answer is wanted */
};

void caller_set(struct caller *self, const struct message *call);

/* Begins an answer, whose body, as SIGNATURE says, is put into the result. */
struct wire_out *reply_begin(const struct caller *to, const char *signature);
void reply_end(const struct caller *to);
void reply_nothing(const struct caller *to);
void reply_error(const struct caller *to, const char *error, const char *sentence);

#define REPLY_WRONG "org.freedesktop.DBus.Error.InvalidArgs"
void reply_wrong(const struct caller *to);
