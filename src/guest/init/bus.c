#include "guest/init/bus.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/init/control_socket.h"
#include "guest/init/runtime_dir.h"

/* Most of those who wait that are turned away at once: a box must not hold PID 1 up. */
#define TURNED_AWAY_MAX 256

static const struct init_options *options;
static char path[80], address[96];
static int door = -1;
static pid_t running;

int bus_open(const struct init_options *of_box)
{
    if (access(BUS_PROGRAM, X_OK) < 0)
        return 0;
    options = of_box;
    snprintf(path, sizeof path, "%s/bus", runtime_dir_path(options));
    door = door_open_of_user(options, path);
    if (door < 0)
        return -1;
    snprintf(address, sizeof address, "unix:path=%s", path);
    return 0;
}

const char *bus_address(void)
{
    return address;
}

int bus_door(void)
{
    return running ? -1 : door;
}

/*
 * Who waits is turned away, or a bus that ends at once would be started for the same client again,
 * and again. The socket is made anew: the bus, or anybody in the box, may have put another there.
 */
static void listen_anew(void)
{
    for (int i = 0, fd = 0; i < TURNED_AWAY_MAX && fd >= 0; i++) {
        fd = accept4(door, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            close(fd);
    }
    close(door);
    door = door_open_of_user(options, path);
}

void bus_began(pid_t pid)
{
    running = pid > 0 ? pid : 0;
    if (!running)
        listen_anew();
}

void bus_ended(pid_t pid)
{
    if (!running || pid != running)
        return;
    running = 0;
    listen_anew();
}

void bus_close(void)
{
    if (door >= 0)
        close(door);
}
