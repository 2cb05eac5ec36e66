/* What the parts of litterbox-desktop-helper share: the box it works for, and the answer to the
 * box. */
#pragma once

#include <glib.h>

#include "proto/desktop_request.h"

typedef struct {
    const char *runtime; /* the box's runtime folder */
    const char *box, *project;
    gboolean may_open; /* without asking the user */
} desktop_helper;

/*
 * Sends the answer to the program in the box and closes the connection. Call it once. The text is
 * ours; quote nothing from the box in it that is not escaped (text_quoted()).
 */
void desktop_helper_answer(enum request_outcome outcome, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* The descriptor of the connection to the program in the box: POLLHUP when it has gone. */
#define DESKTOP_HELPER_CONNECTION 1
