/*
 * Network modes, ports, names and sysctls.
 *
 * With mode "none" Podman copies the host's resolv.conf and hosts, in which the box could read the
 * host's names and addresses; so they are replaced by generated ones. With "open" the box cannot
 * reach the host's loopback interface: pasta(1) and slirp4netns(1) have several ways to it, and all
 * of them are turned off here.
 */
#include "plan/request.h"

#include <string.h>

#include "common/text.h"
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

/* What would not be enforced is refused. */
static gboolean check_rules(const settings *wanted, GError **error)
{
    enum network_mode mode = wanted->network.mode;
    gboolean has_rules = has_entries(wanted->network.allow) || has_entries(wanted->network.deny);
    if (has_rules && (mode == NETWORK_OPEN || mode == NETWORK_HOST))
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_CONFIG,
            "network.allow and network.deny need network.mode = \"ask\" or \"filtered\": with "
            "\"%s\" they would be ignored",
            mode == NETWORK_OPEN ? "open" : "host");
    else if (wanted->network.ask && (mode == NETWORK_OPEN || mode == NETWORK_HOST))
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "network.ask needs network.mode = \"filtered\": with \"%s\" nobody is asked",
                    mode == NETWORK_OPEN ? "open" : "host");
    else if (wanted->network.audit && (mode == NETWORK_OPEN || mode == NETWORK_HOST))
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_CONFIG,
            "network.audit needs network.mode = \"ask\" or \"filtered\": with \"%s\" nothing is refused "
            "or logged; 'boxes/NAME.toml' sets it for one box",
            mode == NETWORK_OPEN ? "open" : "host");
    else if (has_entries(wanted->network.dns) && mode == NETWORK_FILTERED)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_CONFIG,
            "network.dns needs network.mode = \"open\": where rules say what is reached, this "
            "machine resolves the names");
    else if (g_strv_length(wanted->network.allow ? wanted->network.allow : (char *[]){NULL}) +
                 g_strv_length(wanted->network.deny ? wanted->network.deny : (char *[]){NULL}) >
             NETWORK_RULES_MAX)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "network.allow and network.deny have more than %d entries", NETWORK_RULES_MAX);
    else
        return TRUE;
    return FALSE;
}

static gboolean add_ports(plan_request *self, GError **error)
{
    const GPtrArray *ports = self->wanted->network.ports;
    json_t *list = json_array();

    plan_request_set(self, "portmappings", list);
    plan_request_set(self, "publish_image_ports", json_false());
    if (!ports || ports->len == 0)
        return TRUE;
    if (self->wanted->network.mode != NETWORK_OPEN) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "network.ports needs network.mode = \"open\": %s",
                    self->wanted->network.mode == NETWORK_HOST
                        ? "with \"host\" the box uses the host's ports directly"
                        : "other boxes have no ports; 'box port' forwards to them");
        return FALSE;
    }
    for (guint i = 0; i < ports->len; i++) {
        const port_mapping *port = ports->pdata[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:i, s:s}", "host_ip",
                                        port->host_ip ? port->host_ip : "127.0.0.1", "host_port",
                                        (int)port->host_port, "container_port", (int)port->box_port,
                                        "protocol", port->udp ? "udp" : "tcp"));
    }
    return TRUE;
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

static void add_sysctls(plan_request *self)
{
    json_t *sysctl = json_object();

    /* In the host's network namespace these sysctls are the host's. */
    if (self->wanted->network.mode != NETWORK_HOST) {
        if (self->wanted->network.ping) {
            g_autofree char *range = g_strdup_printf("%u %u", self->facts->gid, self->facts->gid);
            json_object_set_new(sysctl, "net.ipv4.ping_group_range", json_string(range));
        }
        if (self->wanted->network.forwarding) {
            json_object_set_new(sysctl, "net.ipv4.ip_forward", json_string("1"));
            json_object_set_new(sysctl, "net.ipv6.conf.all.forwarding", json_string("1"));
        }
    } else if (self->wanted->network.ping || self->wanted->network.forwarding) {
        plan_request_warn(self,
                          "network.ping and network.forwarding do nothing with network.mode = "
                          "\"host\": the host's sysctls apply");
    }
    plan_request_set(self, "sysctl", sysctl);
}

gboolean plan_request_add_network(plan_request *self, GError **error)
{
    if (!check_rules(self->wanted, error) || !add_mode(self, error) || !add_ports(self, error) ||
        !add_names(self, error) || !add_certificates(self, error))
        return FALSE;
    add_sysctls(self);
    if (self->wanted->network.mode == NETWORK_FILTERED && self->wanted->network.audit)
        plan_request_warn(self, "network.audit is true: the box reaches every name that no rule "
                                "denies, and the log has what the rules would have refused");
    return TRUE;
}
