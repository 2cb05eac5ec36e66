/*
 * Network modes, ports, names and sysctls.
 *
 * With mode "none" Podman copies the host's resolv.conf and hosts, in which the box could read the
 * host's names and addresses; so they are replaced by generated ones. With "open" the box cannot
 * reach the host's loopback interface: pasta(1) and slirp4netns(1) have several ways to it, and all
 * of them are turned off here.
 */
#include "plan/request.h"

#include "config/schema.h"
#include "proto/network_rules.h"

static gboolean podman_is_at_least(const plan_facts *facts, int major, int minor)
{
    return facts->podman_major > major ||
           (facts->podman_major == major && facts->podman_minor >= minor);
}

static void add_pasta(plan_request *self)
{
    json_t *options = json_pack("[s, s, s, s, s]", "-T", "none", "-U", "none", "--no-map-gw");

    /* Since 5.3 Podman maps 169.254.1.2 to the host unless it is told otherwise. */
    if (podman_is_at_least(self->facts, 5, 3)) {
        json_array_append_new(options, json_string("--map-guest-addr"));
        json_array_append_new(options, json_string("none"));
    }
    plan_request_set(self, "netns", json_pack("{s:s}", "nsmode", "pasta"));
    plan_request_set(self, "network_options", json_pack("{s:o}", "pasta", options));
}

static void add_slirp(plan_request *self)
{
    plan_request_set(self, "netns", json_pack("{s:s}", "nsmode", "slirp4netns"));
    plan_request_set(self, "network_options",
                     json_pack("{s:[s]}", "slirp4netns", "allow_host_loopback=false"));
}

static gboolean add_mode(plan_request *self, GError **error)
{
    switch (self->wanted->network.mode) {
    case NETWORK_NONE:
    case NETWORK_ASK:
    case NETWORK_FILTERED: /* the gate connects it from outside (host/gate/box_network.h) */
        plan_request_set(self, "netns", json_pack("{s:s}", "nsmode", "none"));
        return TRUE;
    case NETWORK_OPEN:
        if (podman_is_at_least(self->facts, 5, 0))
            add_pasta(self);
        else
            add_slirp(self);
        return TRUE;
    case NETWORK_HOST:
        plan_request_set(self, "netns", json_pack("{s:s}", "nsmode", "host"));
        return TRUE;
    }
    return FALSE;
}

static gboolean has_entries(char *const *list)
{
    return list && list[0];
}

#define LISTED "\"ask\" or \"filtered\""
#define OPEN "\"open\""
#define HOST_SYSCTLS "with \"host\" this machine's own settings hold"

/*
 * Keys of [network] and the modes in which they would have no effect, with the reason. Whoever cuts
 * a box off by "none" need not take back what a project, or the user's other file, lets it reach. A
 * box without a network can ping itself; one with "filtered" would do so for each name, as it has
 * their addresses itself (host/gate/box_addresses.c). network.tun and network.forwarding are about
 * networks that programs of the box make, in every mode.
 */
static const struct {
    const char *key, *needs;
    const char *why[NETWORK_HOST + 1]; /* by mode; NULL: it has an effect */
} mode_needs[] = {
    {"allow",
     LISTED,
     {[NETWORK_OPEN] = "with \"open\" everything is reached",
      [NETWORK_HOST] = "with \"host\" everything is reached"}},
    {"deny",
     LISTED,
     {[NETWORK_OPEN] = "with \"open\" everything is reached",
      [NETWORK_HOST] = "with \"host\" everything is reached"}},
    {"ask",
     LISTED,
     {[NETWORK_OPEN] = "with \"open\" nobody is asked",
      [NETWORK_HOST] = "with \"host\" nobody is asked"}},
    {"audit",
     LISTED,
     {[NETWORK_OPEN] = "with \"open\" nothing is refused or logged; 'boxes/NAME.toml' sets it for "
                       "one box",
      [NETWORK_HOST] = "with \"host\" nothing is refused or logged; 'boxes/NAME.toml' sets it for "
                       "one box"}},
    {"ech",
     LISTED,
     {[NETWORK_OPEN] = "with \"open\" no connection is looked into",
      [NETWORK_HOST] = "with \"host\" no connection is looked into"}},
    {"connections",
     LISTED,
     {[NETWORK_OPEN] = "with \"open\" nobody counts them",
      [NETWORK_HOST] = "with \"host\" nobody counts them"}},
    {"ports",
     OPEN,
     {[NETWORK_FILTERED] = "other boxes have no ports; 'box port' forwards to them",
      [NETWORK_HOST] = "with \"host\" the box uses the host's ports directly"}},
    {"dns",
     OPEN " or \"host\"",
     {[NETWORK_FILTERED] = "where rules say what is reached, this machine resolves the names"}},
    {"ping",
     OPEN,
     {[NETWORK_FILTERED] = "where rules say what is reached, nothing but TCP leaves the box",
      [NETWORK_HOST] = HOST_SYSCTLS}},
    {"forwarding", "\"none\", \"filtered\", \"ask\" or \"open\"", {[NETWORK_HOST] = HOST_SYSCTLS}},
};

