/* What the parts of the bridge share: the box, its settings and folders. */
#pragma once

#include <stddef.h>

#include "config/setting_options.h"

/* The box's settings of [desktop] that the host serves. */
struct bridge_settings {
    enum wayland_access wayland;
    enum x11_access x11;
    enum clipboard_access clipboard; /* of a nested X server; and pictures */
    enum open_policy open;
    enum sound_access sound;
    int notify, microphone;
};

struct bridge {
    int runtime;        /* the box's runtime folder on the host (O_PATH) */
    int folder;         /* the folder in it that is mounted into the box (O_PATH) */
    const char *path;   /* of RUNTIME */
    const char *app_id; /* of the box's windows */
    const char *run;    /* the run of the box: its PID 1 */
    char **options;     /* KEY=VALUE, NULL-terminated; passed on to programs that it starts */
    const char *name;   /* of the box */
    struct bridge_settings settings;
    int has_failed; /* bridge_fail() has been called */
};
extern struct bridge bridge;

/* Reads name and settings from OPTIONS. -1 when a value is not valid. */
int bridge_read_options(char **options);

/*
 * Listens as NAME in the box's runtime folder, with a non-blocking socket of TYPE and mode 0600.
 * The socket shows its path in /proc/net/unix: `box` counts the bridge's clients by it
 * (box/helpers/bridge.c). Returns a descriptor, or -1 with errno.
 */
int bridge_listen(const char *name, int type);
/* Removes NAME from the mounted folder. */
void bridge_unlink(const char *name);

/* Ends the event loop because NAME has failed. The supervisor then starts another worker. */
void bridge_fail(const char *name);
