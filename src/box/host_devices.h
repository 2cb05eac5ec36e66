/* The devices of this machine that a box may want, and the names of theirs that do not change. */
#pragma once

#include <glib.h>

typedef struct {
    char *node;   /* "/dev/ttyUSB0" */
    char *stable; /* "/dev/serial/by-id/…", which leads to it wherever it is plugged in; or NULL */
    const char *kind; /* "serial", "kvm", "gpu", "video" */
} host_device;

/* Of host_device: those that may be given to a box. */
GPtrArray *host_devices(void);

/* The link of udev's that leads to NODE: by its own id, else by where it is plugged in. A new
 * string; NULL when there is none. */
char *host_device_stable(const char *node);

/*
 * What the user's rights on NODE are worth in a box, as a sentence; NULL when the box can open it
 * as it is. KEEP_GROUPS: [security] keep_groups.
 */
char *host_device_rights(const char *node, gboolean keep_groups);
