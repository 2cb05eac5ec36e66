#include "box/session/notice_listener.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "common/fs.h"
#include "common/text.h"
#include "net/unix_socket.h"
#include "proto/session_notice.h"

/* A box that asks again and again must not fill the terminal: so many notices in a row, then one
 * each so many milliseconds. */
#define BURST 5
#define REFILL_MS 20000
/* Longest line that is shown, in bytes. */
#define LINE_SHOWN 240

void notice_listener_init(notice_listener *self, const struct box *about)
{
    *self = (notice_listener){
        .box = about, .fd = -1, .limit = {.burst = BURST, .refill_ms = REFILL_MS}};
}

/* In FOLDER, which is made when it is missing: the first session of the box. */
static int bind_in(const char *folder, const char *name)
{
    int dir = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 && errno == ENOENT && fs_make_folder(folder, 0700, NULL))
        dir = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return -1;
    int fd = unix_socket_bind_at(dir, name, SOCK_DGRAM | SOCK_NONBLOCK, 0600);
    close(dir);
    return fd;
}

int notice_listener_begin(notice_listener *self, int terminal)
{
    g_autofree char *folder = agent_notice_folder(self->box->name);
    g_autofree char *name = notice_name(terminal, getpid());
    if (folder)
        self->fd = bind_in(folder, name);
    if (self->fd >= 0)
        self->path = g_build_filename(folder, name, NULL);
    return self->fd;
}

char *notice_lines(const char *bytes, gsize length)
{
    g_autofree char *text = g_strndup(bytes, length);
    g_auto(GStrv) lines = g_strsplit(text, "\n", NOTICE_LINES);
    GString *shown = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        g_autofree char *safe = text_safe_max(*line, -1, LINE_SHOWN);
        if (*safe)
            g_string_append_printf(shown, "box: %s\n", safe);
    }
    return g_string_free(shown, FALSE);
}

gboolean notice_listener_read(notice_listener *self, char **text)
{
    char bytes[NOTICE_MAX];
    ssize_t length = recv(self->fd, bytes, sizeof bytes, 0);
    if (length <= 0 || !token_bucket_take(&self->limit, g_get_monotonic_time() / 1000))
        return FALSE;
    *text = notice_lines(bytes, (gsize)length);
    return TRUE;
}

void notice_listener_end(notice_listener *self)
{
    if (self->fd < 0)
        return;
    unlink(self->path);
    close(self->fd);
    g_free(self->path);
    self->fd = -1;
}
