/*
 * What runs in the container: box-init and nothing else.
 *
 * An image's config may name an entrypoint, a command, a user, a work folder, a stop signal, a
 * health check, volumes: all of them are said here, so that none of the image's counts.
 */
#include "plan/draft.h"

/* Seconds that box-init gets to end its sessions. */
#define STOP_TIMEOUT 5
/* box-init says little; a box must not fill the disk through its log. */
#define LOG_BYTES (1 << 20)

/* What a root session may hold (sudo, or `box run -u root` from the host): Podman's default set. */
static const char *const root_caps[] = {
    "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",       "NET_BIND_SERVICE",
    "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT",
};
/* What box-init needs to start sessions as the user, with nothing left to them; and, for its guard
 * of reserved names, to look into the processes whose calls it does. */
static const char *const init_caps[] = {"KILL", "SETGID", "SETPCAP", "SETUID", "SYS_PTRACE"};

static gboolean holds(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)names, name, g_str_equal, NULL);
}

/* Names without "CAP_", each once. Static strings and those of the settings. */
static GPtrArray *session_root_caps(const settings *wanted)
{
    GPtrArray *caps = g_ptr_array_new();

    for (gsize i = 0; i < G_N_ELEMENTS(root_caps); i++)
        g_ptr_array_add(caps, (char *)root_caps[i]);
    if (wanted->security.sudo == SUDO_DENY)
        return caps;
    for (char **extra = wanted->security.capabilities; extra && *extra; extra++)
        if (!holds(caps, *extra))
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

static const char *shell(const plan_draft *self)
{
    if (self->wanted->box.shell)
        return self->wanted->box.shell;
    /* An image need not have the shell of the host. box-init falls back to /bin/sh. */
    return self->facts->shell ? self->facts->shell : "/bin/sh";
}

static json_t *init_arguments(const plan_draft *self, const GPtrArray *caps)
{
    static const char *const sudo[] = {
        [SUDO_DENY] = "deny", [SUDO_ASK] = "ask", [SUDO_ALLOW] = "allow"};
    const plan_facts *facts = self->facts;
    const settings *wanted = self->wanted;
    json_t *list = json_array();

    append_number(list, "--uid", facts->uid);
    append_number(list, "--gid", facts->gid);
    append(list, "--user", facts->user);
    append(list, "--home", facts->home);
    append(list, "--shell", shell(self));
    append(list, "--workdir", wanted->box.workdir ? wanted->box.workdir : self->box->project);
    if (wanted->box.idle_stop == SETTINGS_NEVER)
        append(list, "--idle", "never");
    else
        append_number(list, "--idle", wanted->box.idle_stop);
    append(list, "--sudo", sudo[wanted->security.sudo]);
    if (caps->len > 0) {
        g_autoptr(GString) names = g_string_new(NULL);
        for (guint i = 0; i < caps->len; i++)
            g_string_append_printf(names, "%s%s", i ? "," : "", (char *)caps->pdata[i]);
        append(list, "--caps", names->str);
    }
    for (guint i = 0; i < self->reserved->len; i++)
        append(list, "--reserve", self->reserved->pdata[i]);
    if (wanted->security.nested)
        append(list, "--nested", NULL);
    if (wanted->security.keep_groups)
        append(list, "--keep-groups", NULL);
    return list;
}

static void add_capabilities(plan_draft *self, const GPtrArray *caps)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    json_t *add = json_array();

    for (gsize i = 0; i < G_N_ELEMENTS(init_caps); i++)
        g_ptr_array_add(all, (char *)init_caps[i]);
    for (guint i = 0; i < caps->len; i++)
        if (!holds(all, caps->pdata[i]))
            g_ptr_array_add(all, caps->pdata[i]);
    for (guint i = 0; i < all->len; i++) {
        g_autofree char *name = g_strconcat("CAP_", all->pdata[i], NULL);
        json_array_append_new(add, json_string(name));
    }
    plan_set(self, "cap_drop", json_pack("[s]", "all"));
    plan_set(self, "cap_add", add);
}

void plan_add_process(plan_draft *self)
{
    g_autoptr(GPtrArray) caps = session_root_caps(self->wanted);

    plan_set(self, "name", json_string(self->box->container));
    plan_set(self, "hostname", json_string(self->box->name));
    plan_set(self, "entrypoint", json_pack("[s]", PLAN_INIT));
    plan_set(self, "command", init_arguments(self, caps));
    plan_set(self, "user", json_string("0:0"));
    plan_set(self, "work_dir", json_string("/"));
    plan_set(self, "terminal", json_false());
    plan_set(self, "stdin", json_false());
    plan_set(self, "init", json_false());
    plan_set(self, "systemd", json_string("false"));
    plan_set(self, "sdnotifyMode", json_string("ignore"));
    plan_set(self, "restart_policy", json_string("no"));
    plan_set(self, "remove", json_false());
    plan_set(self, "stop_signal", json_integer(15)); /* SIGTERM */
    plan_set(self, "stop_timeout", json_integer(STOP_TIMEOUT));
    plan_set(self, "healthconfig", json_pack("{s:[s]}", "Test", "NONE"));
    plan_set(self, "image_volume_mode", json_string("ignore"));
    plan_set(self, "log_configuration",
             json_pack("{s:s, s:i}", "driver", "k8s-file", "size", LOG_BYTES));
    add_capabilities(self, caps);
}
