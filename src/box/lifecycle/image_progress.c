#include "box/lifecycle/image.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/ioctl.h>

#include "common/text.h"
#include "common/units.h"
#include "console/output.h"
#include "podman/podman.h"

#define REDRAW_INTERVAL_US 50000

static struct sigaction old_int, old_term;

static void cancel(int number)
{
    (void)number;
    podman_cancel();
}

static void handle_interrupts(void)
{
    struct sigaction action = {.sa_handler = cancel};
    podman_cancel_reset();
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
}

static void restore_interrupts(void)
{
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
}

typedef enum {
    PROGRESS_LINES,  /* each line as it comes */
    PROGRESS_REDRAW, /* one line with the last text, step and time */
    PROGRESS_JSON,
    PROGRESS_QUIET,
} image_progress_mode;

struct image_progress {
    image_progress_mode mode;
    gint64 started, drawn; /* monotonic microseconds; drawn 0: not yet */
    char *last;            /* safe text of the last line */
    int step, steps;
};

static image_progress_mode choose_mode(gboolean quiet, gboolean json)
{
    if (json)
        return PROGRESS_JSON;
    if (quiet)
        return PROGRESS_QUIET;
    return isatty(STDERR_FILENO) ? PROGRESS_REDRAW : PROGRESS_LINES;
}

image_progress *image_progress_new(gboolean quiet, gboolean json)
{
    image_progress *self = g_new0(image_progress, 1);
    self->mode = choose_mode(quiet, json);
    self->started = g_get_monotonic_time();
    self->last = g_strdup("");
    handle_interrupts();
    return self;
}

void image_progress_free(image_progress *self)
{
    restore_interrupts();
    if (self->mode == PROGRESS_REDRAW && self->drawn)
        fputs("\r\033[K", stderr);
    g_free(self->last);
    g_free(self);
}

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/* "[3/7] 12 s  text", cut to one line of the terminal. */
static void redraw(image_progress *self, gint64 bytes)
{
    gint64 now = g_get_monotonic_time();
    if (self->drawn && now - self->drawn < REDRAW_INTERVAL_US)
        return;
    self->drawn = now;
    g_autoptr(GString) line = g_string_new(NULL);
    if (self->steps)
        g_string_append_printf(line, "[%d/%d] ", self->step, self->steps);
    g_autofree char *time = units_format_duration((now - self->started) / G_USEC_PER_SEC);
    g_string_append_printf(line, "%s  ", time);
    if (bytes > 0) {
        g_autofree char *size = units_format_size(bytes);
        g_string_append_printf(line, "%s  ", size);
    }
    g_string_append(line, self->last);
    glong room = columns() - 1;
    if (g_utf8_strlen(line->str, -1) > room)
        g_string_truncate(line, (gsize)(g_utf8_offset_to_pointer(line->str, room) - line->str));
    fprintf(stderr, "\r\033[K%s", line->str);
    fflush(stderr);
}

static void print_json(const image_progress *self, gint64 bytes)
{
    json_print_line(json_pack("{s:o, s:o, s:o, s:o}", "step",
                              json_count(self->steps ? self->step : -1), "steps",
                              json_count(self->steps ? self->steps : -1), "bytes",
                              json_count(bytes), "text", json_text(self->last)));
}

void image_progress_notice(image_progress *self, const char *lines)
{
    if (self->mode == PROGRESS_JSON || self->mode == PROGRESS_QUIET)
        return;
    fprintf(stderr, "%s%s", self->mode == PROGRESS_REDRAW ? "\r\033[K" : "", lines);
}

void image_progress_report(const podman_progress *step, gpointer data)
{
    image_progress *self = data;
    if (self->mode == PROGRESS_QUIET)
        return;
    /* Before the first line, a repeat has the initial text. */
    if (!step->is_repeat || !*self->last) {
        g_free(self->last);
        self->last = text_safe(step->text, -1);
        if (step->steps) {
            self->step = step->step;
            self->steps = step->steps;
        }
    }
    if (self->mode == PROGRESS_REDRAW)
        redraw(self, step->bytes);
    else if (!step->is_repeat && self->mode == PROGRESS_JSON)
        print_json(self, step->bytes);
    else if (!step->is_repeat && *self->last)
        fprintf(stderr, "%s\n", self->last);
}
