/* What the parts of the window share. */
#pragma once

#include "guard.h"
#include "mnemonic.h"
#include "question.h"

typedef struct {
    const question *question;
    guard *guard;
    mnemonics mnemonics;
    gboolean small; /* the display is: no ornaments, less room between things */
} prompt;
