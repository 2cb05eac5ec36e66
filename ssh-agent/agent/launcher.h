/*
 * A process of its own, forked before the agent gives up its rights: it starts the prompt, which
 * needs all of a desktop, and opens the known_hosts files, which lie beside the user's keys. It
 * holds no secret and takes no path and no program's name from the agent.
 */
#pragma once

#include <glib-unix.h>

typedef struct launcher launcher;

/* Forks it. Call it first of all: it inherits what is open. NULL with errno. */
launcher *launcher_start(const char *prompt);
void launcher_free(launcher *self);
/* Has LOST called when it is gone, or does not answer: no other one can be had. */
void launcher_on_lost(launcher *self, GUnixFDSourceFunc lost, gpointer data);

/*
 * Starts the prompt with ENVIRONMENT ("K=V"), its stdin and stdout being the other ends of *TO and
 * *FROM; stdout's last byte is its exit status, behind a NUL. Returns its number, or 0.
 */
guint32 launcher_prompt(launcher *self, char *const *environment, int *to, int *from);
/* Ends that prompt. */
void launcher_stop(launcher *self, guint32 number);

/* A descriptor of the known_hosts file of that INDEX, or -1; LAUNCHER_KNOWN_HOSTS of them. */
#define LAUNCHER_KNOWN_HOSTS 4
int launcher_known_hosts(launcher *self, guint index);
