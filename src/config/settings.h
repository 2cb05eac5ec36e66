/*
 * The settings of one box: the typed result of all configuration files. schema.c has the table that
 * ties each key to its field here.
 */
#pragma once

#include <glib.h>

#include "config/setting_options.h"
#include "proto/port_mapping.h"

typedef struct {
    char *source; /* as written: absolute, or ~/ for the user's home on the host */
    char *target; /* absolute, inside; equal to the expanded source unless said otherwise */
    enum mount_mode mode;
} settings_mount;

/* A device that `box device add` gave to a box. It may be absent, unlike one of the configuration.
 */
typedef struct {
    char *source; /* on the host, below /dev; a symlink is resolved at each start */
    char *target; /* in the box, below /dev */
} settings_device;

/* Where a value comes from; later ones win. */
typedef enum {
    ORIGIN_DEFAULT,
    ORIGIN_USER,    /* the user's config.toml */
    ORIGIN_PROJECT, /* the project's litterbox.toml */
    ORIGIN_BOX,     /* the user's boxes/NAME.toml */
    ORIGIN_FLAG,    /* the command line */
    N_ORIGINS,
} settings_origin;

typedef struct settings {
    struct {
        char *name;          /* NULL: the project folder's */
        char *image;         /* "host", "template:NAME", or a reference */
        char *containerfile; /* relative to the project, or NULL */
        char **packages;     /* names, added to the image by its own package manager */
        char *shell;         /* NULL: the user's login shell where the box has it */
        char **env;          /* "K=V" sorted by K */
        char **path;         /* folders in the box, absolute or "~/…", in front of PATH */
        char **pass_env;     /* names, or prefixes that end in * */
        gint64 idle_stop;    /* seconds, or SETTINGS_NEVER */
        enum keep_alive keep_alive;
        char *workdir; /* NULL: the caller's folder when inside the project, else the project */
    } box;
    struct {
        GPtrArray *share; /* of settings_mount */
        gboolean share_toolchains;
        char *dotfiles;        /* a folder of the host, or the address of a repository; or NULL */
        char *dotfiles_script; /* relative to them; or NULL */
        char *setup;           /* script relative to the project, run once in a new home; or NULL */
    } home;
    struct {
        enum mount_mode mode;
        char **writable; /* relative paths that stay writable when mode is ro */
        char **hidden;   /* relative paths that are not shown at all */
    } project;
    GPtrArray *mounts; /* of settings_mount */
    struct {
        gint64 keep;     /* snapshots that are made without being asked for; 0: none are */
        gint64 keep_for; /* seconds */
    } snapshot;
    struct {
        char **paths; /* read-only inside; relative to the project */
        char **extra; /* added to paths */
        gboolean guard, repositories;
    } protect;
    struct {
        enum network_mode mode;
        char **allow, **deny; /* rules (proto/network_rules.h) */
        GPtrArray *ports;     /* of port_mapping */
        gboolean ask, audit, ech, ping, tun, forwarding;
        gint64 connections; /* at a time, through the gate */
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
        enum sudo_policy sudo;
        gboolean read_only; /* the root file system of an image */
        char *seccomp;      /* NULL: Podman's profile; "unconfined"; an absolute path on the host */
        char **capabilities; /* kept by root of the box (sudo), without CAP_, upper case */
        gboolean keep_groups;
        gboolean nested;
    } security;
    struct {
        char **keys;    /* labels, "SHA256:…", or public key files (with a "/" in them) */
        char *upstream; /* socket of the real agent; NULL: $SSH_AUTH_SOCK */
        enum forward_policy forward;
        enum grant_limit grants;
        gint64 grant_uses; /* signatures that one approval covers at most */
        gboolean git_signing;
    } ssh;
    struct {
        gboolean identity, host_keys;
    } git;
    struct {
        char *command; /* NULL: $VISUAL, $EDITOR, or one that the box has */
        char **args;
        enum editor_terminal terminal;
    } editor;
    struct {
        enum wayland_access wayland;
        enum x11_access x11;
        enum clipboard_access clipboard; /* of X11; and pictures, after asking */
        enum open_policy open;
        gboolean notify;
        gboolean appearance;
        enum sound_access sound;
        gboolean microphone;
        enum gpu_access gpu;
    } desktop;
    struct {
        enum terminal_clipboard clipboard;
        gboolean titles, notifications, links, images;
    } terminal;
    char **devices;           /* "/dev/kvm", "src:dst:perm" or a CDI name */
    GPtrArray *added_devices; /* of settings_device; no key: devices.h; or NULL */
    char *podman_raw;         /* the [podman] table as compact JSON, or NULL */
    char *approved_files; /* what the project's file names (config/named_files.h), as the user has
                           * approved it; no key; or NULL */
} settings;

/* Every key at its default. */
settings *settings_new_defaults(void);
void settings_free(settings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(settings, settings_free)

/* TRUE when the box gets fonts and themes of the desktop: when it can have windows. */
gboolean settings_wants_appearance(const settings *self);

/* TRUE when the box may ask for a picture on the clipboard; when it may ask anything of the
 * desktop. */
gboolean settings_wants_pictures(const settings *self);
gboolean settings_wants_requests(const settings *self);

/* TRUE when home.dotfiles is a folder of the host, and not the address of a repository. */
gboolean settings_dotfiles_is_folder(const settings *self);

settings_device *settings_device_new(const char *source, const char *target);
void settings_device_free(settings_device *device);
settings_mount *settings_mount_new(const char *source, const char *target, enum mount_mode mode);
void settings_mount_free(settings_mount *mount);

/* The programs that get a setting besides the one that reads the configuration
 * (settings_to_options). */
enum {
    REACHES_CLIENT = 1 << 0, /* `box` while the box runs, through the runtime configuration */
    REACHES_BRIDGE = 1 << 1, /* litterbox-bridge, as options */
    REACHES_INIT = 1 << 2,   /* PID 1 of the box, as options */
};

/*
 * The options of SELF that reach RECEIVER (a REACHES_… of schema.h), in the schema's order,
 * appended to OUT as new strings. Rows of a kind that has no form as options must not reach
 * anybody: ports, shares, mounts and raw tables (a unit test checks the schema).
 */
void settings_to_options(const settings *self, unsigned receiver, GPtrArray *out);

/*
 * The settings that OPTIONS (NULL-terminated) have for RECEIVER; fields of other rows, and of rows
 * that are not among the options, are zero. NULL when a value cannot be read. Strings are not
 * checked again: OPTIONS must come from a file that only the user can write.
 */
settings *settings_from_options(const char *const *options, unsigned receiver);