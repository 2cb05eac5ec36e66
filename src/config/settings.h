/*
 * What the user wants of one box: the typed result of reading and merging every configuration file.
 *
 * schema.c holds the one table that ties each key to its field, its kind, its default, its reason
 * and to how its change widens what a box may do; parser, merge, `config show`, the trust summary,
 * the example file's test and completions all come from that table.
 */
#pragma once

#include <glib.h>

#include "proto/port_mapping.h"

typedef enum { MODE_RW, MODE_RO, MODE_OVERLAY } settings_mode;
typedef enum { NETWORK_NONE, NETWORK_FILTERED, NETWORK_OPEN, NETWORK_HOST } settings_network;
typedef enum { SUDO_DENY, SUDO_ASK, SUDO_ALLOW } settings_sudo;
typedef enum { FORWARD_DENY, FORWARD_ASK } settings_forward;
/* The longest approval that may be given; each includes those before it. */
typedef enum { GRANTS_ONCE, GRANTS_5M, GRANTS_15M, GRANTS_BOX } settings_grants;
typedef enum { WAYLAND_NONE, WAYLAND_AUTO, WAYLAND_PLAIN } settings_wayland;
typedef enum { OPEN_DENY, OPEN_ASK, OPEN_ALLOW } settings_open;
typedef enum { SOUND_NONE, SOUND_PLAYBACK } settings_sound;
typedef enum { GPU_NONE, GPU_RENDER, GPU_ALL } settings_gpu;
typedef enum { X11_NONE, X11_NESTED, X11_HOST } settings_x11;
typedef enum {
    CLIPBOARD_NONE,
    CLIPBOARD_TO_BOX,
    CLIPBOARD_FROM_BOX,
    CLIPBOARD_BOTH
} settings_clipboard;
typedef enum { EDITOR_TERMINAL_AUTO, EDITOR_TERMINAL_YES, EDITOR_TERMINAL_NO } settings_terminal;

/* idle_stop = "never" */
#define SETTINGS_NEVER G_MININT64

typedef struct {
    char *source; /* as written: absolute, or ~/ for the user's home on the host */
    char *target; /* absolute, inside; equal to the expanded source unless said otherwise */
    settings_mode mode;
} settings_mount;

/* What `box device add` gave to a box. Unlike the list of the configuration it may be away. */
typedef struct {
    char *source; /* on the host, below /dev: may be a link, followed at each start */
    char *target; /* in the box, below /dev */
} settings_device;

typedef struct settings {
    struct {
        char *name;          /* NULL: the project folder's */
        char *image;         /* "host", "template:NAME", or a reference */
        char *containerfile; /* relative to the project, or NULL */
        char *shell;         /* NULL: the user's login shell where the box has it */
        char **env;          /* "K=V" sorted by K */
        char **pass_env;     /* names, or prefixes that end in * */
        gint64 idle_stop;    /* seconds, or SETTINGS_NEVER */
        char *workdir; /* NULL: the caller's folder when inside the project, else the project */
    } box;
    struct {
        GPtrArray *share; /* of settings_mount */
        gboolean share_toolchains;
        char *setup; /* script relative to the project, run once in a new home; or NULL */
    } home;
    struct {
        settings_mode mode;
        char **writable; /* relative paths that stay writable when mode is ro */
        char **hidden;   /* relative paths that are not shown at all */
    } project;
    GPtrArray *mounts; /* of settings_mount */
    struct {
        char **paths; /* read-only inside; relative to the project */
        char **extra; /* added to paths */
    } protect;
    struct {
        settings_network mode;
        GPtrArray *ports; /* of port_mapping */
        gboolean ping, tun, forwarding;
        char **dns;
        char **hosts; /* "NAME=ADDRESS" sorted by NAME */
    } network;
    struct {
        gint64 memory; /* bytes; 0: none */
        double cpus;   /* 0: none */
        gint64 pids;   /* 0: none */
        gint64 shm;    /* bytes */
        gint64 nofile; /* 0: as Podman sets it */
    } limits;
    struct {
        settings_sudo sudo;
        gboolean read_only; /* the root file system of an image */
        char *seccomp;      /* NULL: Podman's profile; "unconfined"; an absolute path on the host */
        char **capabilities; /* kept by root of the box (sudo), without CAP_, upper case */
        gboolean keep_groups;
        gboolean nested;
    } security;
    struct {
        char **keys;    /* labels, "SHA256:…", or public key files (with a "/" in them) */
        char *upstream; /* socket of the real agent; NULL: $SSH_AUTH_SOCK */
        settings_forward forward;
        settings_grants grants;
        gint64 grant_uses; /* signatures that one approval covers at most */
        gboolean git_signing;
    } ssh;
    struct {
        char *command; /* NULL: $VISUAL, $EDITOR, or one that the box has */
        char **args;
        settings_terminal terminal;
    } editor;
    struct {
        settings_wayland wayland;
        settings_x11 x11;
        settings_clipboard clipboard; /* of X11 */
        settings_open open;
        gboolean notify;
        gboolean appearance;
        settings_sound sound;
        gboolean microphone;
        settings_gpu gpu;
    } desktop;
    char **devices;           /* "/dev/kvm", "src:dst:perm" or a CDI name */
    GPtrArray *added_devices; /* of settings_device; no key: devices.h; or NULL */
    char *podman_raw;         /* the [podman] table as compact JSON, or NULL */
} settings;

settings *settings_new_defaults(void);
/* TRUE when the box is to look as the desktop does: one that can have no window has no looks. */
gboolean settings_wants_appearance(const settings *self);
void settings_free(settings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(settings, settings_free)

settings_device *settings_device_new(const char *source, const char *target);
void settings_device_free(settings_device *device);
settings_mount *settings_mount_new(const char *source, const char *target, settings_mode mode);
void settings_mount_free(settings_mount *mount);
