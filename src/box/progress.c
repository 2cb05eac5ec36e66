#include "box/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/text.h"

#define REDRAW_US 50000

struct progress {
    progress_mode mode;
    gint64 begun, drawn;
    char *last; /* safe text of the last line */
    int step, steps;
};

progress_mode progress_choose(gboolean quiet, gboolean json)
{
    if (json)
        return PROGRESS_JSON;
    if (quiet)
        return PROGRESS_QUIET;
    return isatty(STDERR_FILENO) ? PROGRESS_REDRAW : PROGRESS_LINES;
}

progress *progress_new(progress_mode mode)
{
    progress *self = g_new0(progress, 1);
    self->mode = mode;
    self->begun = g_get_monotonic_time();
    self->last = g_strdup("");
    return self;
}

void progress_free(progress *self)
{
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
static void redraw(progress *self, gint64 bytes)
{
    gint64 now = g_get_monotonic_time();
    if (self->drawn && now - self->drawn < REDRAW_US)
        return;
    self->drawn = now;
    g_autoptr(GString) line = g_string_new(NULL);
    if (self->steps)
        g_string_append_printf(line, "[%d/%d] ", self->step, self->steps);
    g_string_append_printf(line, "%d s  ", (int)((now - self->begun) / G_USEC_PER_SEC));
    if (bytes > 0) {
        g_autofree char *size = text_format_size(bytes);
        g_string_append_printf(line, "%s  ", size);
    }
    g_string_append(line, self->last);
    glong room = columns() - 1;
    if (g_utf8_strlen(line->str, -1) > room)
        g_string_truncate(line, (gsize)(g_utf8_offset_to_pointer(line->str, room) - line->str));
    fprintf(stderr, "\r\033[K%s", line->str);
    fflush(stderr);
}

static void print_json(const progress *self, gint64 bytes)
{
    g_autoptr(json_t) row = json_pack("{s:i, s:i, s:I, s:s}", "step", self->step, "steps",
                                      self->steps, "bytes", (json_int_t)bytes, "text", self->last);
    if (row) {
        json_dumpf(row, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
    }
}

void progress_take(const podman_progress *step, gpointer data)
{
    progress *self = data;
    if (self->mode == PROGRESS_QUIET)
        return;
    /* A tick before all text has the first one. */
    if (!step->tick || !*self->last) {
        g_free(self->last);
        self->last = text_safe(step->text, -1);
        if (step->steps) {
            self->step = step->step;
            self->steps = step->steps;
        }
    }
    if (self->mode == PROGRESS_REDRAW)
        redraw(self, step->bytes);
    else if (!step->tick && self->mode == PROGRESS_JSON)
        print_json(self, step->bytes);
    else if (!step->tick && *self->last)
        fprintf(stderr, "%s\n", self->last);
}
