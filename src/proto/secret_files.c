#include "proto/secret_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The next word, up to END. */
static bool take_word(const char **data, size_t *size, char end, const char **word, size_t *length)
{
    const char *stop = memchr(*data, end, *size);
    if (!stop)
        return false;
    *word = *data;
    *length = (size_t)(stop - *data);
    *size -= *length + 1;
    *data = stop + 1;
    return true;
}

static bool take_host(const char **data, size_t *size, char end, char name[HOST_NAME_SIZE],
                      uint16_t *port)
{
    const char *word;
    size_t length;
    char number[6] = "";
    if (!take_word(data, size, ' ', &word, &length) ||
        host_name_normalise(word, length, name) < 0 ||
        !take_word(data, size, end, &word, &length) || length >= sizeof number)
        return false;
    memcpy(number, word, length);
    unsigned long value = strtoul(number, NULL, 10);
    *port = (uint16_t)value;
    return value > 0 && value <= UINT16_MAX && !number[strspn(number, "0123456789")];
}

int secret_route_parse(const char **data, size_t *size, struct secret_route *route)
{
    if (*size == 0)
        return 0;
    return take_host(data, size, ' ', route->name, &route->port) &&
                   take_host(data, size, '\n', route->server, &route->server_port)
               ? 1
               : -1;
}
