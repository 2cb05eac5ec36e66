/*
 * The checks of `box doctor`: what on this machine helps or prevents boxes.
 *
 * Each subject has a file. Its doctor_probe_… function collects the facts, its checks judge them. A
 * check only reads the facts and touches nothing, so that tests can run it for any machine.
 */
#pragma once

#include <glib.h>

#include "podman/podman.h"

typedef enum { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_ERROR, DOCTOR_N_LEVELS } doctor_level;

/* "ok", "note", "warning", "error". */
const char *doctor_level_name(doctor_level level);

typedef enum { CGROUPS_NONE, CGROUPS_V1, CGROUPS_HYBRID, CGROUPS_V2 } doctor_cgroups;

/* A setting of the kernel; absent: this kernel does not have it. */
typedef enum { SWITCH_ABSENT, SWITCH_OFF, SWITCH_ON } doctor_switch;

typedef struct {
    /* the user */
    guint uid;
    char *user;
    guint64 subuids, subgids;  /* number of ids in /etc/subuid and /etc/subgid */
    gboolean subids_elsewhere; /* nsswitch.conf names another source of them */
    char *id_helper;           /* path of newuidmap; NULL: not installed */
    char *runtime_problem;     /* why there is no runtime folder; NULL: there is one */
    gboolean in_box, in_container;
    char *installer; /* "sudo apt-get install", or NULL when no package manager is known */
    char *init;      /* path of box-init */
    gboolean init_is_there;

    /* the kernel */
    char *kernel; /* "6.1.0-18-amd64" */
    gboolean openat2, close_range, seccomp;
    int landlock;                  /* ABI version; 0: not available */
    gint64 max_user_namespaces;    /* -1: unknown */
    doctor_switch userns_clone;    /* kernel.unprivileged_userns_clone, of some distributions */
    doctor_switch apparmor_userns; /* kernel.apparmor_restrict_unprivileged_userns: ON restricts */
    gboolean apparmor_podman;      /* a profile allows Podman to create user namespaces */
    gboolean userns;               /* creating a user namespace worked */
    doctor_switch selinux;         /* ON: enforcing */
    doctor_cgroups cgroups;
    char *controllers;  /* delegated to the user: "cpu memory pids"; NULL: none */
    gboolean lacks_bus; /* without one Podman cannot ask systemd for them */
    gboolean tun, fuse; /* the devices can be used */

    /* the system */
    gboolean systemd;
    gboolean linger;
    char *pasta, *slirp4netns, *fuse_overlayfs; /* paths; NULL: not installed */
    gboolean nft;                               /* installed */
    char *fake_route;    /* an interface with a route into the gate's addresses; NULL: none */
    gboolean resolver;   /* the C library knows whom to ask for names */
    gint64 clock_behind; /* seconds that the clock is before the time of this program's file */
    char *wayland, *x11; /* displays; NULL: none */

    /* the desktop */
    char *sound;                 /* the sound server's socket; NULL: none */
    guint gpus;                  /* render nodes */
    char *gpu_problem;           /* why a box cannot open one of them; NULL when it can */
    gboolean nvidia, nvidia_cdi; /* NVIDIA's driver is loaded; there are CDI files for it */

    /* the SSH agent */
    gboolean agent_is_there;
    char *upstream; /* socket of the upstream SSH agent, safe text; NULL: none is set */
    gboolean upstream_answers;
    gboolean known_hosts;
    guint64 lockable; /* bytes of memory that a process may lock (RLIMIT_MEMLOCK) */
    gboolean swap;

    /* git of the host */
    gboolean git_is_there;
    char *bare_repository; /* safe.bareRepository: "explicit", "all"; NULL: not set */

    /* shims */
    guint shims;
    gboolean shims_on_path;
    char *shims_add;    /* line for the configuration of the user's shell that adds them to PATH */
    char *shims_hidden; /* "npm, pip": PATH finds other programs before these; NULL: none */
    char *shims_stale;  /* their target is missing; NULL: none */

    /* menu entries of boxes */
    guint apps;
    char *apps_stale;       /* "gedit of box shop": box or program is missing; NULL: none */
    gboolean apps_orphaned; /* some belong to boxes that do not exist */

    /* Podman */
    gboolean podman_installed;
    char *podman_problem; /* why it does not answer; NULL: it does, and all below is known */
    char *podman_version; /* "4.3.1" */
    char *socket;
    char *socket_found; /* "CONTAINER_HOST", "user's socket", "private service" */
    gboolean rootless, remote;
    char *storage_driver, *storage_folder, *storage_backing;
    gboolean storage_native, storage_mount_program;
    gint64 storage_free; /* bytes; -1: unknown */
    char *runtime_name;  /* "crun" */
    guint64 mapped_uids; /* number of user ids in a container */
    gboolean podman_seccomp;
    char *cgroup_manager; /* "systemd" or "cgroupfs" */
} doctor_facts;

