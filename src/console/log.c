#include "console/log.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* A step that takes less time than this is not shown. */
#define STEP_DELAY_US 500000

gboolean log_quiet;
gboolean log_json;

gboolean log_has_colours(int fd)
{
    const char *no = g_getenv("NO_COLOR"), *term = g_getenv("TERM");
    return isatty(fd) && !(no && *no) && g_strcmp0(term, "dumb") != 0;
}

static void G_GNUC_PRINTF(2, 0) print_line(const char *colour, const char *format, va_list values)
{
    g_autofree char *text = g_strdup_vprintf(format, values);
    if (log_has_colours(STDERR_FILENO))
        fprintf(stderr, "\033[%smbox:\033[0m %s\n", colour, text);
    else
        fprintf(stderr, "box: %s\n", text);
}

#define PRINT_LINE(colour)              \
    va_list values;                     \
    va_start(values, format);           \
    print_line(colour, format, values); \
    va_end(values)

void log_note(const char *format, ...)
{
    if (log_quiet)
        return;
    PRINT_LINE("36");
}

void log_warning(const char *format, ...)
{
    PRINT_LINE("33");
}

void log_error(const char *format, ...)
{
    PRINT_LINE("31");
}

/* Written by a signal handler, so it is ready before the timer starts. */
static char step_line[512];
static size_t step_length;

static void show_step(int number)
{
    (void)number;
    if (write(STDERR_FILENO, step_line, step_length) < 0)
        return;
}

/* The delay counts from here and not from the start of each step: a series of short steps is as
 * long a wait as one long step. */
static gint64 silent_since;

void log_start(void)
{
    silent_since = g_get_monotonic_time();
}

static void set_timer(long microseconds)
{
    struct itimerval timer = {.it_value.tv_usec = microseconds};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void log_step(const char *format, ...)
{
    va_list values;
    if (log_quiet)
        return;
    va_start(values, format);
    g_autofree char *text = g_strdup_vprintf(format, values);
    va_end(values);
    set_timer(0);
    step_length = (size_t)g_snprintf(step_line, sizeof step_line, "box: %s …\n", text);
    step_length = MIN(step_length, sizeof step_line - 1);
    struct sigaction action = {.sa_handler = show_step, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    gint64 silence = g_get_monotonic_time() - silent_since;
    set_timer(silence < STEP_DELAY_US ? STEP_DELAY_US - (long)silence : 1);
}

void log_step_done(void)
{
    set_timer(0);
    if (g_get_monotonic_time() - silent_since > STEP_DELAY_US)
        silent_since = g_get_monotonic_time();
}
