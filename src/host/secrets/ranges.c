#include "host/secrets/ranges.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Parts without an ETag or date are of what a program has made for this request, as Apache cuts it
 * by itself; but some services for files have neither. What is longer is taken for a file. */
#define PAGE_MAX ((uint64_t)1 << 20)

static bool begins_with(struct http_text text, const char *word)
{
    return text.length >= strlen(word) && strncasecmp(text.text, word, strlen(word)) == 0;
}

bool range_asks_for_many(struct http_text name, struct http_text value)
{
    /* Some servers still take the second one (Netscape's, of 1995). */
    return (http_is(name, "Range") || http_is(name, "Request-Range")) &&
           begins_with(value, "bytes") && memchr(value.text, ',', value.length);
}

/* Takes a number from the beginning of TEXT. */
static bool take_number(struct http_text *text, uint64_t *number)
{
    size_t digits = 0;
    *number = 0;
    for (; digits < text->length && text->text[digits] >= '0' && text->text[digits] <= '9';
         digits++)
        *number = *number * 10 + (uint64_t)(text->text[digits] - '0');
    *text = (struct http_text){text->text + digits, text->length - digits};
    return digits > 0 && digits < 19;
}

static bool take_letter(struct http_text *text, char letter)
{
    if (text->length == 0 || *text->text != letter)
        return false;
    *text = (struct http_text){text->text + 1, text->length - 1};
    return true;
}

/* "bytes FIRST-LAST/LENGTH" (RFC 9110, 14.4): all of it, or a part of more than PAGE_MAX. */
static bool is_whole_or_long(struct http_text value)
{
    uint64_t first, last, length;
    struct http_text rest = {value.text + strlen("bytes"), value.length - strlen("bytes")};
    if (!take_letter(&rest, ' ') || !take_number(&rest, &first) || !take_letter(&rest, '-') ||
        !take_number(&rest, &last) || !take_letter(&rest, '/') || !take_number(&rest, &length) ||
        rest.length > 0)
        return false;
    return length > PAGE_MAX || (first == 0 && last + 1 == length);
}

const char *range_refuse_answer(unsigned status, const char *head, size_t length)
{
    size_t at = 0;
    struct http_text line, name, value;
    bool is_part = false, has_validator = false;
    while (http_next_line(head, length, &at, &line)) {
        if (!http_split_field(line, &name, &value))
            continue;
        if (http_is(name, "Content-Type") && (begins_with(value, "multipart/byteranges") ||
                                              begins_with(value, "multipart/x-byteranges")))
            return "the answer has several parts of what could hold the secret: ask for one";
        has_validator |=
            (http_is(name, "ETag") || http_is(name, "Last-Modified")) && value.length > 0;
        is_part |= status == 206 && http_is(name, "Content-Range") && begins_with(value, "bytes") &&
                   !is_whole_or_long(value);
    }
    return is_part && !has_validator
               ? "the answer is a part of what could hold the secret, as it has neither an ETag "
                 "nor a date: ask for all of it"
               : NULL;
}
