/*
 * Lines and fields of the head of an HTTP/1 message (RFC 9112), read strictly: what two parsers
 * could read in two ways is none. Plain functions over a buffer, libc only.
 *
 * No library for it is in both Debian 12 (http-parser, which is not maintained) and 13 (llhttp).
 * Servers such as libsoup, libmicrohttpd and evhttp hold bodies, or want the sockets for
 * themselves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/network_rules.h"

/* A part of the head; in a line, without its CR LF. */
struct http_text {
    const char *text;
    size_t length;
};

/* The line at *AT, which is then behind it. FALSE: there is none that ends with CR LF. */
bool http_next_line(const char *data, size_t size, size_t *at, struct http_text *line);
/* TRUE when TEXT has no control character but tab: what a parser may end a line or a text at. */
bool http_is_clean(const char *text, size_t length);
/* RFC 9110, 5.6.2. */
bool http_is_token(const char *text, size_t length);
/* "METHOD /PATH HTTP/1.x". The form with a whole URL is for proxies, and names a second host. */
bool http_is_request(struct http_text line);
/* Splits "NAME: VALUE". FALSE when it is not one, such as a folded line. */
bool http_split_field(struct http_text line, struct http_text *name, struct http_text *value);
/* Whether TEXT is WORD, letter by letter. */
bool http_is_exactly(struct http_text text, const char *word);
/* Whether TEXT is WORD, in any case. */
bool http_is(struct http_text text, const char *word);
/* Whether TEXT is one of WORDS, which are in small letters and end with NULL, in any case, and with
 * "_" for "-", as programs behind CGI read it (RFC 3875, 4.1.18). */
bool http_is_like_any(struct http_text text, const char *const *words);
/* Whether a field would have the answer coded, so that no text can be looked for in it: by HTTP
 * (RFC 9110, 12.5.1 to 12.5.3; 3229, 10.5.3), gRPC, Connect, or WebSocket (RFC 7692). */
bool http_asks_for_coding(struct http_text name, struct http_text value);
/* The next element of a list of values ("a, b"), without blanks; LIST is then the rest. FALSE at
 * its end. */
bool http_next_element(struct http_text *list, struct http_text *element);
/* Reads a Host field: HOST normalised, and *PORT, which is PORT_MISSING when it has none. */
bool http_read_host(struct http_text value, uint16_t port_missing, char host[HOST_NAME_SIZE],
                    uint16_t *port);
