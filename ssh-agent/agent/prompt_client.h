/*
 * Shows questions to the user, in a litterbox-prompt each, where there is a display. `box agent
 * approve` can answer them as well.
 *
 * Users recognise a genuine prompt by a phrase, which every prompt shows, and by the colour of each
 * box. Both come from a secret in the state folder, which no box can read.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Hooks for pending_questions_new(); DATA is the agent. */
void prompt_client_show(const pending_question *which, gpointer data);
void prompt_client_hide(const pending_question *which, gpointer data);

/* TRUE when a display for prompts is known. */
gboolean prompt_client_has_display(const agent *self);

/* Reads the secret from its file, which is created when it is missing. */
gboolean prompt_client_load_secret(agent *self, GError **error);
/* "amber otter", a new string. */
char *prompt_client_phrase(const agent *self);
/* Sets the phrase, and the colour of ASKED's box. */
void prompt_client_identify(const agent *self, question *asked);
