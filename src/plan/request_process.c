/*
 * What Podman runs in the container, namely box-init, and with which namespaces, privileges and
 * resource limits.
 *
 * An image's config may name an entrypoint, command, user, work folder, stop signal, health check
 * and volumes. The request sets each of them, so that the image's values do not apply.
 */
#include "plan/request.h"

#include "config/settings.h"

/* Seconds that box-init has to end its sessions before Podman kills it. */
#define STOP_TIMEOUT 5
/* A box must not be able to fill the disk through its log; box-init logs little. */
#define LOG_BYTES (1 << 20)

/* The capabilities of root sessions (sudo, or `box run -u root`): Podman's default set. */
static const char *const root_caps[] = {
    "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",       "NET_BIND_SERVICE",
    "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT",
};
/* The capabilities of box-init. It needs them to start sessions as the user without any capability;
 * and SYS_PTRACE, because its guard reads the memory of processes whose system calls it performs.
 */
static const char *const init_caps[] = {"KILL", "SETGID", "SETPCAP", "SETUID", "SYS_PTRACE"};

static gboolean contains(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)names, name, g_str_equal, NULL);
}

/* Names without "CAP_", each once. The strings are static or belong to the settings. */
static GPtrArray *session_root_caps(const settings *wanted)
{
    GPtrArray *caps = g_ptr_array_new();

    for (gsize i = 0; i < G_N_ELEMENTS(root_caps); i++)
        g_ptr_array_add(caps, (char *)root_caps[i]);
    if (wanted->security.sudo == SUDO_DENY)
        return caps;
    for (char **extra = wanted->security.capabilities; extra && *extra; extra++)
        if (!contains(caps, *extra))
            g_ptr_array_add(caps, *extra);
    return caps;
}

static void append(json_t *list, const char *option, const char *value)
{
    json_array_append_new(list, json_string(option));
    if (value)
        json_array_append_new(list, json_string(value));
}

static void append_number(json_t *list, const char *option, gint64 value)
{
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, value);

    append(list, option, text);
}

static const char *shell(const plan_request *self)
{
    if (self->wanted->box.shell)
        return self->wanted->box.shell;
    /* box-init falls back to /bin/sh where an image does not have the host's shell. */
    return self->facts->shell ? self->facts->shell : "/bin/sh";
}

static void append_settings(json_t *list, const settings *wanted)
{
    g_autoptr(GPtrArray) options = g_ptr_array_new_with_free_func(g_free);

    settings_to_options(wanted, REACHES_INIT, options);
    for (guint i = 0; i < options->len; i++)
        append(list, "--set", options->pdata[i]);
}

static json_t *init_arguments(const plan_request *self, const GPtrArray *caps)
{
    const plan_facts *facts = self->facts;
    const settings *wanted = self->wanted;
    json_t *list = json_array();

    append_number(list, "--uid", facts->uid);
    append_number(list, "--gid", facts->gid);
    append(list, "--user", facts->user);
    append(list, "--home", facts->home);
    append(list, "--shell", shell(self));
    append(list, "--workdir", wanted->box.workdir ? wanted->box.workdir : self->box->project);
    append_settings(list, wanted);
    if (caps->len > 0) {
        g_autoptr(GString) names = g_string_new(NULL);
        for (guint i = 0; i < caps->len; i++)
            g_string_append_printf(names, "%s%s", i ? "," : "", (char *)caps->pdata[i]);
        append(list, "--caps", names->str);
    }
    if (!wanted->protect.guard)
        return list;
    for (guint i = 0; i < self->reserved->len; i++)
        append(list, "--reserve", self->reserved->pdata[i]);
    for (guint i = 0; i < self->hidden->len; i++)
        append(list, "--hide", self->hidden->pdata[i]);
    for (guint i = 0; i < self->git_folders->len; i++)
        append(list, "--git-folder", self->git_folders->pdata[i]);
    return list;
}

static void add_capabilities(plan_request *self, const GPtrArray *caps)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    json_t *add = json_array();

    for (gsize i = 0; i < G_N_ELEMENTS(init_caps); i++)
        g_ptr_array_add(all, (char *)init_caps[i]);
    for (guint i = 0; i < caps->len; i++)
        if (!contains(all, caps->pdata[i]))
            g_ptr_array_add(all, caps->pdata[i]);
    for (guint i = 0; i < all->len; i++) {
        g_autofree char *name = g_strconcat("CAP_", all->pdata[i], NULL);
        json_array_append_new(add, json_string(name));
    }
    plan_request_set(self, "cap_drop", json_pack("[s]", "all"));
    plan_request_set(self, "cap_add", add);
}

