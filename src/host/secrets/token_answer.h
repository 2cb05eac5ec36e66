/*
 * The answer of a token endpoint, in an exchange (exchange_parts.h). It is read whole before any
 * of it passes. Until then the login's lock is held, and the process and the connection to the
 * server outlive the box: a refresh token that was sent is worth nothing any more, and the next one
 * is in the answer.
 */
#pragma once

#include "host/secrets/exchange_parts.h"

/* A request for tokens of the login HELD was sent by CLIENT (login_tokens.h). RENEWS: with a
 * refresh token. Takes LOCK. */
void exchange_await_tokens(exchange *self, const held_secret *held, const char *client, bool renews,
                           int lock);

/* While it is waited for (`tokens` is not NULL). Reads what has come; FALSE: nothing has. */
bool exchange_step_token_answer(exchange *self);
/* The server has ended the connection, perhaps behind its answer. */
void exchange_end_token_answer(exchange *self);
/* TRUE when the box has gone, and the answer is waited for. */
bool exchange_outlives_box(exchange *self);
/* Waits no longer, and gives the lock back. */
void exchange_end_tokens(exchange *self);
