/* Devices of this machine that a box may want, and those that `box device add` gave to a box. */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

typedef struct {
    char *node;       /* "/dev/ttyUSB0" */
    char *stable;     /* "/dev/serial/by-id/…", a link that udev keeps up to date; or NULL */
    const char *kind; /* "serial", "kvm", "gpu", "video" */
} host_device;

/* The devices that may be given to a box: of host_device. */
GPtrArray *host_device_list(void);

/*
 * Why a box cannot open NODE, as a sentence; NULL when it can. KEEP_GROUPS: security.keep_groups of
 * the box.
 */
char *host_device_rights(const char *node, gboolean keep_groups);

/*
 * Gives SELF the device that PATH, as the user named it, leads to now. The list (config/devices.h)
 * stores its stable link if it has one; in the box the device is at PATH. Returns a new
 * settings_device; *NODE (a new string) is the device itself. BOX_ERROR_USAGE with the reason when
 * no box may have it. A lock keeps other processes from changing the list at the same time.
 */
settings_device *box_device_add(const struct box *self, const char *path, char **node,
                                GError **error);

/* Removes the device that PATH names, in the box or on the host, from the list. */
gboolean box_device_remove(const struct box *self, const char *path, GError **error);
