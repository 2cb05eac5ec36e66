/*
 * Methods and paths of a rule of [network] allow, and the path of a request as they are compared
 * with it. Plain functions over a buffer, libc only.
 *
 * Servers disagree about what some paths mean: whether "%2f" or a backslash parts segments, what is
 * left of ".." and "//", where ";" or "%00" ends a segment, how often "%252e" is decoded. A request
 * is passed on as it was written, so what two of them could read in two ways is refused. What is
 * left is compared byte by byte.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* With their NUL: of a rule; and of a request's path in its normal form. */
#define REQUEST_METHOD_SIZE 24
#define REQUEST_PATTERN_SIZE 256
#define REQUEST_PATH_SIZE 4096

struct request_rule {
    char method[REQUEST_METHOD_SIZE]; /* upper case; "": any */
    char path[REQUEST_PATTERN_SIZE];  /* a pattern; "": any */
};

/* 0; or -1 with *WRONG a sentence that goes on from the quoted rule: "must …". */
int request_method_parse(const char *text, size_t length, char method[REQUEST_METHOD_SIZE],
                         const char **wrong);
/* A path whose parts between "/" may be "*", any one, and whose last one may be "**", any rest. */
int request_pattern_parse(const char *text, char path[REQUEST_PATTERN_SIZE], const char **wrong);

/*
 * Writes the path of the LENGTH bytes of TARGET, of a request (RFC 9112, 3.2.1), to PATH, without
 * the query, and with unreserved characters decoded (RFC 3986, 6.2.2). 0; or -1 with *WHY it is
 * none, or is ambiguous.
 */
int request_path_normalise(const char *target, size_t length, char path[REQUEST_PATH_SIZE],
                           const char **why);

/* PATH is normalised, METHOD compared exactly. */
bool request_rule_matches(const struct request_rule *self, const char *method, const char *path);
/* TRUE when all that NARROW matches is matched by SELF, too. */
bool request_rule_covers(const struct request_rule *self, const struct request_rule *narrow);

/* TRUE when SELF does not match every request. */
static inline bool request_rule_is_set(const struct request_rule *self)
{
    return self->method[0] || self->path[0];
}
