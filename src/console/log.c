#include "box/say.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE_US 500000

gboolean say_quiet, say_json;

static gboolean colours(void)
{
    const char *no = g_getenv("NO_COLOR"), *term = g_getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && *no) && g_strcmp0(term, "dumb") != 0;
}

static void G_GNUC_PRINTF(2, 0) say(const char *colour, const char *format, va_list values)
{
    g_autofree char *text = g_strdup_vprintf(format, values);
    if (colours())
        fprintf(stderr, "\033[%smbox:\033[0m %s\n", colour, text);
    else
        fprintf(stderr, "box: %s\n", text);
}

#define SAY(colour)              \
    va_list values;              \
    va_start(values, format);    \
    say(colour, format, values); \
    va_end(values)

void say_note(const char *format, ...)
{
    if (say_quiet)
        return;
    SAY("36");
}

void say_warning(const char *format, ...)
{
    SAY("33");
}

void say_error(const char *format, ...)
{
    SAY("31");
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

/* What the user waits through is the silence, not the single step. */
static gint64 silent_since;

void say_begin(void)
{
    silent_since = g_get_monotonic_time();
}

static void set_timer(long microseconds)
{
    struct itimerval timer = {.it_value.tv_usec = microseconds};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void say_step(const char *format, ...)
{
    va_list values;
    if (say_quiet)
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
    set_timer(silence < PATIENCE_US ? PATIENCE_US - (long)silence : 1);
}

void say_step_done(void)
{
    set_timer(0);
    if (g_get_monotonic_time() - silent_since > PATIENCE_US)
        silent_since = g_get_monotonic_time();
}
