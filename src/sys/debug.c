#include "sys/debug.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/log_text.h"

#define ALL ((1u << DEBUG_TOPICS) - 1)
#define TEXT_MAX 768
/* Nothing but bytes that are escaped, each by four, and what stands in front of them. */
#define LINE_MAX_BYTES (TEXT_MAX * 4 + 128)

#define WORD_OF(name, word) [DEBUG_##name] = word,
static const char *const names[] = {DEBUG_TOPIC_LIST(WORD_OF)};
#undef WORD_OF

unsigned debug_enabled;
static const char *program_name = "box";

static int bits_of(const char *word, size_t length)
{
    if (length == strlen("all") && memcmp(word, "all", length) == 0)
        return (int)ALL;
    for (unsigned i = 0; i < DEBUG_TOPICS; i++)
        if (strlen(names[i]) == length && memcmp(word, names[i], length) == 0)
            return (int)(1u << i);
    return 0;
}

int debug_parse(const char *list, const char **wrong, int *length)
{
    unsigned enabled = 0;
    while (*list) {
        size_t size = strcspn(list, ",");
        int bits = bits_of(list, size);
        if (!bits && size > 0) {
            *wrong = list;
            *length = (int)size;
            return -1;
        }
        enabled |= (unsigned)bits;
        list += size + (list[size] == ',');
    }
    return (int)enabled;
}

const char *debug_topic_list(void)
{
    static char text[DEBUG_LIST_MAX];
    size_t used = 0;
    for (int i = 0; i < DEBUG_TOPICS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s, ", names[i]);
    snprintf(text + used, sizeof text - used, "all");
    return text;
}

void debug_enable(const char *program, const char *list)
{
    const char *wrong;
    int length, bits = list ? debug_parse(list, &wrong, &length) : 0;
    program_name = program;
    debug_enabled = bits > 0 ? (unsigned)bits : 0;
}

void debug_start(const char *program)
{
    debug_enable(program, getenv(DEBUG_VARIABLE));
}

void debug_write(enum debug_topic topic, const char *format, ...)
{
    char text[TEXT_MAX], line[LINE_MAX_BYTES];
    struct timespec now;
    va_list values;
    int saved = errno;
    clock_gettime(CLOCK_MONOTONIC, &now);
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof text)
        length = (int)sizeof text - 1;
    int used = snprintf(line, sizeof line, "%s: debug %lld.%06ld %s: ", program_name,
                        (long long)now.tv_sec, now.tv_nsec / 1000, names[topic]);
    size_t size = (size_t)used;
    size += log_text_escape(line + size, sizeof line - size - 1, text, (size_t)length);
    line[size++] = '\n';
    /* In one call, so that lines of several processes do not mix. */
    if (write(STDERR_FILENO, line, size) < 0)
        errno = saved;
    errno = saved;
}
