/*
 * How our programs confine themselves. Features that the kernel does not have are left out: the
 * program is then as confined as the machine allows. libc and libseccomp.
 */
#pragma once

#include <stddef.h>

/* Not dumpable, no core dumps, no new privileges. Programs that it starts inherit all but the
 * first. */
void confine_harden(void);

/* READ: files and folders. CHANGE: make and write files. REMOVE: files. SOCKETS: make sockets and
 * folders. */
enum { CONFINE_READ = 1, CONFINE_CHANGE = 2, CONFINE_REMOVE = 4, CONFINE_SOCKETS = 8 };
#define CONFINE_WRITE (CONFINE_READ | CONFINE_CHANGE | CONFINE_REMOVE)

struct confine_path {
    const char *path; /* NULL, or missing: skipped */
    unsigned what;
};

/* Allows access to files only as PATHS say (Landlock). 0, or -1 with errno. */
int confine_files(const struct confine_path *paths, size_t count);

/*
 * What a confined process may still do. THREADS: start threads. CONNECT: use Unix sockets; the
 * programs behind these are not confined. INTERNET: use IPv4 and IPv6 sockets. SIGNALS: signal
 * other processes.
 */
enum { CONFINE_THREADS = 1, CONFINE_CONNECT = 2, CONFINE_INTERNET = 4, CONFINE_SIGNALS = 8 };

/*
 * Refuses, with seccomp: executing programs, forking, access to other processes, namespaces,
 * sockets, signals, and rarely used parts of the kernel; apart from what MAY allows. 0, or -1.
 */
int confine_calls(unsigned may);

/* All of this, in the order in which it works: Landlock takes only a process that can get no new
 * privileges. What the kernel does not have is said on stderr, after the name of PROGRAM. */
void confine_process(const char *program, const struct confine_path *paths, size_t count,
                     unsigned may);
