/* What the parts of the window share. */
#pragma once

#include "guard.h"
#include "mnemonic.h"
#include "question.h"

typedef struct {
    const question *question;
    guard *guard;
    mnemonics mnemonics;
} prompt;
