/* The system calls that can make a name or write to one, and where their arguments are. */
#pragma once

#include <stdint.h>

struct seccomp_data;
struct seccomp_rules;

enum guard_when {
    GUARD_ALWAYS,
    GUARD_IF_WRITING, /* by the flags argument of open; always, where names are hidden */
    GUARD_IF_OPENING, /* by the mode argument of chmod: executable, set-user-ID, set-group-ID,
                         writable for others */
    GUARD_IF_LOCKING, /* by the operation of flock or fcntl */
};

enum guard_act {
    GUARD_OPEN,
    GUARD_OPEN_HOW, /* openat2(2): flags and mode lie in memory */
    GUARD_MKDIR,
    GUARD_MKNOD,
    GUARD_SYMLINK,
    GUARD_LINK,
    GUARD_BIND,
    GUARD_RENAME,
    GUARD_TRUNCATE,
    GUARD_CHMOD,
    GUARD_SETXATTR,
    GUARD_REMOVEXATTR,
    GUARD_UMASK, /* goes on by itself, but is noted */
    GUARD_LOCK,  /* goes on by itself, but not before the guard has closed what it gave */
};

/*
 * The arguments that are a path: its folder (-1: the working folder) and its text (-1: the
 * descriptor itself; both -1: unused).
 */
struct guard_name {
    int8_t dirfd, path;
};

struct guard_call {
    int native, compat; /* -1: has no such call */
    enum guard_when when;
    enum guard_act act;
    struct guard_name made; /* the name that the call makes or writes to; an address */
    struct guard_name old;  /* the other one of link and rename; the text of a symlink, or the
                             * name of an attribute, before its value; a socket */
    int8_t flags, mode;     /* arguments, or -1; mode: also flags of setxattr(2) */
    int8_t number;          /* a device, or a length; -1 */
    int8_t halves;          /* the length comes in two arguments */
    int fixed;              /* flags where no argument has them */
};

/* The row of a held call; NULL for one that the filter does not hold. */
const struct guard_call *guard_filter_call(const struct seccomp_data *data);
/* The rules of the filter for one ABI (seccomp_add_rules of sys/seccomp_filter.h). WHAT: for a
 * nested box, which keeps openat2(2); for one with hidden names, whose opens for reading are held
 * too. */
#define GUARD_FILTER_NESTED 1
#define GUARD_FILTER_HIDES 2
void guard_filter_rules(struct seccomp_rules *self, int compat, int what);
/* In PID 1: builds the filter that holds these calls; with HIDES, opens for reading as well. 0, or
 * -1 with errno. */
int guard_filter_build(int nested, int hides);
/* In a child of PID 1: installs it. The listener, or -1 with errno. */
int guard_filter_install(void);
/* 1 when a held call that a guard has received is disturbed by nothing but SIGKILL. */
int guard_filter_is_undisturbed(void);
