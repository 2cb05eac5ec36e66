#include "proto/secret_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/network_requests.h"

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

ssize_t secrets_message_write(const struct network_rules *rules, const struct secret_route *route,
                              char text[SECRETS_MESSAGE_MAX])
{
    int used = snprintf(text, SECRETS_MESSAGE_MAX, "%s %u\n", route->name, route->port);
    ssize_t more = network_requests_write(rules, route->server, route->server_port, text + used,
                                          SECRETS_MESSAGE_MAX - (size_t)used);
    return more < 0 ? -1 : used + more;
}

int secrets_message_parse(const char *text, size_t length, struct secrets_message *self)
{
    *self = (struct secrets_message){0};
    if (take_host(&text, &length, '\n', self->name, &self->port) &&
        network_rules_parse(text, length, &self->rules) == 0)
        return 0;
    *self = (struct secrets_message){0};
    return -1;
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
