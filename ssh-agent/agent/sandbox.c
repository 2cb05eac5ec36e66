#include "ssh-agent/agent/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "ssh-agent/agent/places.h"

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE                                                                \
    (READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
     LANDLOCK_ACCESS_FS_MAKE_REG)
#define SOCKETS (WRITE | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_DIR)
/* All of the first version: what later ones added is left alone. */
#define HANDLED ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

void sandbox_harden(void)
{
    const struct rlimit none = {0, 0};
    struct rlimit locked;
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
    /* With a limit, memory that cannot be locked later would be memory that cannot be had. */
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur == RLIM_INFINITY)
        mlockall(MCL_CURRENT | MCL_FUTURE);
}

static void allow(int rules, char *path, guint64 access)
{
    g_autofree char *taken = path;
    int fd = path ? open(path, O_PATH | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
}

/* Its own three folders; /proc for who asks; what the C library loads late. Not the user's home:
 * known_hosts comes through the launcher. */
static void restrict_files(void)
{
    const struct landlock_ruleset_attr what = {.handled_access_fs = HANDLED};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &what, sizeof what, 0);
    if (rules < 0) {
        g_warning("Landlock does not work here: %s", g_strerror(errno));
        return;
    }
    allow(rules, paths_runtime(PLACES_FOLDER, NULL), SOCKETS);
    allow(rules, paths_state(NULL), WRITE);
    allow(rules, paths_data(NULL), READ);
    allow(rules, g_strdup("/proc"), READ);
    allow(rules, g_strdup("/usr"), READ);
    if (syscall(SYS_landlock_restrict_self, rules, 0) < 0)
        g_warning("Landlock does not work here: %s", g_strerror(errno));
    close(rules);
}

/* Ways to another program, another process, another namespace, or deep into the kernel. */
static const int refused[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(personality),
    SCMP_SYS(memfd_create),
    SCMP_SYS(swapon),
    SCMP_SYS(symlink),
    SCMP_SYS(symlinkat),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
};

static int fill(scmp_filter_ctx filter)
{
    int wrong = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++)
        wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
    /* Local sockets alone: nothing that it knows leaves the machine through it. */
    wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
                              SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    /* Threads, which GIO makes, and no processes. clone3 hides its flags: the C library then uses
     * clone. */
    wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    wrong |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    return wrong;
}

static void restrict_calls(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return;
    if (fill(filter) != 0 || seccomp_load(filter) != 0)
        g_warning("the system call filter does not work here");
    seccomp_release(filter);
}

void sandbox_enter(void)
{
    g_autofree char *data = paths_data(NULL), *attached = paths_state("attached");
    fs_make_folder(data, 0700, NULL);
    fs_make_folder(attached, 0700, NULL);
    restrict_files();
    restrict_calls();
}
