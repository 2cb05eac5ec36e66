/*
 * litterbox-port FOLDER RUN: the port forwarder of one box. FOLDER is its runtime folder, RUN its
 * PID 1, of which a pidfd is on stdin (host/supervisor/helper_start.h).
 *
 * It listens on the ports of the host that FOLDER/ports lists. For each connection it asks box-init
 * for a connection to the port in the box, and relays between the two. All state is in that file,
 * so it can be killed and restarted. A connection to FOLDER/port.sock makes it read the file again;
 * it answers with the result of each line ("IP:HOST:BOX ERRNO"), and the PID 1 it works for ("end
 * PID"). It ends with PID 1 of the box, or when the file lists no port.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/port/port_forward.h"
#include "host/supervisor/supervise.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "proto/port_mapping.h"
#include "proto/session.h"
#include "sys/confine.h"
#include "sys/debug.h"

#define PROGRAM "litterbox-port"
/* `box` commands that may wait for an answer. */
#define BACKLOG 16

static const char *folder;
static pid_t box_pid;

static enum stage_result fail(const char *what)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, strerror(errno));
    return STAGE_FAILED;
}

/* PID 1 of the box, as the kernel tells for its socket (SO_PEERCRED); 0 when nobody listens. */
static pid_t pid_one(const char *control)
{
    int fd = unix_socket_connect_in(control, SESSION_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd < 0)
        return 0;
    pid_t pid = unix_socket_peer_pid(fd);
    close(fd);
    return pid;
}

static void apply(int client)
{
    g_autoptr(GPtrArray) wanted = port_list_read(folder);
    g_autoptr(GString) answer = g_string_new(NULL);
    if (port_listeners_apply(wanted, answer) == 0)
        event_loop_quit();
    g_string_append_printf(answer, "end %d\n", (int)box_pid);
    /* Does not wait for a client that does not read, or that only checked whether we run. */
    if (client >= 0)
        send(client, answer->str, answer->len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void asked(struct event_watch *self, uint32_t events)
{
    int client = accept4(self->fd, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return;
    apply(client);
    close(client);
}

static int listen_for_box(void)
{
    g_autofree char *path = g_build_filename(folder, PORT_SOCKET, NULL);
    return unix_socket_listen(path, SOCK_STREAM | SOCK_NONBLOCK, 0600, BACKLOG);
}

/* The supervisor already had a pidfd of PID 1, so this pid has not been reused. */
static enum stage_result find_box(void *data)
{
    g_autofree char *control = g_build_filename(folder, "ctl", NULL);
    errno = ESRCH;
    if (pid_one(control) != box_pid)
        return fail("the box does not run");
    port_listeners_init(control);
    return STAGE_NEXT;
}

static enum stage_result make_socket(void *data)
{
    static struct event_watch listener = {.ready = asked};
    listener.fd = listen_for_box();
    if (listener.fd < 0)
        return fail("listen");
    event_watch_set(&listener, EPOLLIN);
    return STAGE_NEXT;
}

/* From here on it reads data from the box. It needs only the list of ports and its sockets. */
static enum stage_result confine(void *data)
{
    const struct confine_path paths[] = {{folder, CONFINE_READ}};
    confine_process(PROGRAM, paths, 1, CONFINE_CONNECT | CONFINE_INTERNET);
    return STAGE_NEXT;
}

static enum stage_result serve(void *data)
{
    apply(-1);
    worker_ready("");
    event_loop_run();
    return STAGE_DONE;
}

static const struct stage stages[] = {
    {"box", find_box}, {"socket", make_socket}, {"confinement", confine}, {"serving", serve}, {0},
};

int main(int argc, char **argv)
{
    if (argc != 3 || argv[1][0] != '/' || (box_pid = atoi(argv[2])) <= 0) {
        fprintf(stderr, "usage: " PROGRAM " FOLDER RUN (started by box)\n");
        return 64;
    }
    debug_start(PROGRAM);
    folder = argv[1];
    int runtime = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const struct supervised self = {.name = PORT_HELPER,
                                    .program = PROGRAM,
                                    .run = argv[2],
                                    .argv = argv,
                                    .folder = runtime,
                                    .box = STDIN_FILENO,
                                    .stages = stages};
    return supervise(&self);
}
