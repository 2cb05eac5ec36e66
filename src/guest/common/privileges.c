#include "guest/common/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int privileges_set(uint64_t permitted, uint64_t effective)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {
        {(uint32_t)effective, (uint32_t)permitted, 0},
        {(uint32_t)(effective >> 32), (uint32_t)(permitted >> 32), 0},
    };
    return (int)syscall(SYS_capset, &header, data);
}

/* Sets permitted and effective to CAPS, inheritable and ambient to nothing. */
static int set_caps(uint64_t caps)
{
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return -1;
    return privileges_set(caps, caps);
}

/* Before privileges_begin() limiting it fails, at the first capability that there is not. */
static uint64_t bounding_set = ~(uint64_t)0;

static int keeps_memory;

/* Whether what gives up root becomes undumpable (proc(5), fs.suid_dumpable). */
static int read_keeps_memory(void)
{
    char mode = '1';
    int fd = open("/proc/sys/fs/suid_dumpable", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &mode, 1) != 1)
        mode = '1';
    if (fd >= 0)
        close(fd);
    return mode != '1';
}

int privileges_keep_memory(void)
{
    return keeps_memory;
}

void privileges_begin(void)
{
    keeps_memory = read_keeps_memory();
    bounding_set = 0;
    /* An error for the first capability that this kernel does not know. */
    for (int cap = 0, have; cap < 64 && (have = prctl(PR_CAPBSET_READ, cap, 0, 0, 0)) >= 0; cap++)
        bounding_set |= (uint64_t)have << cap;
}

/* Removes all capabilities but CAPS from the bounding set: then no file's capabilities bring them
 * back at exec (capabilities(7)). */
static int limit_bounding_set(uint64_t caps)
{
    for (int cap = 0; cap < 64; cap++) {
        if ((bounding_set & ~caps) >> cap & 1 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
            return -1;
    }
    return 0;
}

uint64_t privileges_permitted(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};
    if (syscall(SYS_capget, &header, data) < 0)
        return 0;
    return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

int privileges_prepare_user(const struct init_options *options)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || limit_bounding_set(0) < 0)
        return -1;
    if (!options->keep_groups && setgroups(0, NULL) < 0)
        return -1;
    return setresgid(options->gid, options->gid, options->gid);
}

int privileges_complete_user(const struct init_options *options)
{
    return setresuid(options->uid, options->uid, options->uid) < 0 ? -1 : set_caps(0);
}

int privileges_become_user(const struct init_options *options)
{
    return privileges_prepare_user(options) < 0 ? -1 : privileges_complete_user(options);
}

int privileges_become_root(const struct init_options *options)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || limit_bounding_set(options->caps) < 0)
        return -1;
    if (!options->keep_groups && setgroups(0, NULL) < 0)
        return -1;
    return set_caps(options->caps & privileges_permitted());
}

int privileges_become_guard(const struct init_options *options, int root)
{
    uint64_t trace = (uint64_t)1 << CAP_SYS_PTRACE;
    uint64_t change = (uint64_t)1 << CAP_SETUID | (uint64_t)1 << CAP_SETGID;
    uint64_t caps = root ? trace | change | options->caps : trace;
    if (!(privileges_permitted() & trace)) {
        errno = EPERM;
        return -1;
    }
    if (limit_bounding_set(0) < 0 || (!options->keep_groups && setgroups(0, NULL) < 0))
        return -1;
    /* File access goes by the effective IDs; kill(2) compares the real and saved ones. */
    if (!root && (setresgid(options->gid, options->gid, options->gid) < 0 ||
                  setresuid(0, options->uid, 0) < 0))
        return -1;
    return set_caps(caps & privileges_permitted());
}
