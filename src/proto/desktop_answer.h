/* Answers to a box's requests. libc only. */
#pragma once

#include "proto/desktop_request.h"

/* The answer (request.h) to who is connected as FD. Does not block; nothing comes of it when they
 * have gone. */
void answer_send(int fd, enum request_outcome outcome, const char *sentence);
