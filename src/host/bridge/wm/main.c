#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/bridge/core/x_display.h"
#include "host/bridge/wm/wm.h"
#include "proto/bridge_protocol.h"
#include "sys/confine.h"
#include "sys/crash.h"

/* A flood of events can make libxcb allocate memory. */
#define MEMORY_MAX ((rlim_t)256 << 20)

/* Socket activation (sd_listen_fds(3)) checks $LISTEN_PID. */
static void set_listen_pid(void)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (getenv("LISTEN_FDS"))
        setenv("LISTEN_PID", pid, 1);
}

/* Starts ARGV with the descriptors below WM_CONNECTION. -1 on failure. */
static pid_t server_start(char **argv)
{
    if (fcntl(WM_CONNECTION, F_SETFD, FD_CLOEXEC) < 0 || fcntl(WM_PROBE, F_SETFD, FD_CLOEXEC) < 0)
        return -1;
    pid_t server = fork();
    if (server == 0) {
        set_listen_pid();
        execv(argv[0], argv);
        _exit(126);
    }
    if (server < 0 || close_range(STDERR_FILENO + 1, WM_CONNECTION - 1, 0) < 0)
        return -1;
    return server;
}

/* Also reaps the processes that the server leaves behind, as PID 1 of the jail. */
static void server_wait(pid_t server)
{
    for (pid_t pid = 0; pid != server && (pid >= 0 || errno == EINTR);)
        pid = waitpid(-1, NULL, 0);
}

/* The flag of events that were sent by a client (SendEvent). */
#define SENT_BY_CLIENT 0x80

static void on_button(const xcb_button_press_event_t *event)
{
    struct window *self = windows_find(event->event);
    if (self)
        focus_clicked(self);
    /* The grab has frozen the pointer until now. */
    xcb_allow_events(wm.x, XCB_ALLOW_REPLAY_POINTER, event->time);
}

static void on_state_request(struct window *self, const uint32_t *values)
{
    manage_state(self, values[0], values[1], values[2]);
}

static void on_message(const xcb_client_message_event_t *event)
{
    struct window *self = windows_find(event->window);
    if (event->format != 32)
        return;
    if (event->type == wm.atoms[ATOM__NET_REQUEST_FRAME_EXTENTS])
        manage_frame_extents(event->window);
    else if (!self)
        return;
    else if (event->type == wm.atoms[ATOM__NET_ACTIVE_WINDOW])
        focus_window(self);
    else if (event->type == wm.atoms[ATOM__NET_CLOSE_WINDOW])
        focus_close_window(self->id);
    else if (event->type == wm.atoms[ATOM__NET_WM_STATE])
        on_state_request(self, event->data.data32);
}

static void on_configured(const xcb_configure_notify_event_t *event)
{
    if (event->window == wm.root)
        screen_resized(event->width, event->height);
}

static void on_cleared(const xcb_selection_clear_event_t *event)
{
    if (event->selection == wm.atoms[ATOM_WM_S0])
        screen_release();
}

/* Events that only the server may send. */
static void on_server_event(const xcb_generic_event_t *event)
{
    switch (event->response_type) {
    case XCB_KEY_PRESS:
        keys_pressed((const void *)event);
        break;
    case XCB_BUTTON_PRESS:
        on_button((const void *)event);
        break;
    case XCB_FOCUS_IN:
        focus_noticed((const void *)event);
        break;
    case XCB_MAP_REQUEST:
        manage_window(((const xcb_map_request_event_t *)event)->window);
        break;
    case XCB_CONFIGURE_REQUEST:
        placement_configure((const void *)event);
        break;
    case XCB_CONFIGURE_NOTIFY:
        on_configured((const void *)event);
        break;
    case XCB_DESTROY_NOTIFY:
        manage_end(((const xcb_destroy_notify_event_t *)event)->window);
        break;
    case XCB_REPARENT_NOTIFY:
        manage_end(((const xcb_reparent_notify_event_t *)event)->window);
        break;
    case XCB_SELECTION_CLEAR:
        on_cleared((const void *)event);
        break;
    case XCB_MAPPING_NOTIFY:
        keys_changed((const void *)event);
        break;
    }
}

static void on_event(const xcb_generic_event_t *event)
{
    /* Clients send these two as well; UnmapNotify to withdraw a window (ICCCM 4.1.4). */
    switch (event->response_type & ~SENT_BY_CLIENT) {
    case XCB_CLIENT_MESSAGE:
        on_message((const void *)event);
        break;
    case XCB_UNMAP_NOTIFY:
        manage_end(((const xcb_unmap_notify_event_t *)event)->window);
        break;
    default:
        on_server_event(event);
    }
}

static void events_run(void)
{
    for (xcb_generic_event_t *event; (event = xcb_wait_for_event(wm.x));) {
        /* Other clients wait until the queue is handled, or a flood of events would never end. */
        xcb_grab_server(wm.x);
        xcb_flush(wm.x);
        for (; event; event = xcb_poll_for_event(wm.x)) {
            if (wm.is_active)
                on_event(event);
            free(event);
        }
        if (wm.is_active)
            keys_update();
        xcb_ungrab_server(wm.x);
        xcb_flush(wm.x);
    }
}

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

/* Landlock is optional: the jail has few files anyway. */
static int confine(void)
{
    struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
    confine_files(NULL, 0);
    return setrlimit(RLIMIT_AS, &memory) < 0 ? -1 : confine_calls(0);
}

static _Noreturn void manage_windows(void)
{
    if (connect_to_server() < 0 || confine() < 0 || screen_claim() < 0)
        _exit(1);
    /* The server counts this connection as a client, and ends when all clients have gone. */
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
