/*
 * litterbox-port FOLDER: the forwarder of one box, whose runtime folder is FOLDER.
 *
 * It listens on the host's ports that FOLDER/ports names, asks box-init for a connection for each
 * that it accepts, and moves bytes between the two. It holds nothing that is not in that file:
 * killed, it is started again by the next `box` command, and does the same. Whoever connects to
 * FOLDER/port.sock makes it read the file again, and is told what became of each line ("IP:HOST:BOX
 * ERRNO"), and for which PID 1 it works ("end PID"). It ends with PID 1 of the box, and when no
 * line is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "sys/confine.h"
#include "port/door.h"
#include "port/link.h"
#include "proto/port_list.h"
#include "session/client.h"

/* How long ports without room for another connection wait. */
#define PAUSE_MS 500

static const char *folder;
static pid_t box_pid;
static gboolean over;

static int fail(const char *what)
{
    fprintf(stderr, "litterbox-port: %s: %s\n", what, strerror(errno));
    return 1;
}

/* PID 1 of the box, which the kernel says of its socket; 0 when nobody listens. */
static pid_t pid_one(const char *control)
{
    int fd = client_connect(control, SESSION_SOCKET, SOCK_NONBLOCK);
    if (fd < 0)
        return 0;
    pid_t pid = client_peer(fd);
    close(fd);
    return pid;
}

/* A descriptor that tells of the end of PID 1. */
static int watch_box(const char *control)
{
    box_pid = pid_one(control);
    if (box_pid <= 0)
        return -1;
    int fd = (int)syscall(SYS_pidfd_open, box_pid, 0);
    /* It was there after we had hold of it: so it is the same. */
    if (fd >= 0 && pid_one(control) == box_pid)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void box_ended(watch *self)
{
    (void)self;
    over = TRUE;
}

static void apply(int client)
{
    g_autoptr(GPtrArray) wanted = port_list_read(folder);
    g_autoptr(GString) answer = g_string_new(NULL);
    over = over || doors_apply(wanted, answer) == 0;
    g_string_append_printf(answer, "end %d\n", (int)box_pid);
    /* Who does not read so little is not waited for; who only looked whether we live has gone. */
    if (client >= 0)
        send(client, answer->str, answer->len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void asked(watch *self)
{
    int client = accept4(self->fd, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return;
    apply(client);
    close(client);
}

/* Held as long as this process lives: there is one forwarder a box. */
static int take_lock(void)
{
    g_autofree char *path = g_build_filename(folder, PORT_LOCK, NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : -1;
}

static int listen_for_box(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = PORT_SOCKET};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* By its short name: the folder's may be longer than an address. */
    if (fd < 0 || chdir(folder) < 0)
        return -1;
    unlink(PORT_SOCKET);
    umask(077);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 16) < 0)
        return -1;
    return fd;
}

/* From here on it reads what the box sends, and needs nothing but its list and sockets. */
static void confine(void)
{
    const struct confine_path paths[] = {{folder, CONFINE_READ}};
    int files = confine_files(paths, G_N_ELEMENTS(paths)),
        calls = confine_calls(CONFINE_CONNECT | CONFINE_INTERNET);
    if (files < 0 || calls < 0)
        fprintf(stderr, "litterbox-port: this kernel cannot confine it\n");
}

static void serve(void)
{
    while (!over) {
        int due = links_tick();
        if (doors_are_paused() && (due < 0 || due > PAUSE_MS))
            due = PAUSE_MS;
        watch_wait(due);
        links_sweep();
        doors_resume();
    }
}

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] != '/') {
        fprintf(stderr, "usage: litterbox-port FOLDER (started by box)\n");
        return 64;
    }
    folder = argv[1];
    signal(SIGPIPE, SIG_IGN);
    confine_harden();
    if (take_lock() < 0)
        return errno == EWOULDBLOCK ? 0 : fail("lock");
    g_autofree char *control = g_build_filename(folder, "ctl", NULL);
    links_init(control);
    if (!watch_init())
        return fail("epoll");
    watch init = {.fd = watch_box(control), .ready = box_ended};
    if (init.fd < 0)
        return fail("the box does not run");
    watch door = {.fd = listen_for_box(), .ready = asked};
    if (door.fd < 0)
        return fail("listen");
    watch_set(&init, EPOLLIN);
    watch_set(&door, EPOLLIN);
    confine();
    apply(-1);
    close(STDOUT_FILENO); /* ready */
    serve();
    return 0;
}
