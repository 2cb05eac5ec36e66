/* What the parts of the bridge share: where it serves, and for whom. */
#pragma once

#include <stddef.h>

#include "config/setting_options.h"

/* The settings of [desktop] that the box has, as far as the host serves them. */
struct bridge_settings {
    enum wayland_access wayland;
    enum x11_access x11;
    enum clipboard_access clipboard; /* of a nested X server */
    enum open_policy open;
    enum sound_access sound;
    int notify, microphone;
};

struct bridge {
    int runtime;        /* the box's runtime folder on the host, */
    int folder;         /* and the one in it that is mounted into the box: O_PATH both */
    const char *path;   /* of the first */
    const char *app_id; /* what the box's windows are called */
    const char *run;    /* which run of the box: its PID 1 */
    char **options;     /* KEY=VALUE each, NULL-terminated: for the programs that it starts */
    const char *name;   /* of the box */
    struct bridge_settings settings;
    int has_failed; /* bridge_fail() has been called */
};
extern struct bridge bridge;

/* Takes name and settings from OPTIONS. -1 when a value is not one of the setting's. */
int bridge_read_options(char **options);

/*
 * Listens as NAME in the box's runtime folder, with a socket of TYPE that does not block and that
 * no other user can use. The socket shows its path in /proc/net/unix: `box` counts the bridge's
 * clients by it (box/helpers/bridge.c). Returns a descriptor, or -1 with errno.
 */
int bridge_listen(const char *name, int type);
/* The path of the program NAME that lies beside our own. -1 when it does not fit into SIZE. */
int bridge_beside(const char *name, char *path, size_t size);
/* Removes NAME from the mounted folder. */
void bridge_unlink(const char *name);

/* Ends the loop because a part of the bridge, called NAME, has failed: then its supervisor starts
 * another worker. */
void bridge_fail(const char *name);
