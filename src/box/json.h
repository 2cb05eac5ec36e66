/* JSON results on stdout. */
#pragma once

#include <jansson.h>

/* Prints VALUE (taken over) with a line end: indented on a terminal, compact elsewhere. */
void json_print(json_t *value);
