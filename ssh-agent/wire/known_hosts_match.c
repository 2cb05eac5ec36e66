#include "ssh-agent/wire/known_hosts_match.h"

#include <string.h>

#include "ssh-agent/wire/verify.h"

static uint8_t small(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

static bool is_name_character(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c != '\0' && strchr(".-_:%[]", c));
}

bool ssh_host_name_init(struct ssh_host_name *self, struct ssh_span text)
{
    if (text.length == 0 || text.length > sizeof self->bytes)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        self->bytes[i] = small(text.data[i]);
        if (!is_name_character(self->bytes[i]))
            return false;
    }
    self->span = (struct ssh_span){self->bytes, text.length};
    return true;
}

/* On a mismatch the last * takes one character more; earlier ones need not be tried again. */
bool ssh_host_pattern_matches(struct ssh_span pattern, struct ssh_span name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, star_n = 0;
    while (n < name.length) {
        if (p < pattern.length && pattern.data[p] == '*') {
            star = ++p;
            star_n = n;
        } else if (p < pattern.length &&
                   (pattern.data[p] == '?' || small(pattern.data[p]) == small(name.data[n]))) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star;
            n = ++star_n;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.data[p] == '*')
        p++;
    return p == pattern.length;
}

bool ssh_host_is_pattern(struct ssh_span text)
{
    return text.length > 0 &&
           (memchr(text.data, '*', text.length) || memchr(text.data, '?', text.length));
}

bool ssh_host_next(struct ssh_span *left, struct ssh_span *host, bool *negated)
{
    if (left->length == 0)
        return false;
    const uint8_t *comma = memchr(left->data, ',', left->length);
    size_t length = comma ? (size_t)(comma - left->data) : left->length;
    size_t taken = comma ? length + 1 : length;
    *host = (struct ssh_span){left->data, length};
    *left = (struct ssh_span){left->data + taken, left->length - taken};
    *negated = host->length > 0 && host->data[0] == '!';
    if (*negated)
        *host = (struct ssh_span){host->data + 1, host->length - 1};
    return true;
}

bool ssh_hosts_match(struct ssh_span hosts, struct ssh_span name)
{
    bool matches = false, negated;
    struct ssh_span host;
    if (hosts.length > 0 && hosts.data[0] == '|')
        return ssh_verify_hashed_name(hosts, name);
    while (ssh_host_next(&hosts, &host, &negated)) {
        if (!ssh_host_pattern_matches(host, name))
            continue;
        if (negated)
            return false;
        matches = true;
    }
    return matches;
}
