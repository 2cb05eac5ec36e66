#include "guest/init/session_bus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/init/control_socket.h"

/* Most waiting connections that are closed at once: a flood of them must not occupy PID 1. */
#define CLOSED_MAX 256
#define RUNTIME_DIR_PARENT "/run/user"

const char *runtime_dir_path(const struct init_options *options)
{
    static char path[64];
    snprintf(path, sizeof path, RUNTIME_DIR_PARENT "/%u", (unsigned)options->uid);
    return path;
}

int runtime_dir_make(const struct init_options *options)
{
    const char *path = runtime_dir_path(options);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int done = fd < 0 ? -1 : fchown(fd, options->uid, options->gid);
    if (fd >= 0)
        close(fd);
    return done;
}

static const struct init_options *bus_options;
static char path[80], address[96];
static int listener = -1;
static pid_t bus; /* 0: not running */

int session_bus_listen(const struct init_options *of_box)
{
    if (access(SESSION_BUS_PROGRAM, X_OK) < 0)
        return 0;
    bus_options = of_box;
    snprintf(path, sizeof path, "%s/bus", runtime_dir_path(bus_options));
    listener = control_socket_listen_user(bus_options, path);
    if (listener < 0)
        return -1;
    snprintf(address, sizeof address, "unix:path=%s", path);
    return 0;
}

const char *session_bus_address(void)
{
    return address;
}

int session_bus_socket(void)
{
    return bus ? -1 : listener;
}

/*
 * Closes the waiting connections: the same client would otherwise start a bus that ends at once
 * again and again. Then replaces the socket, as any program of the box may have replaced it.
 */
static void listen_again(void)
{
    for (int i = 0, fd = 0; i < CLOSED_MAX && fd >= 0; i++) {
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            close(fd);
    }
    close(listener);
    listener = control_socket_listen_user(bus_options, path);
}

void session_bus_started(pid_t pid)
{
    bus = pid > 0 ? pid : 0;
    if (!bus)
        listen_again();
}

void session_bus_ended(pid_t pid)
{
    if (!bus || pid != bus)
        return;
    bus = 0;
    listen_again();
}

void session_bus_close(void)
{
    if (listener >= 0)
        close(listener);
}
