/* Completion scripts, made from the table of commands: a new row needs nothing here. */
#pragma once

#include <stdio.h>

#include "box/command.h"

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

/* What an option's value is, as far as a shell can help with it. */
typedef enum {
    VALUE_NONE, /* a flag */
    VALUE_CHOICE,
    VALUE_FOLDER,
    VALUE_FILE,
    VALUE_VARIABLE, /* of the environment */
    VALUE_ANYTHING,
    N_VALUES,
} completion_value;
completion_value completion_value_of(const option *row);
