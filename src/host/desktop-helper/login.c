#include "host/desktop-helper/desktop_helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/port/port_forward.h"
#include "net/event_loop.h"
#include "proto/port_mapping.h"
#include "sys/clock.h"
#include "sys/confine.h"

/* How long the port stays open after the first answer: browsers also fetch a favicon, and some
 * programs show a last page. */
#define AFTER_ANSWER_MS 15000

/* Adds PORT of HOST to WANTED and applies that. 0 or an errno. */
static int listen_on(GPtrArray *wanted, const char *host, guint16 port)
{
    g_autofree char *text = g_strdup_printf("%s:%d:%d", host, port, port);
    g_autoptr(GString) became = g_string_new(NULL);
    g_ptr_array_add(wanted, port_mapping_parse(text));
    port_listeners_apply(wanted, became);
    /* A line "IP:HOST:BOX ERRNO" for each mapping; ours is the last. */
    return atoi(strrchr(became->str, ' ') + 1);
}

gboolean login_begin(const desktop_helper *self, guint16 port)
{
    g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func((GDestroyNotify)port_mapping_free);
    g_autofree char *control = g_build_filename(self->runtime, "ctl", NULL);
    port_listeners_init(control);
    if (listen_on(wanted, "127.0.0.1", port) != 0)
        return FALSE;
    /* No IPv6 is fine. But if another program has the IPv6 port, the browser might reach that. */
    if (listen_on(wanted, "[::1]", port) != EADDRINUSE)
        return TRUE;
    g_autoptr(GString) became = g_string_new(NULL);
    g_ptr_array_set_size(wanted, 0);
    port_listeners_apply(wanted, became);
    return FALSE;
}

/* The browser has been started, so nothing but sockets is needed any more. FALSE when seccomp does
 * not work; Landlock is optional. */
static gboolean confine(void)
{
    confine_harden();
    confine_files(NULL, 0);
    return confine_calls(CONFINE_CONNECT) == 0;
}

static struct event_timer end;

static void on_end(struct event_timer *timer)
{
    event_loop_quit();
}

static void on_answer(void)
{
    if (end.due - clock_ms() > AFTER_ANSWER_MS)
        event_timer_set(&end, AFTER_ANSWER_MS);
}

void login_serve(void)
{
    if (!confine())
        return;
    end.expired = on_end;
    event_timer_set(&end, (gint64)LOGIN_MINUTES * 60 * 1000);
    connections_on_answer(on_answer);
    event_loop_run();
}
