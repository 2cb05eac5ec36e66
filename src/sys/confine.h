/*
 * What a program of ours gives up once it runs. What the kernel does not know is left out: the
 * program is then as confined as the machine allows. libc and libseccomp.
 */
#pragma once

#include <stddef.h>

/* Not dumpable, no core, no new privileges: what it starts inherits all but the first. */
void confine_harden(void);

/* READ: files and folders. CHANGE: make and write files. SOCKETS: make them, and folders. */
enum { CONFINE_READ = 1, CONFINE_CHANGE = 2, CONFINE_REMOVE = 4, CONFINE_SOCKETS = 8 };
#define CONFINE_WRITE (CONFINE_READ | CONFINE_CHANGE | CONFINE_REMOVE)

struct confine_path {
    const char *path; /* NULL, or missing: skipped */
    unsigned what;
};

/* Nothing of the file system from now on, but what PATHS say (Landlock). -1 with errno. */
int confine_files(const struct confine_path *paths, size_t count);

/*
 * What it still may. CONNECT: to local sockets, behind which others do what it must not. INTERNET,
 * with that: sockets of the internet, too; without, nothing that it knows leaves the machine.
 * SIGNALS: to other processes.
 */
enum { CONFINE_THREADS = 1, CONFINE_CONNECT = 2, CONFINE_INTERNET = 4, CONFINE_SIGNALS = 8 };

/*
 * No way from now on to another program, another process, another namespace, another network, or
 * deep into the kernel (seccomp), but for what MAY says. -1 when that does not work here.
 */
int confine_calls(unsigned may);
