/* What the parts of an errand share: for which box it is, and the answer to who asked. */
#pragma once

#include <glib.h>

#include "proto/desktop_request.h"

typedef struct {
    const char *runtime; /* the box's runtime folder */
    const char *box, *project;
    gboolean may_open; /* without a question */
} errand;

/*
 * Answers, and ends the connection with it: once. SENTENCE is our own; what is quoted in it has
 * been made harmless.
 */
void errand_answer(enum request_outcome outcome, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The connection on which who asked waits: POLLHUP tells that they do not any more. */
#define ERRAND_CONNECTION 1
