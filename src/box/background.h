/* Programs of ours that go on when `box` has ended. */
#pragma once

#include "common/error.h"

/* Longest line that one is heard to say. */
#define BACKGROUND_SAYS_MAX 4096

typedef struct {
    const char *program;          /* absolute */
    const char *const *arguments; /* behind its name, NULL-terminated */
    int input;                    /* its stdin; -1: nothing */
    const char *messages;         /* the file to whose end what it says on stderr is written */
    int patience;                 /* milliseconds until it has to be ready */
    gboolean keeps_umask;         /* ours, for the user's programs that it starts; else 077 */
} background;

/*
 * Starts WANTED away from our terminal, folder and descriptors, and waits until it has closed its
 * standard output, which says that it is ready, or has ended. What it has printed there, without
 * the line's end, is in *SAID (may be NULL; never NULL on success). FALSE with ERROR when it cannot
 * be started at all.
 */
gboolean background_start(const background *wanted, char **said, GError **error);
