#include "host/bridge/core/bridge.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "proto/bridge_protocol.h"

#define BACKLOG 64

struct bridge bridge;

#define FIELD(member) offsetof(struct bridge_settings, member)

static const struct setting_option table[] = {
    {"desktop.wayland", SETTING_CHOICE, FIELD(wayland), wayland_access_choices},
    {"desktop.x11", SETTING_CHOICE, FIELD(x11), x11_access_choices},
    {"desktop.clipboard", SETTING_CHOICE, FIELD(clipboard), clipboard_access_choices},
    {"desktop.open", SETTING_CHOICE, FIELD(open), open_policy_choices},
    {"desktop.sound", SETTING_CHOICE, FIELD(sound), sound_access_choices},
    {"desktop.notify", SETTING_BOOL, FIELD(notify), NULL},
    {"desktop.microphone", SETTING_BOOL, FIELD(microphone), NULL},
    {0},
};

int bridge_read_options(char **options)
{
    bridge.options = options;
    bridge.name = bridge_option_value(options, "name");
    for (; *options; options++)
        if (setting_option_read(table, *options, &bridge.settings) < 0)
            return -1;
    return 0;
}

int bridge_listen(const char *name, int type)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", bridge.path, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return unix_socket_listen(path, type | SOCK_NONBLOCK, 0600, BACKLOG);
}

void bridge_unlink(const char *name)
{
    unlinkat(bridge.folder, name, 0);
}

void bridge_fail(const char *name)
{
    fprintf(stderr, "litterbox-bridge: its %s has ended\n", name);
    bridge.has_failed = 1;
    event_loop_quit();
}
