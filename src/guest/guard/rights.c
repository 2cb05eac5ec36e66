#include "guest/guard/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <unistd.h>

#include "guest/common/privileges.h"

/* Looking at any process also needs to get into its folder in /proc. */
#define LOOK                                                              \
    ((uint64_t)1 << CAP_SYS_PTRACE | (uint64_t)1 << CAP_DAC_READ_SEARCH | \
     (uint64_t)1 << CAP_DAC_OVERRIDE)

static uint64_t all_rights; /* what this guard may ever hold */
static int acts;            /* as a caller, without the right to look into processes */

int guard_rights_begin(const struct init_options *options, enum guard_kind kind)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit); /* one a session, and some for each call in hand */
    }
    if (privileges_become_guard(options, kind == GUARD_FOR_ROOT) < 0)
        return -1;
    all_rights = privileges_permitted();
    acts = 1;
    return guard_rights_look(kind);
}

int guard_rights_look(enum guard_kind kind)
{
    if (!acts)
        return 0;
    acts = 0;
    if (kind == GUARD_FOR_ROOT) {
        if (privileges_set(all_rights, all_rights) < 0)
            return -1;
        setfsuid(0);
    }
    return privileges_set(all_rights, all_rights & LOOK);
}

/* Groups that have no number here can be kept, but not set. */
static int take_groups(const struct guard_status *status)
{
    gid_t now[GUARD_GROUPS_MAX];
    int count = getgroups(GUARD_GROUPS_MAX, now);
    if (count == status->group_count && !memcmp(now, status->groups, (size_t)count * sizeof *now))
        return 0;
    return setgroups((size_t)status->group_count, status->groups);
}

/* As the caller of the moment. */
static int become(const struct guard_status *status)
{
    if (privileges_set(all_rights, all_rights) < 0 || take_groups(status) < 0)
        return -1;
    setfsgid(status->fsgid);
    setfsuid(status->fsuid);
    if ((gid_t)setfsgid((gid_t)-1) != status->fsgid ||
        (uid_t)setfsuid((uid_t)-1) != status->fsuid) {
        errno = EPERM;
        return -1;
    }
    return privileges_set(all_rights, all_rights & status->caps);
}

int guard_rights_act(const struct guard_request *request)
{
    if (request->view.abroad || (acts && request->kind == GUARD_FOR_USER))
        return 0; /* has them already */
    acts = 1;
    return request->kind == GUARD_FOR_ROOT ? become(&request->status)
                                           : privileges_set(all_rights, 0);
}

int guard_rights_enter_view(const struct guard_request *request)
{
    const struct guard_view *view = &request->view;
    uint64_t caps = request->status.caps;
    if (view->namespaces && setns(view->pidfd, view->namespaces) < 0)
        return -1;
    /* Within the caller's user namespace all capabilities are ours, as its owner. */
    if (!(view->namespaces & CLONE_NEWUSER)) {
        if (privileges_set(all_rights, all_rights) < 0)
            return -1;
    }
    if (fchdir(view->root) < 0 || chroot(".") < 0 || fchdir(view->cwd) < 0)
        return -1;
    if (view->namespaces & CLONE_NEWUSER)
        return privileges_set(caps, caps);
    return request->kind == GUARD_FOR_ROOT ? become(&request->status) : privileges_set(0, 0);
}
