/* The system calls that can make a name or write to one, and where their arguments are. */
#pragma once

#include <stdint.h>

struct seccomp_data;

enum reserve_when {
    RESERVE_ALWAYS,
    RESERVE_IF_WRITING, /* by the flags argument of open */
    RESERVE_IF_RUNNING, /* by the mode argument of chmod */
};

enum reserve_act {
    RESERVE_OPEN,
    RESERVE_OPEN_HOW, /* openat2(2): flags and mode lie in memory */
    RESERVE_MKDIR,
    RESERVE_MKNOD,
    RESERVE_SYMLINK,
    RESERVE_LINK,
    RESERVE_RENAME,
    RESERVE_TRUNCATE,
    RESERVE_CHMOD,
};

/*
 * The arguments that are a path: its folder (-1: the working folder) and its text (-1: the
 * descriptor itself; both -1: unused).
 */
struct reserve_name {
    int8_t dirfd, path;
};

struct reserve_call {
    int native, compat; /* -1: has no such call */
    enum reserve_when when;
    enum reserve_act act;
    struct reserve_name made; /* the name that the call makes or writes to */
    struct reserve_name old;  /* the other one of link and rename; the text of a symlink */
    int8_t flags, mode;       /* arguments, or -1 */
    int8_t number;            /* a device, or a length; -1 */
    int8_t halves;            /* the length comes in two arguments */
    int fixed;                /* flags that go without saying */
};

/* The row of a held call; NULL for one that the filter does not hold. */
const struct reserve_call *reserve_call_of(const struct seccomp_data *data);
/* Installs the filter that holds these calls. The listener, or -1 with errno. */
int reserve_filter(int nested);
