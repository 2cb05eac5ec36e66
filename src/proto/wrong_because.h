/* How parsers of rules say what is wrong. */
#pragma once

static inline int wrong_because(const char **wrong, const char *why)
{
    *wrong = why;
    return -1;
}
