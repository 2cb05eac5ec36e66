#include "guest/portal/wire_type.h"

#include <string.h>

#include "guest/portal/wire.h"

size_t wire_alignment(char type)
{
    switch (type) {
    case 'y':
    case 'g':
    case 'v':
        return 1;
    case 'n':
    case 'q':
        return 2;
    case 'b':
    case 'i':
    case 'u':
    case 'h':
    case 's':
    case 'o':
    case 'a':
        return 4;
    case 'x':
    case 't':
    case 'd':
    case '(':
    case '{':
        return 8;
    default:
        return 0;
    }
}

static const char *type_end(const char *type, int depth);

/* Behind CLOSING, in front of which at least one type has to stand. */
static const char *members_end(const char *type, char closing, int depth)
{
    do
        type = type_end(type, depth);
    while (type && *type != closing);
    return type ? type + 1 : NULL;
}

static const char *type_end(const char *type, int depth)
{
    if (depth > WIRE_DEPTH_MAX || !wire_alignment(*type))
        return NULL;
    switch (*type) {
    case 'a':
        return type_end(type + 1, depth + 1);
    case '(':
        return members_end(type + 1, ')', depth + 1);
    case '{':
        return members_end(type + 1, '}', depth + 1);
    default:
        return type + 1;
    }
}

const char *wire_type_end(const char *type)
{
    return type_end(type, 0);
}
