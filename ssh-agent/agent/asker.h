/*
 * Brings questions to the user: a prompt where there is a display; `box agent approve` always. What
 * a prompt answers counts only as prompt_answer.h says.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Hooks for questions_new(); DATA is the agent. */
void asker_show(const question *which, gpointer data);
void asker_hide(const question *which, gpointer data);

/* TRUE when a prompt could be shown. */
gboolean asker_has_display(const agent *self);