void plan_request_add_process(plan_request *self)
{
    g_autoptr(GPtrArray) caps = session_root_caps(self->wanted);

    plan_request_set(self, "name", json_string(self->box->container));
    plan_request_set(self, "hostname", json_string(self->box->name));
    plan_request_set(self, "entrypoint", json_pack("[s]", PLAN_INIT));
    plan_request_set(self, "command", init_arguments(self, caps));
    plan_request_set(self, "user", json_string("0:0"));
    plan_request_set(self, "work_dir", json_string("/"));
    plan_request_set(self, "terminal", json_false());
    plan_request_set(self, "stdin", json_false());
    plan_request_set(self, "init", json_false());
    plan_request_set(self, "systemd", json_string("false"));
    plan_request_set(self, "sdnotifyMode", json_string("ignore"));
    plan_request_set(self, "restart_policy", json_string("no"));
    plan_request_set(self, "remove", json_false());
    plan_request_set(self, "stop_signal", json_integer(15)); /* SIGTERM */
    plan_request_set(self, "stop_timeout", json_integer(STOP_TIMEOUT));
    plan_request_set(self, "healthconfig", json_pack("{s:[s]}", "Test", "NONE"));
    plan_request_set(self, "image_volume_mode", json_string("ignore"));
    plan_request_set(self, "log_configuration",
                     json_pack("{s:s, s:i}", "driver", "k8s-file", "size", LOG_BYTES));
    add_capabilities(self, caps);
}

static json_t *namespace_mode(const char *mode)
{
    return json_pack("{s:s}", "nsmode", mode);
}

static void add_namespaces(plan_request *self)
{
    plan_request_set(self, "userns", namespace_mode("keep-id"));
    plan_request_set(self, "pidns", namespace_mode("private"));
    plan_request_set(self, "ipcns", namespace_mode("private"));
    plan_request_set(self, "utsns", namespace_mode("private"));
    plan_request_set(self, "cgroupns", namespace_mode("private"));
}

/*
 * A sandbox in the box mounts its own /proc. The kernel allows this in a user namespace only where
 * a /proc without anything mounted over its files exists already (mount_too_revealing() of
 * the kernel), and Podman mounts over parts of the box's /proc. So a second /proc is mounted
 * where only root of the box may enter; it satisfies the kernel, and the sessions' /proc stays
 * masked. A sandbox can then read what an unprivileged user of the host can read in /proc/keys,
 * /proc/bus and similar files; only root in the initial user namespace can write /proc/sys.
 *
 * Podman's seccomp profile allows user namespaces and mounts; box-init's filter denies them without
 * --nested.
 */
static gboolean add_nested(plan_request *self, GError **error)
{
    g_autofree char *source = plan_data_path(self->box, PLAN_DATA_NESTED);

    return plan_request_add_bind(self, source, PLAN_ROOT "/nested", FALSE, "Litterbox", error) &&
           plan_request_add_proc(self, PLAN_ROOT "/nested/proc", "Litterbox", error);
}

gboolean plan_request_add_security(plan_request *self, GError **error)
{
    const char *seccomp = self->wanted->security.seccomp;

    if (self->facts->uid == 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "root cannot have boxes; run 'box' as an ordinary user");
        return FALSE;
    }
    add_namespaces(self);
    plan_request_set(self, "privileged", json_false());
    plan_request_set(self, "no_new_privileges", json_true());
    plan_request_set(self, "env_host", json_false());
    plan_request_set(self, "httpproxy", json_false());
    /* With SELinux labels on, the host's folders would need new labels, even /usr. */
    plan_request_set(self, "selinux_opts", json_pack("[s]", "disable"));
    if (seccomp)
        plan_request_set(self, "seccomp_profile_path", json_string(seccomp));
    if (self->wanted->security.keep_groups)
        plan_request_set(self, "annotations",
                         json_pack("{s:s}", "run.oci.keep_original_groups", "1"));
    return !self->wanted->security.nested || add_nested(self, error);
}

