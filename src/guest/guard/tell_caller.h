/* A word to the person at whose terminal a call was refused, where errno says too little. */
#pragma once

#include "guest/guard/request.h"

/*
 * Writes "box: TEXT" to the caller's standard error, if that is a terminal or a pipe, and never
 * waits for it. TEXT is one line; what a box chose of it is made harmless.
 */
void guard_tell_caller(const struct guard_request *request, const char *text);
