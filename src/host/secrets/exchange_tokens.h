/*
 * Logins (login.h) in an exchange: what a box asks of the hosts of a login, and of its token
 * endpoint above all. The answer of that is token_answer.h's.
 */
#pragma once

#include "host/secrets/exchange_parts.h"

/* What only a token has, for a host that answers with nothing else that has it; NULL. */
const char *const *exchange_marks(const exchange *self);
/* What the last request is for. */
enum login_place exchange_place(const exchange *self);

/* Does what the last request asks for PLACE, which is neither LOGIN_ELSEWHERE nor LOGIN_API. FALSE:
 * it waits. */
bool exchange_step_login(exchange *self, enum login_place place);
/* The lock of the login has been waited for (`waits_for_lock`) long enough: answers. */
void exchange_end_wait(exchange *self);
