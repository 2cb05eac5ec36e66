/*
 * System calls that a session must not have, each by the machine's own ABI and, on x86-64, by the
 * 32-bit one (int 0x80) and x32: a filter that knows one of them alone is no filter.
 *
 * Arguments are chosen so that a kernel that looks at the call at all fails for another reason than
 * EPERM, or succeeds: EPERM (ENOSYS, ENOTTY) then means that the filter answered.
 */
#include "attack.h"

#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ABSENT (-1)
#define X32_BIT 0x40000000

struct call {
    const char *name;
    long native, compat;
    long arguments[6];
};

/* Pointers that both ABIs can hold: page 0 is never mapped, so an unfiltered call says EFAULT. */
#define BAD 16
#define NEW_USER 0x10000000
#define NEW_TIME 0x80

static const struct call calls[] = {
    {"add_key", SYS_add_key, 286, {BAD, BAD, 0, 0, KEY_SPEC_PROCESS_KEYRING}},
    {"request_key", SYS_request_key, 287, {BAD, BAD, 0, 0}},
    {"keyctl", SYS_keyctl, 288, {KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1}},
    {"bpf", SYS_bpf, 357, {0, BAD, 72}},
    {"io_uring_setup", 425, 425, {1, BAD}},
    {"io_uring_enter", 426, 426, {-1, 0, 0, 0, 0, 0}},
    {"io_uring_register", 427, 427, {-1, 0, 0, 0}},
    {"userfaultfd", SYS_userfaultfd, 374, {1}},
    {"perf_event_open", SYS_perf_event_open, 336, {BAD, 0, -1, -1, 0}},
    {"init_module", SYS_init_module, 128, {BAD, 0, BAD}},
    {"finit_module", SYS_finit_module, 350, {-1, BAD, 0}},
    {"delete_module", SYS_delete_module, 129, {BAD, 0}},
    {"kexec_load", SYS_kexec_load, 283, {0, 0, 0, 0}},
    {"kexec_file_load", SYS_kexec_file_load, ABSENT, {-1, -1, 0, 0, 0}},
    {"open_by_handle_at", SYS_open_by_handle_at, 342, {-1, BAD, 0}},
    {"quotactl", SYS_quotactl, 131, {0, BAD, 0, 0}},
    {"swapon", SYS_swapon, 87, {BAD, 0}},
    {"swapoff", SYS_swapoff, 115, {BAD}},
    {"reboot", SYS_reboot, 88, {0, 0, 0, 0}},
    {"acct", SYS_acct, 51, {BAD}},
    {"unshare-user", SYS_unshare, 310, {NEW_USER}},
    {"unshare-mount", SYS_unshare, 310, {CLONE_NEWNS}},
    {"unshare-mount-and-folder", SYS_unshare, 310, {CLONE_NEWNS | CLONE_FS}},
    {"unshare-time", SYS_unshare, 310, {NEW_TIME}},
    {"setns", SYS_setns, 346, {-1, 0}},
    {"mount", SYS_mount, 21, {BAD, BAD, BAD, 0, 0}},
    {"umount2", SYS_umount2, 52, {BAD, 0}},
#if defined __x86_64__
    {"umount", ABSENT, 22, {BAD}},
#endif
    {"pivot_root", SYS_pivot_root, 217, {BAD, BAD}},
    {"open_tree", 428, 428, {-1, BAD, 1}},
    {"move_mount", 429, 429, {-1, BAD, -1, BAD, 0}},
    {"fsopen", 430, 430, {BAD, 0}},
    {"fsconfig", 431, 431, {-1, 0, BAD, BAD, 0}},
    {"fsmount", 432, 432, {-1, 0, 0}},
    {"fspick", 433, 433, {-1, BAD, 0}},
    {"mount_setattr", 442, 442, {-1, BAD, 0, BAD, 32}},
    {"clone-user", SYS_clone, 120, {NEW_USER | SIGCHLD, 0, 0, 0, 0}},
    {"clone3", 435, 435, {BAD, 64}},
    {"setxattrat", 463, 463, {-1, BAD, 0, BAD, BAD}},
    {"open_tree_attr", 467, 467, {-1, BAD, 1, BAD, 32}},
    {"file_setattr", 469, 469, {-1, BAD, BAD, 24, 0}},
#if defined __x86_64__
    {"socketcall-socket", ABSENT, 102, {1, BAD}},
    {"socketcall-socketpair", ABSENT, 102, {8, BAD}},
#endif
    /* The kernel looks at the descriptor first, and would say EBADF. */
    {"ioctl-btrfs-snapshot", SYS_ioctl, 54, {-1, 0x50009401, BAD}},
    {"ioctl-btrfs-subvolume", SYS_ioctl, 54, {-1, 0x5000940e, BAD}},
    {"ioctl-btrfs-snapshot-v2", SYS_ioctl, 54, {-1, 0x50009417, BAD}},
    {"ioctl-btrfs-subvolume-v2", SYS_ioctl, 54, {-1, 0x50009418, BAD}},
    {"ioctl-bcachefs-subvolume", SYS_ioctl, 54, {-1, 0x4020bc10, BAD}},
    {"ioctl-ext4-swap-boot", SYS_ioctl, 54, {-1, 0x6611, 0}},
    {"ioctl-fscrypt-policy", SYS_ioctl, 54, {-1, 0x800c6613, BAD}},
    {"ioctl-fsverity", SYS_ioctl, 54, {-1, 0x40806685, BAD}},
    {"ioctl-f2fs", SYS_ioctl, 54, {-1, 0xf501, 0}},
    {"ioctl-ocfs2-reflink", SYS_ioctl, 54, {-1, 0x40186f04, BAD}},
    {"ioctl-xfs-by-handle", SYS_ioctl, 54, {-1, 0xc030586b, BAD}},
};

