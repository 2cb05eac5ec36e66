/* The seccomp filter that box-init puts on itself and so on everything in the box. */
#pragma once

/*
 * Refuses, on top of whatever profile the runtime set: kernel keyrings, bpf, io_uring, userfaultfd,
 * perf, modules, kexec, input injection into terminals (TIOCSTI, TIOCLINUX), and, unless NESTED,
 * everything that makes or joins namespaces or mounts. It does not depend on the Podman version,
 * on the profile in use, or on the personality of the caller. 0, or -1 with errno.
 */
int filter_install(int nested);
