/* Options of the bridge and of what it starts, as they stand in argv. libc only. */
#pragma once

/* The value of the option KEY in OPTIONS (KEY=VALUE each, NULL-terminated); "" when it is not
 * there. */
const char *option_value(char **options, const char *key);