/* Microseconds; the kernel's default (cgroups(7), cpu.max). */
#define CPU_PERIOD 100000

/* One warning for all limits that this machine cannot enforce: "limits.memory and limits.pids". */
static void warn_not_enforced(plan_request *self, const GPtrArray *names)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (names->len == 0)
        return;
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%slimits.%s",
                               i == 0               ? ""
                               : i + 1 < names->len ? ", "
                                                    : " and ",
                               (const char *)names->pdata[i]);
    plan_request_warn(
        self, "%s %s not enforced: the host has %s", text->str, names->len == 1 ? "is" : "are",
        !self->facts->cgroup_v2 ? "no cgroup v2 ('box doctor' says more)"
        : names->len == 1
            ? "not delegated that cgroup controller to you ('box doctor' says how)"
            : "not delegated those cgroup controllers to you ('box doctor' says how)");
}

static void add_memory(json_t *limits, gint64 bytes)
{
    /* "swap" is the sum of memory and swap, so the box gets no swap beyond its memory. */
    json_object_set_new(
        limits, "memory",
        json_pack("{s:I, s:I}", "limit", (json_int_t)bytes, "swap", (json_int_t)bytes));
}

char *plan_request_memory_share(const plan_request *self, int percent)
{
    gint64 bytes = self->wanted->limits.memory;

    return bytes > 0 ? g_strdup_printf("%" G_GINT64_FORMAT, bytes / 100 * percent)
                     : g_strdup_printf("%d%%", percent);
}

static void add_cpus(json_t *limits, double cpus)
{
    /* Rounded without llround(3), for which every start of `box` would load libm. */
    json_int_t quota = (json_int_t)(cpus * CPU_PERIOD + 0.5);
    json_object_set_new(limits, "cpu",
                        json_pack("{s:I, s:i}", "quota", quota, "period", CPU_PERIOD));
}

static void add_pids(json_t *limits, gint64 pids)
{
    json_object_set_new(limits, "pids", json_pack("{s:I}", "limit", (json_int_t)pids));
}

/* A limit without its cgroup controller is left out: crun would refuse to start the box, or ignore
 * the limit where it gets no cgroup at all. */
static json_t *resource_limits(plan_request *self)
{
    const settings *wanted = self->wanted;
    const plan_facts *facts = self->facts;
    g_autoptr(GPtrArray) missing = g_ptr_array_new();
    json_t *limits = json_object();

    if (wanted->limits.memory > 0 && facts->cgroup_v2 && facts->cgroup_memory)
        add_memory(limits, wanted->limits.memory);
    else if (wanted->limits.memory > 0)
        g_ptr_array_add(missing, (char *)"memory");
    if (wanted->limits.cpus > 0 && facts->cgroup_v2 && facts->cgroup_cpu)
        add_cpus(limits, wanted->limits.cpus);
    else if (wanted->limits.cpus > 0)
        g_ptr_array_add(missing, (char *)"cpus");
    if (wanted->limits.pids > 0 && facts->cgroup_v2 && facts->cgroup_pids)
        add_pids(limits, wanted->limits.pids);
    else if (wanted->limits.pids > 0)
        g_ptr_array_add(missing, (char *)"pids");
    warn_not_enforced(self, missing);
    return limits;
}

/* A process of the user cannot raise its hard limit (getrlimit(2)). */
static gboolean add_open_files(plan_request *self, gint64 files, GError **error)
{
    if (files <= 0)
        return TRUE;
    if ((guint64)files > self->facts->open_files) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "limits.nofile: %" G_GINT64_FORMAT " is more than your limit on this machine, "
                    "%" G_GUINT64_FORMAT " ('ulimit -Hn')",
                    files, self->facts->open_files);
        return FALSE;
    }
    plan_request_set(self, "r_limits",
                     json_pack("[{s:s, s:I, s:I}]", "type", "nofile", "hard", (json_int_t)files,
                               "soft", (json_int_t)files));
    return TRUE;
}

gboolean plan_request_add_limits(plan_request *self, GError **error)
{
    plan_request_set(self, "resource_limits", resource_limits(self));
    if (self->wanted->limits.shm > 0)
        plan_request_set(self, "shm_size", json_integer(self->wanted->limits.shm));
    return add_open_files(self, self->wanted->limits.nofile, error);
}
