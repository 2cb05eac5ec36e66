/*
 * A process that is forked before the agent confines itself. It starts prompts, which need a
 * desktop's files, and opens the known_hosts files, which are beside the user's keys. It holds no
 * secret, and takes no path and no program name from the agent.
 */
#pragma once

#include <glib-unix.h>

typedef struct prompt_launcher prompt_launcher;

/* Forks the launcher, which will start the program PROMPT. Call it first, as it inherits what is
 * open. NULL with errno. */
prompt_launcher *prompt_launcher_new(const char *prompt);
/* Ends it and its prompts. SELF may be NULL. */
void prompt_launcher_free(prompt_launcher *self);
/* Calls LOST when it has ended, or does not answer. It cannot be started again. */
void prompt_launcher_on_lost(prompt_launcher *self, GUnixFDSourceFunc lost, gpointer data);

/*
 * Starts a prompt with ENVIRONMENT ("K=V"). *TO and *FROM are the other ends of its stdin and
 * stdout; when it has ended, a NUL and its exit status, a byte, follow its output. Returns its
 * number; 0: it could not be started.
 */
guint32 prompt_launcher_start(prompt_launcher *self, char *const *environment, int *to, int *from);
/* Kills that prompt: it has nothing to clean up, and one that hangs takes no other signal. */
void prompt_launcher_stop(prompt_launcher *self, guint32 number);

/* known_hosts files of the user and the system. */
#define KNOWN_HOSTS_FILES 4
/* A descriptor of the file with that INDEX, which the caller closes; -1: it is missing, or not
 * trustworthy. */
int prompt_launcher_open_known_hosts(prompt_launcher *self, guint index);
