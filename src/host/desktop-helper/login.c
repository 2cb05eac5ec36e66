#include "host/desktop-helper/login.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sys/confine.h"
#include "proto/port_mapping.h"
#include "host/desktop-helper/login_port.h"
#include "port/door.h"
#include "port/link.h"
#include "port/watch.h"

/* From the first answer on: browsers fetch a picture for the page, and programs say goodbye. */
#define AFTER_MS 15000
/* How often it is looked whether it was answered. */
#define LOOK_MS 500

/* Listens on PORT of HOST beside what is in WANTED; 0 or an errno. */
static int listen_on(GPtrArray *wanted, const char *host, guint16 port)
{
    g_autofree char *text = g_strdup_printf("%s:%d:%d", host, port, port);
    g_autoptr(GString) became = g_string_new(NULL);
    g_ptr_array_add(wanted, port_mapping_parse(text));
    doors_apply(wanted, became);
    /* "IP:HOST:BOX ERRNO" a line, and ours is the last one. */
    return atoi(strrchr(became->str, ' ') + 1);
}

gboolean login_begin(const errand *self, guint16 port)
{
    g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func((GDestroyNotify)port_mapping_free);
    g_autofree char *control = g_build_filename(self->runtime, "ctl", NULL);
    links_init(control);
    if (!watch_init() || listen_on(wanted, "127.0.0.1", port) != 0)
        return FALSE;
    /* Without IPv6 the one suffices; but half of a port that somebody has is not ours to take. */
    if (listen_on(wanted, "[::1]", port) != EADDRINUSE)
        return TRUE;
    g_autoptr(GString) became = g_string_new(NULL);
    g_ptr_array_set_size(wanted, 0);
    doors_apply(wanted, became);
    return FALSE;
}

/* The browser has been started: what the box sends from here on finds nothing of the user's. FALSE:
 * this kernel has no filter for calls; without Landlock it does. */
static gboolean confine(void)
{
    confine_harden();
    confine_files(NULL, 0);
    return confine_calls(CONFINE_CONNECT) == 0;
}

void login_serve(void)
{
    if (!confine())
        return;
    gint64 end = g_get_monotonic_time() + (gint64)LOGIN_MINUTES * 60 * G_USEC_PER_SEC;
    gboolean answered = FALSE;
    for (gint64 now; (now = g_get_monotonic_time()) < end;) {
        int due = links_tick();
        watch_wait(due >= 0 && due < LOOK_MS ? due : LOOK_MS);
        links_sweep();
        doors_resume();
        if (!answered && links_were_answered())
            end = MIN(end, now + AFTER_MS * 1000);
        answered = answered || links_were_answered();
    }
}