static gboolean is_set(const schema_key *row, const settings *wanted)
{
    const void *field = schema_field_const(row, wanted);
    if (row->kind == SCHEMA_BOOL)
        return *(const gboolean *)field;
    if (row->kind == SCHEMA_INT)
        return *(const gint64 *)field != NETWORK_CONNECTIONS;
    if (row->kind == SCHEMA_PORTS) {
        const GPtrArray *ports = *(GPtrArray *const *)field;
        return ports && ports->len > 0;
    }
    g_assert(row->kind == SCHEMA_LIST);
    return has_entries(*(char **const *)field);
}

/* What would not be enforced is refused. */
static gboolean check_mode(const settings *wanted, GError **error)
{
    /* Of a file, it is made into the other one (config_complete_network()). */
    enum network_mode mode =
        wanted->network.mode == NETWORK_ASK ? NETWORK_FILTERED : wanted->network.mode;
    for (gsize i = 0; i < G_N_ELEMENTS(mode_needs); i++) {
        const char *why = mode_needs[i].why[mode];
        if (!why || !is_set(schema_find("network", mode_needs[i].key), wanted))
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "network.%s needs network.mode = %s: %s; 'box config show' says which file "
                    "each of them is from",
                    mode_needs[i].key, mode_needs[i].needs, why);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_rules(const settings *wanted, GError **error)
{
    guint count = (wanted->network.allow ? g_strv_length(wanted->network.allow) : 0) +
                  (wanted->network.deny ? g_strv_length(wanted->network.deny) : 0);
    if (count <= NETWORK_RULES_MAX)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "network.allow and network.deny have more than %d entries", NETWORK_RULES_MAX);
    return FALSE;
}

static void add_ports(plan_request *self)
{
    const GPtrArray *ports = self->wanted->network.ports;
    json_t *list = json_array();

    plan_request_set(self, "portmappings", list);
    plan_request_set(self, "publish_image_ports", json_false());
    if (self->wanted->network.mode == NETWORK_NONE)
        return;
    for (guint i = 0; ports && i < ports->len; i++) {
        const port_mapping *port = ports->pdata[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:i, s:s}", "host_ip",
                                        port->host_ip ? port->host_ip : "127.0.0.1", "host_port",
                                        (int)port->host_port, "container_port", (int)port->box_port,
                                        "protocol", port->udp ? "udp" : "tcp"));
    }
}

static gboolean needs_own_resolv_conf(const settings *wanted)
{
    return wanted->network.mode == NETWORK_NONE || wanted->network.mode == NETWORK_FILTERED ||
           has_entries(wanted->network.dns);
}

/* The root folder of the host image has these files already (prepare_host_image.c). */
static gboolean add_names(plan_request *self, GError **error)
{
    g_autofree char *hosts = plan_data_path(self->box, PLAN_DATA_ETC "/hosts");
    g_autofree char *resolv = plan_data_path(self->box, PLAN_DATA_ETC "/resolv.conf");

    plan_request_set(self, "use_image_hosts", json_true());
    if (needs_own_resolv_conf(self->wanted))
        plan_request_set(self, "use_image_resolve_conf", json_true());
    if (!self->box->image)
        return TRUE;
    if (!plan_request_add_bind(self, hosts, "/etc/hosts", FALSE, "the box's hosts", error))
        return FALSE;
    return !needs_own_resolv_conf(self->wanted) ||
           plan_request_add_bind(self, resolv, "/etc/resolv.conf", FALSE, "the box's DNS", error);
}

/* A folder, in which a secret that is attached later finds its place (box/helpers/secrets.h). */
static gboolean add_certificates(plan_request *self, GError **error)
{
    g_autofree char *folder = plan_data_path(self->box, PLAN_DATA_CERTIFICATES);
    return self->wanted->network.mode != NETWORK_FILTERED ||
           plan_request_add_bind(self, folder, PLAN_CERTIFICATES, FALSE, "the box's certificates",
                                 error);
}

/* In the host's network namespace these sysctls are the host's: check_mode(). */
static void add_sysctls(plan_request *self)
{
    json_t *sysctl = json_object();

    if (self->wanted->network.ping) {
        g_autofree char *range = g_strdup_printf("%u %u", self->facts->gid, self->facts->gid);
        json_object_set_new(sysctl, "net.ipv4.ping_group_range", json_string(range));
    }
    if (self->wanted->network.forwarding) {
        json_object_set_new(sysctl, "net.ipv4.ip_forward", json_string("1"));
        json_object_set_new(sysctl, "net.ipv6.conf.all.forwarding", json_string("1"));
    }
    plan_request_set(self, "sysctl", sysctl);
}

gboolean plan_request_add_network(plan_request *self, GError **error)
{
    if (!check_mode(self->wanted, error) || !check_rules(self->wanted, error) ||
        !add_mode(self, error) || !add_names(self, error) || !add_certificates(self, error))
        return FALSE;
    add_ports(self);
    add_sysctls(self);
    if (self->wanted->network.mode == NETWORK_FILTERED && self->wanted->network.audit)
        plan_request_warn(self, "network.audit is true: the box reaches every name that no rule "
                                "denies, and the log has what the rules would have refused");
    return TRUE;
}
