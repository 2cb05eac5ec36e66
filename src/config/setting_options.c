#include "config/setting_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A row for each value from 0 to LAST, and the row that ends the table. */
#define ONE_ROW_A_VALUE(table, last) \
    _Static_assert(sizeof(table) / sizeof *(table) == (last) + 2, #table)

const struct choice *choice_by_name(const struct choice *choices, const char *name)
{
    for (; choices->name; choices++)
        if (strcmp(choices->name, name) == 0)
            return choices;
    return NULL;
}

const struct choice *choice_by_value(const struct choice *choices, int value)
{
    for (; choices->name; choices++)
        if (choices->value == value)
            return choices;
    return NULL;
}

const struct choice keep_alive_choices[] = {
    {"processes", KEEP_ALIVE_PROCESSES, 0, NULL},
    {"sessions", KEEP_ALIVE_SESSIONS, 0, NULL},
    {0},
};
ONE_ROW_A_VALUE(keep_alive_choices, KEEP_ALIVE_SESSIONS);

const struct choice mount_mode_choices[] = {
    {"rw", MODE_RW, 2, "write access to the project"},
    {"ro", MODE_RO, 0, "read access to the project"},
    {"overlay", MODE_OVERLAY, 1, "a throw-away writable view of the project"},
    {0},
};
ONE_ROW_A_VALUE(mount_mode_choices, MODE_OVERLAY);

const struct choice network_mode_choices[] = {
    {"none", NETWORK_NONE, 0, "no network"},
    {"filtered", NETWORK_FILTERED, 1, "network mode filtered: what network.allow lists"},
    {"ask", NETWORK_ASK, 2,
     "network mode ask: package registries, code forges, what network.allow lists, and any name that "
     "you allow when it asks"},
    {"open", NETWORK_OPEN, 3,
     "network mode open: the internet, your local network and this machine in it"},
    {"host", NETWORK_HOST, 4,
     "network mode host: every service on this machine's loopback, and its abstract sockets"},
    {0},
};
ONE_ROW_A_VALUE(network_mode_choices, NETWORK_HOST);

const struct choice sudo_policy_choices[] = {
    {"deny", SUDO_DENY, 0, "no sudo"},
    {"ask", SUDO_ASK, 1, "root of the box through sudo, after asking"},
    {"allow", SUDO_ALLOW, 2, "root of the box through sudo, without asking"},
    {0},
};
ONE_ROW_A_VALUE(sudo_policy_choices, SUDO_ALLOW);

const struct choice forward_policy_choices[] = {
    {"deny", FORWARD_DENY, 0, "no forwarding of the SSH agent"},
    {"ask", FORWARD_ASK, 1, "forward the SSH agent to other machines, after asking"},
    {0},
};
ONE_ROW_A_VALUE(forward_policy_choices, FORWARD_ASK);

const struct choice grant_limit_choices[] = {
    {"once", GRANTS_ONCE, 0, "one signature for each approval"},
    {"5m", GRANTS_5M, 1, "approvals for 5 minutes"},
    {"15m", GRANTS_15M, 2, "approvals for 15 minutes"},
    {"box", GRANTS_BOX, 3, "approvals until the box stops"},
    {0},
};
ONE_ROW_A_VALUE(grant_limit_choices, GRANTS_BOX);

const struct choice wayland_access_choices[] = {
    {"none", WAYLAND_NONE, 0, "no windows on your Wayland desktop"},
    {"auto", WAYLAND_AUTO, 1, "windows on your desktop, kept apart by the compositor"},
    {"plain", WAYLAND_PLAIN, 2,
     "your Wayland desktop as programs outside a box have it: where the compositor lets them, they "
     "see the screen and the clipboard, and type into other windows"},
    {0},
};
ONE_ROW_A_VALUE(wayland_access_choices, WAYLAND_PLAIN);

const struct choice x11_access_choices[] = {
    {"none", X11_NONE, 0, "no X11 display"},
    {"nested", X11_NESTED, 1, "windows of X11 programs, on an X server of the box's own"},
    {"host", X11_HOST, 2,
     "your own X11 display: the box can read what you type anywhere, see the screen, and control "
     "other windows"},
    {0},
};
ONE_ROW_A_VALUE(x11_access_choices, X11_HOST);

const struct choice clipboard_access_choices[] = {
    {"none", CLIPBOARD_NONE, 0, "no clipboard between the box and your desktop"},
    {"to-box", CLIPBOARD_TO_BOX, 1,
     "read your clipboard at any time, through a nested X server, and a picture on it after asking"},
    {"from-box", CLIPBOARD_FROM_BOX, 1, "replace your clipboard, through a nested X server"},
    {"both", CLIPBOARD_BOTH, 2,
     "read and replace your clipboard at any time, through a nested X server, and read a picture on "
     "it after asking"},
    {0},
};
ONE_ROW_A_VALUE(clipboard_access_choices, CLIPBOARD_BOTH);

const struct choice open_policy_choices[] = {
    {"deny", OPEN_DENY, 0, "no pages in your browser"},
    {"ask", OPEN_ASK, 1,
     "pages and mails in your own browser and mail program, after asking for each; a login's "
     "answer is led back into the box"},
    {"allow", OPEN_ALLOW, 2,
     "any page and mail in your own browser and mail program, without asking: what it knows can "
     "leave in an address, and a page may be a service of this machine; a login's answer is led "
     "back into the box"},
    {0},
};
ONE_ROW_A_VALUE(open_policy_choices, OPEN_ALLOW);

const struct choice sound_access_choices[] = {
    {"none", SOUND_NONE, 0, "no sound"},
    {"playback", SOUND_PLAYBACK, 1, "play sound on your loudspeakers"},
    {0},
};
ONE_ROW_A_VALUE(sound_access_choices, SOUND_PLAYBACK);

const struct choice gpu_access_choices[] = {
    {"none", GPU_NONE, 0, "no GPU"},
    {"render", GPU_RENDER, 1,
     "draw and compute with your GPU, which is a large part of the kernel"},
    {"all", GPU_ALL, 2, "all of your GPU, with its screens, and /dev/kfd"},
    {0},
};
ONE_ROW_A_VALUE(gpu_access_choices, GPU_ALL);

const struct choice editor_terminal_choices[] = {
    {"auto", EDITOR_TERMINAL_AUTO, 0, "the editor in a terminal or a window, as it chooses"},
    {"true", EDITOR_TERMINAL_YES, 0, "the editor in the terminal"},
    {"false", EDITOR_TERMINAL_NO, 0, "the editor in a window"},
    {0},
};
ONE_ROW_A_VALUE(editor_terminal_choices, EDITOR_TERMINAL_NO);

const struct choice terminal_clipboard_choices[] = {
    {"deny", TERMINAL_CLIPBOARD_DENY, 0, "no clipboard through the terminal"},
    {"ask", TERMINAL_CLIPBOARD_ASK, 1,
     "replace your clipboard, by what it prints to a terminal, after asking"},
    {"allow", TERMINAL_CLIPBOARD_ALLOW, 2,
     "replace your clipboard, without asking, by what it prints to a terminal: a command that "
     "you paste at a shell is run"},
    {0},
};
ONE_ROW_A_VALUE(terminal_clipboard_choices, TERMINAL_CLIPBOARD_ALLOW);

static int read_number(const char *text, int64_t *number)
{
    char *end;
    if (strcmp(text, "never") == 0) {
        *number = SETTINGS_NEVER;
        return 1;
    }
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno || end == text || *end || *number < 0 ? -1 : 1;
}

static int read_value(const struct setting_option *row, const char *text, void *field)
{
    switch (row->type) {
    case SETTING_BOOL:
        *(int *)field = strcmp(text, "true") == 0;
        return *(int *)field || strcmp(text, "false") == 0 ? 1 : -1;
    case SETTING_CHOICE: {
        const struct choice *choice = choice_by_name(row->choices, text);
        if (choice)
            *(int *)field = choice->value;
        return choice ? 1 : -1;
    }
    case SETTING_NUMBER:
        return read_number(text, field);
    }
    return -1;
}

int setting_option_read(const struct setting_option *table, const char *option, void *into)
{
    for (const struct setting_option *row = table; row->name; row++) {
        size_t length = strlen(row->name);
        if (strncmp(option, row->name, length) == 0 && option[length] == '=')
            return read_value(row, option + length + 1, (char *)into + row->offset);
    }
    return 0;
}
