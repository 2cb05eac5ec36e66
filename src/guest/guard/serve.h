/*
 * The guard's processes. One takes listeners from sessions; workers, its children, answer calls.
 *
 * Workers share their descriptors and nothing else: each has its own rights, umask and memory. One
 * of them is always free, so that a call that takes long (a FIFO, a slow file system, one that is
 * served by a process in the box, whose own calls are held too) holds up no other. When one dies
 * all end: a call that nobody answers would hang for ever.
 */
#pragma once

#include "guest/common/init_options.h"
#include "guest/guard/guard.h"

/* Serves until PID 1's end of DOOR is gone. */
void guard_serve(const struct init_options *options, enum guard_kind kind, int door);
