/* What every question of the agent's says, whatever it is about (the prompt's contract). */
#pragma once

#include "ssh-agent/agent/boxes.h"

/* A question of that KIND about BOX, with its colour and the phrase, and nothing in its lists yet.
 */
json_t *frame_new(const agent_box *box, const char *kind, const char *headline);
