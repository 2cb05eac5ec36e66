/*
 * The answer: one JSON object, a line, on stdout (proto/question_answer.h). The first answer counts
 * and ends the main loop. The agent takes everything else (no line, another exit status) for a
 * refusal.
 */
#pragma once

#include "proto/question_answer.h"

/* Longest password in bytes. */
#define ANSWER_PASSWORD_MAX 1024

/* Everything but a password and keys. */
void answer_send(enum question_answer answer);
/* The copy that is made for writing is wiped. */
void answer_send_password(const char *password);
/* IDS: of char *, the keys that were chosen. */
void answer_send_keys(const GPtrArray *ids);

/* TRUE when an answer was sent, and written completely. */
gboolean answer_was_sent(void);
