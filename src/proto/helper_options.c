#include "proto/helper_options.h"

#include <string.h>

const char *option_value(char **options, const char *key)
{
    size_t length = strlen(key);
    for (char **each = options; *each; each++)
        if (strncmp(*each, key, length) == 0 && (*each)[length] == '=')
            return *each + length + 1;
    return "";
}
