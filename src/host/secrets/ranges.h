/*
 * Parts of what a server has (RFC 9110, 14). A secret that a server sends back in several parts is
 * found in none of them. So a box gets single parts of what seems to be a file, which resume a
 * download, and no others. The contents of a part do not decide: to cut those that begin or end
 * like the secret would tell a box whether it has guessed some of its letters. Plain functions over
 * a buffer.
 */
#pragma once

#include "proto/http_fields.h"

/* Whether a field of a request asks for more than one range of bytes. A server may answer as if it
 * were not there (RFC 9110, 14.2). Other units, as some APIs have, count whole things. */
bool range_asks_for_many(struct http_text name, struct http_text value);
/* NULL, or why an answer with STATUS must not pass. HEAD, of LENGTH bytes, is that of
 * http_read_response(). */
const char *range_refuse_answer(unsigned status, const char *head, size_t length);
