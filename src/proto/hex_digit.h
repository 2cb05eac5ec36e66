/* Digits of HTTP and of URLs (RFC 3986, 2.1; RFC 9112, 7.1). */
#pragma once

/* The value of the hexadecimal digit C, a small or a large one; -1: it is none. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
