/*
 * Parts of what a server has (RFC 9110, 14). A secret that a server sends back in pieces is not
 * found in any of them, and what is a half of it must not be told to a box. So a box gets single
 * parts of what seems to be a file, as those who resume a download do, and no others. What is in a
 * part does not count here: a rule about its first and last bytes would answer guesses. Plain
 * functions over a buffer.
 */
#pragma once

#include "proto/http_fields.h"

/* Whether a field of a request asks for more than one range of bytes. A server may answer as if it
 * were not there (RFC 9110, 14.2). Other units, as some APIs have, count whole things. */
bool range_asks_for_many(struct http_text name, struct http_text value);
/* NULL, or why an answer with STATUS must not pass. HEAD, of LENGTH bytes, is that of
 * http_read_response(). */
const char *range_refuse_answer(unsigned status, const char *head, size_t length);