static long by_native(const struct call *call)
{
    const long *a = call->arguments;
    long result = syscall(call->native, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result < 0 ? -errno : result;
}

#if defined __x86_64__
static long by_compat(const struct call *call)
{
    const long *a = call->arguments;
    long result;
    /* %ebp holds the sixth argument, which only the compiler could set: none of these needs it. */
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(call->compat), "b"(a[0]), "c"(a[1]), "d"(a[2]), "S"(a[3]), "D"(a[4])
                     : "memory", "r8", "r9", "r10", "r11");
    return (int)result;
}

static long by_x32(const struct call *call)
{
    struct call x32 = *call;
    x32.native |= X32_BIT;
    return by_native(&x32);
}
#endif

struct abi {
    const char *name;
    long (*call)(const struct call *call);
};

static const struct abi abis[] = {
    {"native", by_native},
#if defined __x86_64__
    {"compat", by_compat},
    {"x32", by_x32},
#endif
};

static int has(const struct abi *abi, const struct call *call)
{
    return strcmp(abi->name, "compat") ? call->native != ABSENT : call->compat != ABSENT;
}

/* In a child: some of these change the caller for good. */
static long in_child(const struct abi *abi, const struct call *call)
{
    long *result =
        mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED)
        return -ENOMEM;
    *result = -ECANCELED;
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        long got = abi->call(call);
        /* A clone that worked returns twice; what it made must not go on from here. */
        if (getppid() == self)
            *result = got;
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    /* No 32-bit emulation in this kernel: the trap itself is fatal. */
    long got = WIFSIGNALED(status) ? -ENOSYS : *result;
    munmap(result, sizeof *result);
    return got;
}

long call_by_compat(long number, long first, long second, long third)
{
    const struct call call = {"", ABSENT, number, {first, second, third}};
    for (size_t i = 0; i < sizeof abis / sizeof *abis; i++) {
        if (has(&abis[i], &call))
            return in_child(&abis[i], &call);
    }
    return -ENOSYS;
}

static int is_filtered(long result)
{
    return result == -EPERM || result == -ENOSYS || result == -ENOTTY;
}

/* attack call NAME: by every ABI; one that gets through is enough. */
static int attack_call(char **arguments)
{
    int tried = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].name, arguments[0]) != 0)
            continue;
        for (size_t j = 0; j < sizeof abis / sizeof *abis; j++) {
            if (!has(&abis[j], &calls[i]))
                continue;
            long result = in_child(&abis[j], &calls[i]);
            const char *error = result < 0 ? strerrorname_np((int)-result) : "done";
            if (!is_filtered(result))
                return succeeded("%s reached the kernel by %s: %s", calls[i].name, abis[j].name,
                                 error ? error : "?");
            printf("%s: %s\n", abis[j].name, error);
            tried++;
        }
    }
    return tried ? refused(EPERM, arguments[0]) : broken(arguments[0]);
}

static int attack_list(char **arguments)
{
    (void)arguments;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        puts(calls[i].name);
    return 0;
}

/* attack abi NAME: does this ABI work here at all (getpid through it)? A control. */
static int attack_abi(char **arguments)
{
    const struct call getpid_call = {"getpid", SYS_getpid, 20, {0}};
    for (size_t i = 0; i < sizeof abis / sizeof *abis; i++) {
        if (!strcmp(abis[i].name, arguments[0])) {
            long result = in_child(&abis[i], &getpid_call);
            return result > 0 ? succeeded("%s works", abis[i].name)
                              : refused((int)-result, abis[i].name);
        }
    }
    return broken(arguments[0]);
}

static int is_needed(int family, int protocol)
{
    return family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
           (family == AF_NETLINK && protocol == 0);
}

/* Tries all types of FAMILY. 0: refused before the kernel looked for the family. */
static int can_have(const struct abi *abi, long native, long compat, int family, int protocol)
{
    for (int type = SOCK_STREAM; type <= SOCK_PACKET; type++) {
        long result =
            in_child(abi, &(struct call){"", native, compat, {family, type, protocol, BAD}});
        if (result != -EAFNOSUPPORT && result != -EPROTONOSUPPORT && result != -ENOSYS)
            return 1;
    }
    return 0;
}

/* attack families: a socket of any family that a box does not need, by every ABI. */
static int attack_families(char **arguments)
{
    (void)arguments;
    for (size_t i = 0; i < sizeof abis / sizeof *abis; i++) {
        for (int family = 0; family < 64; family++) {
            for (int protocol = 0; protocol < (family == AF_NETLINK ? 32 : 1); protocol++) {
                if (is_needed(family, protocol))
                    continue;
                if (can_have(&abis[i], SYS_socket, 359, family, protocol) ||
                    can_have(&abis[i], SYS_socketpair, 360, family, protocol))
                    return succeeded("family %d, protocol %d by %s", family, protocol,
                                     abis[i].name);
            }
        }
    }
    return refused(EAFNOSUPPORT, "socket");
}

const struct attack calls_attacks[] = {
    {"families", 0, attack_families},
    {"call", 1, attack_call},
    {"call-list", 0, attack_list},
    {"abi", 1, attack_abi},
    {0},
};
