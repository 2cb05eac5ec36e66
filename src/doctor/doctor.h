/*
 * What of this machine helps or hinders a box, for `box doctor`.
 *
 * doctor_facts is all that has to be looked up; look*.c look, check*.c judge. A check
 * is a plain function over the facts: it touches nothing, so that tests can hold it against any
 * machine.
 */
#pragma once

#include <glib.h>

#include "podman/podman.h"

typedef enum { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_ERROR, N_DOCTOR_LEVELS } doctor_level;

/* "ok", "note", "warning", "error". */
const char *doctor_level_name(doctor_level level);

typedef enum { CGROUPS_NONE, CGROUPS_V1, CGROUPS_HYBRID, CGROUPS_V2 } doctor_cgroups;

/* What can be on, off, or not there to be asked. */
typedef enum { SWITCH_ABSENT, SWITCH_OFF, SWITCH_ON } doctor_switch;

typedef struct {
    /* the user */
    guint uid;
    char *user;
    guint64 subuids, subgids;  /* how many the files give to the user */
    gboolean subids_elsewhere; /* nsswitch.conf names another source of them */
    char *id_helper;           /* path of newuidmap; NULL when it is not installed */
    char *runtime_problem;     /* why there is no runtime folder; NULL when there is one */
    gboolean in_box, in_container;
    char *installer; /* "sudo apt-get install", or NULL when no package manager is known */
    char *init;      /* path of box-init */
    gboolean init_is_there;

    /* the kernel */
    char *kernel; /* "6.1.0-18-amd64" */
    gboolean openat2, close_range, seccomp;
    int landlock;                  /* version of its interface; 0: none */
    gint64 max_user_namespaces;    /* -1: not there to be asked */
    doctor_switch userns_clone;    /* kernel.unprivileged_userns_clone, of some distributions */
    doctor_switch apparmor_userns; /* kernel.apparmor_restrict_unprivileged_userns: ON restricts */
    gboolean apparmor_podman;      /* a profile lets Podman make user namespaces all the same */
    gboolean userns;               /* a user namespace could be made just now */
    doctor_switch selinux;         /* ON: enforcing */
    doctor_cgroups cgroups;
    char *controllers;  /* delegated to the user: "cpu memory pids"; NULL: none */
    gboolean tun, fuse; /* the devices can be used */

    /* the system */
    gboolean systemd;
    gboolean linger;
    char *pasta, *slirp4netns, *fuse_overlayfs; /* paths; NULL: not installed */
    char *wayland, *x11;                        /* displays; NULL: none */

    /* the desktop */
    char *sound;                 /* the sound server's socket; NULL: none */
    guint gpus;                  /* render nodes */
    char *gpu_problem;           /* why a box cannot open one of them; NULL when it can */
    gboolean nvidia, nvidia_cdi; /* its driver is there; Podman can give it to a box */

    /* the SSH agent */
    gboolean agent_is_there;
    char *upstream; /* the real SSH agent's socket, safe; NULL: neither set nor configured */
    gboolean upstream_answers;
    gboolean known_hosts;
    guint64 lockable; /* bytes of memory that a process may lock (RLIMIT_MEMLOCK) */
    gboolean swap;    /* there is some that memory could go to */

    /* shims */
    guint shims;
    gboolean shims_on_path;
    char *shims_add;    /* the line that puts them on PATH, for the user's shell */
    char *shims_hidden; /* "npm, pip": those in front of which PATH finds another; NULL: none */
    char *shims_stale;  /* those that lead nowhere; NULL: none */

    /* menu entries of boxes */
    guint apps;
    char *apps_stale;       /* "gedit of box shop": those that start nothing; NULL: none */
    gboolean apps_orphaned; /* some of these are of boxes that are gone */

    /* Podman */
    gboolean podman_installed;
    char *podman_problem; /* why it does not answer; NULL when it does, and all below holds */
    char *podman_version; /* "4.3.1" */
    char *socket;
    char *socket_found; /* "CONTAINER_HOST", "user's socket", "private service" */
    gboolean rootless, remote;
    char *storage_driver, *storage_folder, *storage_backing;
    gboolean storage_native, storage_mount_program;
    gint64 storage_free; /* bytes; -1: unknown */
    char *runtime_name;  /* "crun" */
    guint64 mapped_uids; /* that containers have */
    gboolean podman_seccomp;
    char *cgroup_manager; /* "systemd" or "cgroupfs" */
} doctor_facts;

void doctor_facts_clear(doctor_facts *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(doctor_facts, doctor_facts_clear)

/* Looks at the machine, and asks Podman, starting its service when need be. Never fails: what
 * cannot be looked up is a fact as well. */
void doctor_look(doctor_facts *self);
/* Its parts. INFO is Podman's GET /info. */
void doctor_look_kernel(doctor_facts *self);
void doctor_look_user(doctor_facts *self);
void doctor_look_desktop(doctor_facts *self);
void doctor_look_ssh(doctor_facts *self);
/* PATH: the socket of the real SSH agent, where it is another than $SSH_AUTH_SOCK. */
void doctor_look_upstream(doctor_facts *self, const char *path);
void doctor_look_shims(doctor_facts *self);
void doctor_look_apps(doctor_facts *self);
void doctor_look_podman(doctor_facts *self);
void doctor_take_info(doctor_facts *self, json_t *info);
/* How many ids the file TEXT (/etc/subuid, /etc/subgid) gives to the user. */
guint64 doctor_count_ids(const char *text, const char *user, guint uid);

typedef struct {
    const char *id; /* stable, for programs */
    doctor_level level;
    char *what;
    char *fix; /* a sentence or a command; NULL when there is nothing to do */
} doctor_finding;

/* One finding or more into REPORT, by doctor_say. */
typedef void (*doctor_check)(const doctor_facts *facts, GPtrArray *report);

/* Adds a finding; takes WHAT and FIX, new strings. */
void doctor_say(GPtrArray *report, const char *id, doctor_level level, char *what, char *fix);

/* All checks, NULL-terminated, those of a group in a file each. */
extern const doctor_check doctor_podman_checks[], doctor_user_checks[], doctor_kernel_checks[],
    doctor_desktop_checks[], doctor_ssh_checks[], doctor_shims_checks[], doctor_apps_checks[];

/* All findings about FACTS, of doctor_finding, in the order of importance for a reader. */
GPtrArray *doctor_report(const doctor_facts *facts);
/* The worst level in REPORT. */
doctor_level doctor_worst(const GPtrArray *report);
/* The exit status that REPORT stands for: 0 without an error, 69 when Podman cannot be reached,
 * else 125. */
int doctor_exit_status(const GPtrArray *report);
