#include "init/bus.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "init/door.h"
#include "init/runtime_dir.h"

/* One that ends so soon would be started for the same client again, and again. */
#define SETTLED_MS 1000
/* Most of those who wait that are turned away at once: a box must not hold PID 1 up. */
#define TURNED_AWAY_MAX 256

static char address[96];
static int door = -1;
static pid_t running;
static int64_t begun;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int bus_open(const struct init_options *options)
{
    char path[80];
    if (access(BUS_PROGRAM, X_OK) < 0)
        return 0;
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

static void turn_away(void)
{
    for (int i = 0; i < TURNED_AWAY_MAX; i++) {
        int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            return;
        close(fd);
    }
}

void bus_began(pid_t pid)
{
    begun = now_ms();
    running = pid > 0 ? pid : 0;
    if (!running)
        turn_away();
}

void bus_ended(pid_t pid)
{
    if (!running || pid != running)
        return;
    running = 0;
    if (now_ms() - begun < SETTLED_MS)
        turn_away();
}

void bus_close(void)
{
    if (door >= 0)
        close(door);
}
