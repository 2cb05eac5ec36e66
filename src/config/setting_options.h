/*
 * The settings whose value is one of a few words: for each the enum, and the table of its words.
 * The configuration is read and printed by these tables.
 *
 * And the settings as PID 1 and the helpers get them: options "section.key=VALUE", which
 * settings_to_options() writes from the schema's rows. A program lists the settings that it takes
 * in a table of its own, and gets them as typed fields. libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct choice {
    const char *name; /* NULL ends the table */
    int value;
    int rank;         /* for WIDEN_CHOICE: higher is more open */
    const char *says; /* for the trust summary */
};

/* The row of NAME or VALUE; NULL when the table has none. */
const struct choice *choice_by_name(const struct choice *choices, const char *name);
const struct choice *choice_by_value(const struct choice *choices, int value);

/* [box] keep_alive: what holds up its idle_stop. */
enum keep_alive { KEEP_ALIVE_PROCESSES, KEEP_ALIVE_SESSIONS };
extern const struct choice keep_alive_choices[];

/* [project] mode, and mode of [home] share and [[mount]] */
enum mount_mode { MODE_RW, MODE_RO, MODE_OVERLAY };
extern const struct choice mount_mode_choices[];

/* [network] mode. NETWORK_ASK is what a file says: config_complete_network(). */
enum network_mode { NETWORK_NONE, NETWORK_FILTERED, NETWORK_ASK, NETWORK_OPEN, NETWORK_HOST };
extern const struct choice network_mode_choices[];

/* [security] sudo */
enum sudo_policy { SUDO_DENY, SUDO_ASK, SUDO_ALLOW };
extern const struct choice sudo_policy_choices[];

/* [ssh] forward */
enum forward_policy { FORWARD_DENY, FORWARD_ASK };
extern const struct choice forward_policy_choices[];

/* [ssh] grants: the longest approval that may be given; each includes those before it. */
enum grant_limit { GRANTS_ONCE, GRANTS_5M, GRANTS_15M, GRANTS_BOX };
extern const struct choice grant_limit_choices[];

/* [desktop] */
enum wayland_access { WAYLAND_NONE, WAYLAND_AUTO, WAYLAND_PLAIN };
enum x11_access { X11_NONE, X11_NESTED, X11_HOST };
/* of a nested X server */
enum clipboard_access { CLIPBOARD_NONE, CLIPBOARD_TO_BOX, CLIPBOARD_FROM_BOX, CLIPBOARD_BOTH };
enum open_policy { OPEN_DENY, OPEN_ASK, OPEN_ALLOW };
enum sound_access { SOUND_NONE, SOUND_PLAYBACK };
enum gpu_access { GPU_NONE, GPU_RENDER, GPU_ALL };
extern const struct choice wayland_access_choices[], x11_access_choices[],
    clipboard_access_choices[], open_policy_choices[], sound_access_choices[], gpu_access_choices[];

/* [editor] terminal */
enum editor_terminal { EDITOR_TERMINAL_AUTO, EDITOR_TERMINAL_YES, EDITOR_TERMINAL_NO };
extern const struct choice editor_terminal_choices[];

/* [terminal] clipboard */
enum terminal_clipboard {
    TERMINAL_CLIPBOARD_DENY,
    TERMINAL_CLIPBOARD_ASK,
    TERMINAL_CLIPBOARD_ALLOW
};
extern const struct choice terminal_clipboard_choices[];

/* The time of [box] idle_stop that means never. */
#define SETTINGS_NEVER INT64_MIN

enum setting_type {
    SETTING_BOOL,   /* int */
    SETTING_CHOICE, /* an enum with a table of words */
    SETTING_NUMBER, /* int64_t: a number, a size in bytes, a time in seconds or SETTINGS_NEVER */
};

struct setting_option {
    const char *name; /* "section.key"; NULL ends the table */
    enum setting_type type;
    size_t offset;                /* of the field */
    const struct choice *choices; /* of a SETTING_CHOICE */
};

/*
 * Stores the value of OPTION, "section.key=VALUE", in its field of the struct INTO. Returns 1;
 * 0 when TABLE does not have the key; -1 when the value is not one of the type's.
 */
int setting_option_read(const struct setting_option *table, const char *option, void *into);
