/* Memory, processor time, processes, shared memory, open files. */
#include "plan/draft.h"

#include <math.h>

/* The kernel's default period of a cgroup's CPU quota, in microseconds. */
#define CPU_PERIOD 100000

static void warn_not_enforced(plan_draft *self, const char *limit)
{
    plan_warn(self,
              self->facts->cgroup_v2
                  ? "limits.%s is not enforced: the host has not delegated that cgroup controller "
                    "to you ('box doctor' says how)"
                  : "limits.%s is not enforced: the host has no cgroup v2 ('box doctor' says more)",
              limit);
}

static void add_memory(plan_draft *self, json_t *limits)
{
    gint64 bytes = self->wanted->limits.memory;

    if (bytes <= 0)
        return;
    /* "swap" counts memory and swap together: no swap beyond the limit. */
    json_object_set_new(
        limits, "memory",
        json_pack("{s:I, s:I}", "limit", (json_int_t)bytes, "swap", (json_int_t)bytes));
    if (!self->facts->cgroup_v2 || !self->facts->cgroup_memory)
        warn_not_enforced(self, "memory");
}

char *plan_memory_share(const plan_draft *self, int percent)
{
    gint64 bytes = self->wanted->limits.memory;

    return bytes > 0 ? g_strdup_printf("%" G_GINT64_FORMAT, bytes / 100 * percent)
                     : g_strdup_printf("%d%%", percent);
}

static void add_cpus(plan_draft *self, json_t *limits)
{
    double cpus = self->wanted->limits.cpus;

    if (!(cpus > 0))
        return;
    json_object_set_new(limits, "cpu",
                        json_pack("{s:I, s:i}", "quota", (json_int_t)llround(cpus * CPU_PERIOD),
                                  "period", CPU_PERIOD));
    if (!self->facts->cgroup_v2 || !self->facts->cgroup_cpu)
        warn_not_enforced(self, "cpus");
}

static void add_pids(plan_draft *self, json_t *limits)
{
    gint64 pids = self->wanted->limits.pids;

    if (pids <= 0)
        return;
    json_object_set_new(limits, "pids", json_pack("{s:I}", "limit", (json_int_t)pids));
    if (!self->facts->cgroup_v2 || !self->facts->cgroup_pids)
        warn_not_enforced(self, "pids");
}

void plan_add_limits(plan_draft *self)
{
    json_t *limits = json_object();
    json_int_t files = self->wanted->limits.nofile;

    add_memory(self, limits);
    add_cpus(self, limits);
    add_pids(self, limits);
    plan_set(self, "resource_limits", limits);
    if (self->wanted->limits.shm > 0)
        plan_set(self, "shm_size", json_integer(self->wanted->limits.shm));
    if (files > 0)
        plan_set(self, "r_limits",
                 json_pack("[{s:s, s:I, s:I}]", "type", "nofile", "hard", files, "soft", files));
}
