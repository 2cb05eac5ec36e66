#include "config/setting_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_number(const char *text, int64_t *number)
{
    char *end;
    if (strcmp(text, "never") == 0) {
        *number = SETTINGS_NEVER;
        return 1;
    }
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno || end == text || *end || *number < 0 ? -1 : 1;
}

static int read_value(const struct setting_option *row, const char *text, void *field)
{
    switch (row->type) {
    case SETTING_BOOL:
        *(int *)field = strcmp(text, "true") == 0;
        return *(int *)field || strcmp(text, "false") == 0 ? 1 : -1;
    case SETTING_CHOICE: {
        const struct choice *choice = choice_by_name(row->choices, text);
        if (choice)
            *(int *)field = choice->value;
        return choice ? 1 : -1;
    }
    case SETTING_NUMBER:
        return read_number(text, field);
    }
    return -1;
}

int setting_option_read(const struct setting_option *table, const char *option, void *into)
{
    for (const struct setting_option *row = table; row->name; row++) {
        size_t length = strlen(row->name);
        if (strncmp(option, row->name, length) == 0 && option[length] == '=')
            return read_value(row, option + length + 1, (char *)into + row->offset);
    }
    return 0;
}
