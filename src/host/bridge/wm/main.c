#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/bridge/core/xauthority.h"
#include "host/bridge/wm/events.h"
#include "host/bridge/wm/screen.h"
#include "host/bridge/wm/server.h"
#include "host/bridge/wm/wm.h"
#include "proto/wm_handoff.h"
#include "sys/confine.h"
#include "sys/crash.h"

/* What a flood of events can make it take. */
#define MEMORY_MAX ((rlim_t)256 << 20)

struct wm wm;

static int read_cookie(unsigned char *cookie)
{
    unsigned char entry[XAUTHORITY_ENTRY];
    int fd = open(WM_COOKIE_FILE, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, entry, sizeof entry);
    if (fd >= 0)
        close(fd);
    if (n != sizeof entry)
        return -1;
    for (size_t i = 0; i < XAUTHORITY_COOKIE; i++)
        cookie[i] = entry[sizeof entry - XAUTHORITY_COOKIE + i];
    return 0;
}

/* Returns once the server is up. */
static int connect_to_server(void)
{
    unsigned char cookie[XAUTHORITY_COOKIE];
    char name[] = "MIT-MAGIC-COOKIE-1";
    xcb_auth_info_t auth = {sizeof name - 1, name, sizeof cookie, (char *)cookie};
    if (read_cookie(cookie) < 0)
        return -1;
    wm.x = xcb_connect_to_fd(WM_CONNECTION, &auth);
    return xcb_connection_has_error(wm.x) ? -1 : 0;
}

/* A kernel without Landlock goes without: the jail has little to see. */
static int confine(void)
{
    struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
    confine_files(NULL, 0);
    return setrlimit(RLIMIT_AS, &memory) < 0 ? -1 : confine_calls(0);
}

static _Noreturn void manage_windows(void)
{
    if (connect_to_server() < 0 || confine() < 0 || screen_begin() < 0)
        _exit(1);
    /* The server ends when its clients have, whether or not the first of them is there still. */
    close(WM_PROBE);
    events_run();
    _exit(0);
}

int main(int argc, char **argv)
{
    crash_handler_install("litterbox-wm", NULL);
    pid_t server = argc < 2 ? -1 : server_start(argv + 1);
    pid_t manager = server < 0 ? -1 : fork();
    if (manager == 0)
        manage_windows();
    if (manager < 0 || close_range(STDERR_FILENO + 1, ~0u, 0) < 0 || confine() < 0)
        return 1;
    server_wait(server);
    return 0;
}
