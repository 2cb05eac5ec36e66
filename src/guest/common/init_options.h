/* How box-init was told to run this box: its command line, made by plan/ on the host. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "config/setting_options.h"

/* Most reserved paths; plan/ names no more. */
#define RESERVED_NAMES_MAX 1024

struct init_options {
    uid_t uid;
    gid_t gid;
    const char *user;
    const char *home;
    const char *shell;
    const char *workdir;
    int64_t idle_stop; /* seconds without a session until the box stops, or SETTINGS_NEVER */
    enum sudo_policy sudo;
    uint64_t caps;               /* what a root session keeps, as bits of capabilities(7) */
    int nested;                  /* sessions may make user namespaces */
    int keep_groups;             /* sessions keep PID 1's supplementary groups */
    const char *const *reserved; /* absolute paths that nothing may write (guest/guard/guard.h) */
    int reserved_count;
};

/* Parses ARGV; prints to stderr and returns -1 when it makes no sense. */
int init_options_parse(struct init_options *self, int argc, char **argv);
