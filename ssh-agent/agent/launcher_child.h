/* What the agent and its launcher say to each other: one packet a message. */
#pragma once

#include <glib.h>

enum { LAUNCHER_PROMPT = 1, LAUNCHER_STOP, LAUNCHER_HOSTS };

typedef struct {
    guint32 what;
    guint32 number; /* STOP: which; HOSTS: the file's index */
    char environment[16384];
} launcher_request;

typedef struct {
    guint32 number; /* PROMPT: its number; 0: it did not work */
} launcher_answer;

/* Runs until the agent closes SOCKET; ends every prompt then. */
void launcher_child_run(pid_t parent, int socket, const char *prompt);
