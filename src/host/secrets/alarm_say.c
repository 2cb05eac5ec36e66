#include "host/secrets/alarm_say.h"

#include <fcntl.h>
#include <glib.h>
#include <limits.h>
#include <unistd.h>

#include "common/text.h"
#include "host/supervisor/launcher.h"
#include "proto/desktop_request.h"
#include "proto/session_notice.h"

/* Longest text, in bytes. */
#define TEXT_MAX 500

/* Becomes the helper that shows a notification of BODY. */
static void become_notification(const char *box, const char *body)
{
    g_autofree char *name = g_strconcat("name=", box, NULL);
    char path[PATH_MAX], request[REQUEST_MAX];
    int length =
        g_snprintf(request, sizeof request, "notify%calarm: a secret%c%s", '\0', '\0', body) + 1;
    int ends[2];
    if (program_beside("litterbox-desktop-helper", path, sizeof path) == 0 &&
        pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], request, (size_t)length) == length &&
        dup2(ends[0], STDIN_FILENO) >= 0)
        /* No page is to be opened, so it needs neither the folder nor the process of the box. */
        execl(path, path, "/", "0", name, (char *)NULL);
}

void alarm_say(const char *box)
{
    char bytes[TEXT_MAX];
    ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
    g_autofree char *said = text_safe_max(bytes, length > 0 ? length : 0, TEXT_MAX);
    g_autofree char *notice = g_strdup_printf("alarm: box '%s': %s", box, said);
    notice_send_to_all(box, notice);
    become_notification(box, said);
    _exit(1);
}
