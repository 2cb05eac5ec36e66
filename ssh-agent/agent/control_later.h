/* Requests of the control socket whose answer comes later. */
#pragma once

#include "ssh-agent/agent/control.h"

/* A question of `box` itself, such as sudo's: {"question": the prompt's contract}. Phrase, colour
 * and id are ours. Answered with {"answer": a choice, "deny", "timeout" … or "nobody": there is no
 * display}. */
json_t *control_ask(agent *self, control_client *from, const json_t *request);

/* The keys that could be attached to a box: {"upstream": PATH} -> {"keys": [{fingerprint, label,
 * type}, …]}. */
json_t *control_keys(agent *self, control_client *from, const json_t *request);
