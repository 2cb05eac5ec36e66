/*
 * The settings whose value is one of a few words: for each the enum, and the table of its words.
 * The configuration is read and printed by these tables, and so are the settings that PID 1 and the
 * helpers get as options (setting_options.h). libc only.
 */
#pragma once

struct choice {
    const char *name; /* NULL ends the table */
    int value;
    int rank;            /* for WIDEN_CHOICE: higher is more open */
    const char *says;    /* for the trust summary */
    const char *missing; /* refused: what it will come with; NULL: works */
};

/* The row of NAME or VALUE; NULL when the table has none. */
const struct choice *choice_by_name(const struct choice *choices, const char *name);
const struct choice *choice_by_value(const struct choice *choices, int value);

/* [project] mode, and mode of [home] share and [[mount]] */
enum mount_mode { MODE_RW, MODE_RO, MODE_OVERLAY };
extern const struct choice mount_mode_choices[];

/* [network] mode */
enum network_mode { NETWORK_NONE, NETWORK_FILTERED, NETWORK_OPEN, NETWORK_HOST };
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
