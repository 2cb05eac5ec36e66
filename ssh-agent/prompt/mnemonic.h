/* Letters to press with Alt: one for each button, no two alike. */
#pragma once

#include <glib.h>

#define MNEMONICS_MAX 32

typedef struct {
    char used[MNEMONICS_MAX];
    gsize count;
} mnemonics;

/* A copy of TEXT with "_" before a letter or digit that is not in use yet, if there is one. */
char *mnemonics_mark(mnemonics *self, const char *text);
