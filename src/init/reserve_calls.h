/* The system calls that can make a name, and where their arguments are. */
#pragma once

#include <stdint.h>

struct seccomp_data;

enum reserve_when {
    RESERVE_ALWAYS,
    RESERVE_IF_CREATING, /* when the flags argument has O_CREAT */
};

/* One name that a call makes: the arguments of its folder (-1: the working folder) and its path. */
struct reserve_name {
    int8_t dirfd, path;
};

struct reserve_call {
    int native, compat; /* -1: has no such call */
    enum reserve_when when;
    int8_t flags;                 /* argument of open's flags, or -1 */
    struct reserve_name names[2]; /* path -1: not used */
    uint8_t follows;              /* a symlink at the end is followed when O_CREAT makes the file */
};

/* The row of a held call; NULL for one that the filter does not hold. */
const struct reserve_call *reserve_call_of(const struct seccomp_data *data);
/* Installs the filter that holds these calls. The listener, or -1 with errno. */
int reserve_filter(void);
