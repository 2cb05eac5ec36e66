/* What each result of the protocol's revision 2026-07-28 has. */
#pragma once

#include <jansson.h>

/* "name", "title" and "version" of this server; a new object. */
json_t *protocol_server_info(void);
/* RESULT with resultType and the server's identity; the same object. */
json_t *protocol_complete(json_t *result);
/* RESULT with hints for a cache as well. */
json_t *protocol_cacheable(json_t *result);
