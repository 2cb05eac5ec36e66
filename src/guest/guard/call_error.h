/* What a held call is answered with. */
#pragma once

#include <errno.h>

/* The error of a call that RETURNED this: 0 for none. */
static inline int call_error(long returned)
{
    return returned < 0 ? errno : 0;
}
