#include "proto/gate_question.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void gate_question_write(const struct gate_question *self, char text[GATE_QUESTION_SIZE])
{
    const struct in_addr from = {htonl(self->from)};
    char address[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &from, address, sizeof address);
    snprintf(text, GATE_QUESTION_SIZE, "%s %u %s %u", self->name, self->port, address,
             self->from_port);
}

int gate_question_parse(const char *text, size_t length, struct gate_question *self)
{
    char copy[GATE_QUESTION_SIZE], again[GATE_QUESTION_SIZE], address[INET_ADDRSTRLEN];
    struct in_addr from;
    *self = (struct gate_question){0};
    if (length >= sizeof copy || memchr(text, '\0', length))
        return -1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    size_t name = strcspn(copy, " ");
    if (host_name_normalise(copy, name, self->name) < 0 ||
        sscanf(copy + name, " %5hu %15[0-9.] %5hu", &self->port, address, &self->from_port) != 3 ||
        inet_pton(AF_INET, address, &from) != 1 || self->port == 0)
        return -1;
    /* That takes a rule, and is never asked for: a gate that does is taken over. */
    if (strcmp(self->name, HOST_IN_BOX) == 0)
        return -1;
    self->from = ntohl(from.s_addr);
    /* Nothing that scanf(3) is lenient about: signs, blanks, zeros in front, a rest. */
    gate_question_write(self, again);
    return strcmp(copy, again) == 0 ? 0 : -1;
}
