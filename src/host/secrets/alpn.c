#include "host/secrets/alpn.h"

#include <string.h>

/* Of the length of the list. */
#define PREFIX 2

bool alpn_offers(const unsigned char *extension, size_t length, const char *name)
{
    size_t wanted = strlen(name);
    for (size_t at = PREFIX; at < length; at += 1 + (size_t)extension[at])
        if (extension[at] == wanted && length - at > wanted &&
            memcmp(extension + at + 1, name, wanted) == 0)
            return true;
    return false;
}
