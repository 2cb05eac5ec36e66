/*
 * Brings questions to the user: a prompt where there is a display; `box agent approve` always. What
 * a prompt answers counts only as one whole line of the contract, with exit status 0.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Exit status of a prompt that found no display: the question goes on waiting for a terminal. */
#define PROMPT_NO_DISPLAY 3

/* Hooks for questions_new(); DATA is the agent. */
void asker_show(const question *which, gpointer data);
void asker_hide(const question *which, gpointer data);

/* TRUE when a prompt could be shown. */
gboolean asker_has_display(const agent *self);
