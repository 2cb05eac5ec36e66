#include "errand/login.h"

#include <string.h>

#include "common/mapping.h"
#include "errand/login_port.h"
#include "port/door.h"
#include "port/link.h"
#include "port/watch.h"

/* From the first answer on: browsers fetch a picture for the page, and programs say goodbye. */
#define AFTER_MS 15000
/* How often it is looked whether it was answered. */
#define LOOK_MS 500

gboolean login_begin(const errand *self, guint16 port)
{
    static const char *const hosts[] = {"127.0.0.1", "[::1]"};
    g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func((GDestroyNotify)port_mapping_free);
    g_autoptr(GString) became = g_string_new(NULL);
    g_autofree char *control = g_build_filename(self->runtime, "ctl", NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(hosts); i++) {
        g_autofree char *text = g_strdup_printf("%s:%d:%d", hosts[i], port, port);
        g_ptr_array_add(wanted, port_mapping_parse(text));
    }
    links_init(control);
    if (!watch_init())
        return FALSE;
    doors_apply(wanted, became);
    /* "IP:HOST:BOX ERRNO" a line; without IPv6 the other one suffices. */
    return g_str_has_prefix(became->str, "127.0.0.1:") && strstr(became->str, " 0\n") &&
           strstr(became->str, " 0\n") < strchr(became->str, '\n');
}

void login_serve(void)
{
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
