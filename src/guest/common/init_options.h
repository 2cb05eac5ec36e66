/* The command line of box-init, which plan/ on the host writes. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "config/setting_options.h"

/* Most reserved paths; plan/ names no more. */
#define RESERVED_NAMES_MAX 1024
/* Most folders with --git-folder; plan/ names no more. */
#define GIT_FOLDERS_MAX 64

struct init_options {
    uid_t uid;
    gid_t gid;
    const char *user;
    const char *home;
    const char *shell;
    const char *workdir;
    int64_t idle_stop; /* seconds without a session until the box stops, or SETTINGS_NEVER */
    enum keep_alive keep_alive;
    enum sudo_policy sudo;
    uint64_t caps;               /* of root sessions, as bits of capabilities(7) */
    int nested;                  /* sessions may make user namespaces */
    int keep_groups;             /* sessions keep PID 1's supplementary groups */
    const char *const *reserved; /* absolute paths that nothing may write (guest/guard/guard.h) */
    int reserved_count;
    const char *const *hidden; /* of those, what nothing may read either */
    int hidden_count;
    /* Absolute paths of folders that the host's git may be used in (guest/guard/git_names.h). */
    const char *git_folders[GIT_FOLDERS_MAX];
    int git_folder_count;
};

/* Parses ARGV, which SELF then points into. 0, or -1 after a message to stderr. */
int init_options_parse(struct init_options *self, int argc, char **argv);