void doctor_facts_clear(doctor_facts *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(doctor_facts, doctor_facts_clear)

/* Probes the machine, and asks Podman, whose service it starts if necessary. Never fails: what
 * cannot be found out is a fact too. */
void doctor_probe(doctor_facts *self);
/* Its parts. */
void doctor_probe_user(doctor_facts *self);
void doctor_probe_desktop(doctor_facts *self);
void doctor_probe_ssh(doctor_facts *self);
void doctor_probe_git(doctor_facts *self);
void doctor_probe_kernel(doctor_facts *self);
void doctor_probe_podman(doctor_facts *self);
void doctor_probe_network(doctor_facts *self);
/* PATH: the upstream SSH agent's socket if it is not $SSH_AUTH_SOCK. */
void doctor_probe_upstream(doctor_facts *self, const char *path);

/* Parsers, for tests. INFO: the reply to Podman's GET /info. */
void doctor_parse_info(doctor_facts *self, json_t *info);
/* How many ids TEXT, the contents of /etc/subuid or /etc/subgid, gives to the user. */
guint64 doctor_count_ids(const char *text, const char *user, guint uid);
/* The first interface that TABLE, as /proc/net/route is, has with a route into FAKE_NETWORK; NULL.
 */
char *doctor_fake_route(const char *table);
/* Whether the contents of resolv.conf(5) and nsswitch.conf(5), NULL for none, name a DNS server or
 * systemd-resolved. */
gboolean doctor_has_resolver(const char *resolv_conf, const char *nsswitch_conf);

typedef struct {
    const char *id; /* stable, for programs */
    doctor_level level;
    char *what;
    char *fix; /* a sentence or a command; NULL: nothing to do */
} doctor_finding;

/* Adds one or more findings to REPORT. */
typedef void (*doctor_check)(const doctor_facts *facts, GPtrArray *report);

/* The checks, NULL-terminated, each array in its own file. */
extern const doctor_check doctor_podman_checks[], doctor_network_checks[], doctor_user_checks[],
    doctor_kernel_checks[], doctor_desktop_checks[], doctor_ssh_checks[], doctor_git_checks[];

/* An empty report. */
GPtrArray *doctor_report_new(void);
/* For checks: adds a finding; takes WHAT and FIX, new strings. FIX may be NULL. */
void doctor_report_add(GPtrArray *report, const char *id, doctor_level level, char *what,
                       char *fix);
/* As doctor_report_add(), with a formatted WHAT and a constant FIX. */
void doctor_report_addf(GPtrArray *report, const char *id, doctor_level level, const char *fix,
                        const char *format, ...) G_GNUC_PRINTF(5, 6);
/* The command that installs PACKAGE on this machine, or "install PACKAGE". A new string. */
char *doctor_install_command(const doctor_facts *facts, const char *package);
/* The command that gives the user subordinate ids. A new string. */
char *doctor_subids_command(const doctor_facts *facts);

/* Subordinate ids that useradd(8) assigns, and that images of distributions need. */
#define DOCTOR_SUBIDS_USUAL 65536

/* All findings for FACTS, of doctor_finding, the most important group first. */
GPtrArray *doctor_report(const doctor_facts *facts);
doctor_level doctor_worst_level(const GPtrArray *report);
/* Exit status of `box doctor`: 0 without errors, 69 when Podman cannot be reached, else 125. */
int doctor_exit_status(const GPtrArray *report);
