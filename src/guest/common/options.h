/* How box-init was told to run this box: its command line, made by plan/ on the host. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum init_sudo { INIT_SUDO_DENY, INIT_SUDO_ASK, INIT_SUDO_ALLOW };

#define INIT_NEVER (-1)

struct init_options {
    uid_t uid;
    gid_t gid;
    const char *user;
    const char *home;
    const char *shell;
    const char *workdir;
    long idle; /* seconds without a session until the box stops; INIT_NEVER */
    enum init_sudo sudo;
    uint64_t caps;               /* what a root session keeps, as bits of capabilities(7) */
    int nested;                  /* sessions may make user namespaces */
    int keep_groups;             /* sessions keep PID 1's supplementary groups */
    const char *const *reserved; /* absolute paths that nothing may write (guard/guard.h) */
    int reserved_count;
};

/* Parses ARGV; prints to stderr and returns -1 when it makes no sense. */
int init_options_parse(struct init_options *self, int argc, char **argv);
