#include "proto/request_rule.h"

#include <stdio.h>
#include <string.h>

#include "proto/hex_digit.h"
#include "proto/wrong_because.h"
#include "sys/utf8.h"

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define ALPHANUMERIC UPPER "abcdefghijklmnopqrstuvwxyz0123456789"
#define UNRESERVED ALPHANUMERIC "-._~"
/* RFC 3986, 3.3; without ";", behind which some servers see no path any more. */
#define IN_PATH UNRESERVED "!$&'()*+,=:@"
/* What would mean something else if a server decoded it before it looked at the path, or twice. */
#define NEVER_CODED "/\\%?#;"

static bool is_in(const char *set, unsigned char byte)
{
    return byte && strchr(set, byte);
}

int request_method_parse(const char *text, size_t length, char method[REQUEST_METHOD_SIZE],
                         const char **wrong)
{
    if (length == 0 || length >= REQUEST_METHOD_SIZE || !is_in(UPPER, (unsigned char)*text) ||
        strspn(text, UPPER "-") < length)
        return wrong_because(wrong, "must have a method in capitals, such as GET");
    memcpy(method, text, length);
    method[length] = '\0';
    return 0;
}

/* Paths. */

/* What is written, and what it stands for. */
struct text {
    char *out;
    size_t length, room;
    unsigned char meant[REQUEST_PATH_SIZE];
    size_t meant_length;
};

static int put(struct text *self, const char *text, size_t length, int meant)
{
    if (self->length + length >= self->room)
        return -1;
    memcpy(self->out + self->length, text, length);
    self->length += length;
    self->meant[self->meant_length++] = (unsigned char)meant;
    return 0;
}

/* "%XX" at TEXT, of which ROOM bytes are there. */
static const char *put_coded(struct text *self, const char *text, size_t room)
{
    int high = room > 2 ? hex_digit(text[1]) : -1, low = high < 0 ? -1 : hex_digit(text[2]);
    int byte = 16 * high + low;
    char plain = (char)byte, coded[4];
    if (low < 0)
        return "has a '%' that codes nothing";
    if (byte < 0x20 || byte == 0x7f)
        return "has a control character";
    if (is_in(NEVER_CODED, (unsigned char)byte))
        return "has a coded '/', '\\', '%', '?', '#' or ';'";
    if (is_in(UNRESERVED, (unsigned char)byte))
        return put(self, &plain, 1, byte) < 0 ? "is too long" : NULL;
    snprintf(coded, sizeof coded, "%%%02X", (unsigned char)byte);
    return put(self, coded, 3, byte) < 0 ? "is too long" : NULL;
}

/* Overlong forms would hide what is not looked at. */
static bool is_utf8(const struct text *self)
{
    for (size_t at = 0; at < self->meant_length;) {
        int length = utf8_length(self->meant + at, self->meant_length - at);
        if (length <= 0)
            return false;
        at += (size_t)length;
    }
    return true;
}

/* "/a//b", "/./a", "/..": some servers take parts away. */
static const char *check_parts(const char *path)
{
    for (const char *at = path; *at; at += strcspn(at, "/")) {
        size_t length = strcspn(++at, "/");
        if (length == 0 && *at == '/')
            return "has an empty part";
        if (length <= 2 && length == strspn(at, ".") && length > 0)
            return "has '.' or '..' as a part";
    }
    return NULL;
}

/* NULL, or why not. */
static const char *normalise_path(const char *text, size_t length, char *path, size_t size)
{
    struct text out = {.out = path, .room = size};
    const char *why = length > 0 && text[0] == '/' ? NULL : "does not begin with '/'";
    for (size_t at = 0; !why && at < length;) {
        bool is_coded = text[at] == '%';
        if (is_coded)
            why = put_coded(&out, text + at, length - at);
        else if (text[at] != '/' && !is_in(IN_PATH, (unsigned char)text[at]))
            why = "has a character that servers read in different ways";
        else if (put(&out, text + at, 1, text[at]) < 0)
            why = "is too long";
        at += is_coded ? 3 : 1;
    }
    if (why)
        return why;
    path[out.length] = '\0';
    return is_utf8(&out) ? check_parts(path) : "is not UTF-8";
}

int request_path_normalise(const char *target, size_t length, char path[REQUEST_PATH_SIZE],
                           const char **why)
{
    const char *query = memchr(target, '?', length);
    *why =
        normalise_path(target, query ? (size_t)(query - target) : length, path, REQUEST_PATH_SIZE);
    return *why ? -1 : 0;
}

/* A part of a pattern at AT, of LENGTH bytes, which may have stars. */
static bool part_is(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(at, word, length) == 0;
}

int request_pattern_parse(const char *text, char path[REQUEST_PATTERN_SIZE], const char **wrong)
{
    if (normalise_path(text, strlen(text), path, REQUEST_PATTERN_SIZE))
        return wrong_because(wrong, "must have a path that begins with '/', without '.', '..', "
                                    "'//', ';', '?' and what stands for them in code");
    for (const char *at = path; *at; at += strcspn(at, "/")) {
        size_t length = strcspn(++at, "/");
        if (!memchr(at, '*', length) || part_is(at, length, "*") ||
            (part_is(at, length, "**") && !at[length]))
            continue;
        return wrong_because(wrong, "must have '*' as a whole part of the path, and '**' as the "
                                    "last one");
    }
    return 0;
}

/* Rules. */

static bool path_matches(const char *pattern, const char *path)
{
    while (*pattern && *path) {
        size_t wanted = strcspn(++pattern, "/"), length = strcspn(++path, "/");
        if (part_is(pattern, wanted, "**"))
            return true;
        bool is_any = part_is(pattern, wanted, "*") && length > 0;
        if (!is_any && (wanted != length || memcmp(pattern, path, length) != 0))
            return false;
        pattern += wanted;
        path += length;
    }
    return *pattern == *path;
}

bool request_rule_matches(const struct request_rule *self, const char *method, const char *path)
{
    return (!self->method[0] || strcmp(self->method, method) == 0) &&
           (!self->path[0] || path_matches(self->path, path));
}

static bool has_any_rest(const char *pattern)
{
    size_t length = strlen(pattern);
    return length >= 3 && strcmp(pattern + length - 3, "/**") == 0;
}

/* A star of NARROW is a part as any other, for a star; but "**" is more than one. */
bool request_rule_covers(const struct request_rule *self, const struct request_rule *narrow)
{
    const char *path = narrow->path[0] ? narrow->path : "/**";
    return request_rule_matches(self, narrow->method, path) &&
           (!self->path[0] || !has_any_rest(path) || has_any_rest(self->path));
}
