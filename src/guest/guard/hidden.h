/*
 * Hidden names: those that nothing in the box may read. An empty file or folder is mounted on each
 * that exists; but the kernel takes that mount away when the host renames another file over the
 * name, as every editor does, and then the box would see the new one. So in a box that has hidden
 * names each open is done by the guard, and what was opened is given only if it is no hidden file,
 * or lies on the mount that covers one.
 */
#pragma once

#include "guest/guard/request.h"

/* Once, when the guard starts, before there is any session: notes the covers. 0, or -1. */
int guard_hidden_begin(const struct init_options *options);
/* Notes which files are hidden now, by their identity. Before another view is entered, where their
 * paths mean nothing. */
void guard_hidden_prepare(void);
enum guard_sight {
    GUARD_SHOWS,
    GUARD_HIDES,
    GUARD_NAMELESS, /* it has lost its name, so it may be what was hidden a moment ago */
};

/* Whether the caller may see what FD holds, which was opened for it. */
enum guard_sight guard_hidden_look(const struct guard_request *request, int fd);
