/* The seccomp filter that box-init installs on itself, which all processes of the box inherit. */
#pragma once

struct seccomp_rules;

/*
 * Refuses, in addition to the profile that the runtime has set:
 * - kernel keyrings, bpf, io_uring, userfaultfd, perf, modules, kexec, files by handle, and input
 *   injection into terminals (TIOCSTI, TIOCLINUX);
 * - calls that are newer than this list;
 * - sockets that are neither Unix, IPv4, IPv6 nor routing netlink: a network namespace does not
 *   hold AF_VSOCK, which reaches the host, and boxes need no other;
 * - ioctls of file systems that are not known to be harmless: btrfs makes subvolumes of any name
 *   with one, past the guard;
 * - unless IS_NESTED (Podman in the box), everything that makes or joins namespaces or mounts.
 *
 * It does not depend on Podman's version, the profile, or the caller's personality. Returns 0, or
 * -1 with errno.
 */
int box_filter_install(int is_nested);
/* Its rules for one ABI (seccomp_add_rules of sys/seccomp_filter.h). */
void box_filter_rules(struct seccomp_rules *self, int compat, int is_nested);
