#include "proto/bridge_protocol.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [BRIDGE_NO_DISPLAY] = "no-display",     [BRIDGE_SHARED] = "shared",
    [BRIDGE_NO_CLIPBOARD] = "no-clipboard", [BRIDGE_NO_CONTEXTS] = "no-contexts",
    [BRIDGE_NO_SERVER] = "no-server",       [BRIDGE_FAILED] = "failed",
};
_Static_assert(sizeof names / sizeof *names == BRIDGE_OUTCOMES, "each outcome has a name");

void bridge_status_format(const struct bridge_status *status, char text[BRIDGE_STATUS_MAX])
{
    snprintf(text, BRIDGE_STATUS_MAX, "%s %s %s", names[status->windows], names[status->x11],
             names[status->sound]);
}

static int parse_outcome(const char *word, enum bridge_outcome *outcome)
{
    for (int i = 0; i < BRIDGE_OUTCOMES; i++) {
        if (strcmp(word, names[i]) != 0)
            continue;
        *outcome = (enum bridge_outcome)i;
        return 0;
    }
    return -1;
}

int bridge_status_parse(const char *text, struct bridge_status *status)
{
    char words[3][16];
    int length = 0;
    if (sscanf(text, "%15s %15s %15s%n", words[0], words[1], words[2], &length) != 3 ||
        text[length])
        return -1;
    return parse_outcome(words[0], &status->windows) < 0 ||
                   parse_outcome(words[1], &status->x11) < 0 ||
                   parse_outcome(words[2], &status->sound) < 0
               ? -1
               : 0;
}

const char *bridge_option_value(char **options, const char *key)
{
    size_t length = strlen(key);
    for (char **each = options; *each; each++)
        if (strncmp(*each, key, length) == 0 && (*each)[length] == '=')
            return *each + length + 1;
    return "";
}
