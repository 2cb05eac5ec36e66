/* The question whether a box may reach a host of the network. */
#pragma once

#include "box/registry/box.h"
#include "proto/gate_question.h"
#include "proto/question.h"

/* ASKER: the program of the box, or with IS_BUILD of a build of its image, that wants to connect;
 * 0: it is not known. OUTERMOST: its ancestor that is shown no more, as PID 1 of SELF. A new
 * question.
 */
question *host_question_new(const struct box *self, const struct gate_question *asked, pid_t asker,
                            pid_t outermost, gboolean is_build);

/* The rule that an answer to ASKED makes for good, "allow NAME:PORT" or "deny NAME:PORT" as
 * `box net` writes it; a new string. */
char *host_question_rule(const struct gate_question *asked, gboolean denies);
