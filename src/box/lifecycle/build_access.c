#include "box/lifecycle/build_access.h"

#include "console/log.h"
#include "proto/network_rules.h"
#include "proto/session_notice.h"

static gboolean open_access(build_access *self, const settings *limits, GError **error)
{
    g_autofree char *folder = gate_build_folder(self->box, error);
    self->network = folder ? build_network_open(folder, error) : NULL;
    self->wants_gate = limits->network.mode != NETWORK_NONE;
    if (!self->network || !self->wants_gate)
        return self->network != NULL;
    self->has_gate =
        gate_build_open(self->box, limits, build_network_process(self->network), error);
    if (self->has_gate)
        notice_listener_begin(&self->notices, NOTICE_NO_TERMINAL);
    return self->has_gate;
}

gboolean build_access_open(build_access *self, const struct box *of, const settings *limits,
                           GError **error)
{
    *self = (build_access){.box = limits ? of : NULL};
    notice_listener_init(&self->notices, of);
    if (!limits || open_access(self, limits, error))
        return TRUE;
    g_prefix_error(error, "nothing was built for box '%s': the network of its build cannot be %s: ",
                   of->name, limits->network.mode == NETWORK_NONE ? "cut off" : "filtered");
    return FALSE;
}

void build_access_apply(const build_access *self, podman_build *request)
{
    request->network = self->network ? build_network_path(self->network) : NULL;
    request->nameserver = self->has_gate ? FAKE_SERVER_TEXT : NULL;
}

/* The steps would wait for a network that does not come back. */
static void keep_gate(build_access *self)
{
    g_autoptr(GError) problem = NULL;
    if (self->is_broken ||
        gate_build_ensure_running(self->box, build_network_process(self->network), &problem))
        return;
    self->is_broken = TRUE;
    log_warning("the network of the build has ended: %s", problem->message);
    podman_cancel();
}

char *build_access_tick(build_access *self)
{
    char *text = NULL;
    if (self->has_gate)
        keep_gate(self);
    return self->notices.fd >= 0 && notice_listener_read(&self->notices, &text) ? text : NULL;
}

void build_access_clear(build_access *self)
{
    gboolean was_set_up = self->network && (self->has_gate || !self->wants_gate);
    notice_listener_end(&self->notices);
    g_clear_pointer(&self->network, build_network_close);
    /* When it could not be set up, the logs say why. */
    if (was_set_up)
        gate_build_close(self->box);
}
