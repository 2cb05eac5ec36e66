#include "sys/debug.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/utf8.h"

#define ALL ((1u << DEBUG_TOPICS) - 1)
#define TEXT_MAX 768
/* Nothing but bytes that are escaped, each by four, and what stands in front of them. */
#define LINE_MAX_BYTES (TEXT_MAX * 4 + 128)

#define WORD_OF(name, word) [DEBUG_##name] = word,
static const char *const names[] = {DEBUG_TOPIC_LIST(WORD_OF)};
#undef WORD_OF

unsigned debug_enabled;
static const char *debug_program = "box";

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
    debug_program = program;
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
    int used = snprintf(line, sizeof line, "%s: debug %lld.%06ld %s: ", debug_program,
                        (long long)now.tv_sec, now.tv_nsec / 1000, names[topic]);
    size_t size = (size_t)used;
    size += log_text_escape(line + size, sizeof line - size - 1, text, (size_t)length);
    line[size++] = '\n';
    /* In one call, so that lines of several processes do not mix. */
    if (write(STDERR_FILENO, line, size) < 0)
        errno = saved;
    errno = saved;
}

static int is_control(const unsigned char *text, size_t length)
{
    if (length == 1)
        return *text < 0x20 || *text == 0x7f;
    return utf8_is_c1(text);
}

size_t log_text_escape(char *out, size_t room, const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        const unsigned char *from = (const unsigned char *)text + at;
        int valid = utf8_length(from, length - at);
        size_t size = valid > 0 ? (size_t)valid : 1;
        int escaped = valid <= 0 || is_control(from, size);
        if (used + size * (escaped ? 4 : 1) >= room)
            break;
        for (size_t i = 0; i < size; i++) {
            if (escaped) {
                out[used++] = '\\';
                out[used++] = 'x';
                out[used++] = digits[from[i] >> 4];
                out[used++] = digits[from[i] & 15];
            } else {
                out[used++] = (char)from[i];
            }
        }
        at += size;
    }
    out[used] = '\0';
    return used;
}
