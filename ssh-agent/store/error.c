#include "ssh-agent/store/error.h"

/* clang-format off: a quark is no subtraction */
G_DEFINE_QUARK(key - error - quark, key_error)
/* clang-format on */
