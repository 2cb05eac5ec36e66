/*
 * A box to which nothing was ever attached asks for its keys: the user may choose some, in a
 * window, once. The box hears nothing of it but an empty list; what is chosen holds from the next
 * one on.
 */
#pragma once

#include "ssh-agent/agent/boxes.h"

/* PID: who asked for the list. */
void choose_offer(agent_box *box, pid_t pid);
/* BOX closes. */
void choose_forget(agent_box *box);
