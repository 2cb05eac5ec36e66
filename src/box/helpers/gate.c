#include "box/helpers/gate.h"

#include <unistd.h>

#include "box/helpers/gate_answers.h"
#include "box/helpers/gate_build.h"
#include "box/helpers/gate_seat.h"
#include "box/helpers/package_hosts.h"
#include "box/helpers/secrets.h"
#include "box/registry/runtime_config.h"
#include "console/log.h"

/* The names that the box has asked for, in its data folder: they outlive its container. */
#define NAMES_FILE "network-names"

static gate_seat seat_of(const struct box *self, pid_t pid)
{
    return (gate_seat){.box = self,
                       .folder = g_strdup(self->runtime),
                       .names = g_build_filename(self->data, NAMES_FILE, NULL),
                       .pid = pid};
}

char *gate_held_rules(const struct box *self, pid_t pid, GError **error)
{
    g_auto(gate_seat) seat = seat_of(self, pid);
    return gate_seat_ask_for_text(&seat, GATE_LIST_RULES, NETWORK_RULES_FILE_MAX, error);
}

/* Of 1,024 connections. */
#define CONNECTIONS_TEXT_MAX (1024 * 1024)

char *gate_connections(const struct box *self, pid_t pid, GError **error)
{
    g_auto(gate_seat) seat = seat_of(self, pid);
    return gate_seat_ask_for_text(&seat, GATE_LIST_CONNECTIONS, CONNECTIONS_TEXT_MAX, error);
}

gboolean gate_update(const struct box *self, pid_t pid, GError **error)
{
    g_auto(gate_seat) seat = seat_of(self, pid ? pid : gate_seat_holder_run(self->runtime));
    g_autoptr(GError) of_build = NULL;
    gboolean done = TRUE, build_done;
    if (seat.pid) {
        secrets_check_rules(self, seat.pid);
        done = gate_seat_update(&seat, error);
    }
    /* Neither keeps a rule from the other. */
    build_done = gate_build_update(self, &of_build);
    if (done && !build_done)
        g_propagate_prefixed_error(error, g_steal_pointer(&of_build), "the build of its image: ");
    return done && build_done;
}

static gboolean open_filtered(const struct box *self, const char *id, pid_t pid,
                              const settings *known, GError **error)
{
    g_auto(gate_seat) seat = seat_of(self, pid);
    if (known->network.audit) /* the user may have forgotten it */
        log_warning("network.audit is true: box '%s' reaches every name that no rule denies",
                    self->name);
    if (!package_hosts_choose(self, id, error) || !gate_answers_begin(self, error) ||
        !gate_seat_write_rules(&seat, known, error))
        return FALSE;
    secrets_open(self, pid);
    return gate_seat_start(&seat, error);
}

gboolean gate_open(const struct box *self, const char *id, pid_t pid, GError **error)
{
    g_auto(gate_seat) seat = seat_of(self, pid);
    g_autofree char *path = gate_seat_rules_path(&seat);
    g_autoptr(GError) problem = NULL;
    g_autoptr(runtime_config) known = runtime_config_read(self);
    if (known && known->settings->network.mode != NETWORK_FILTERED) {
        unlink(path);
        secrets_close(self);
        return TRUE;
    }
    if (!known)
        g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED,
                    "its runtime configuration cannot be read");
    else if (open_filtered(self, id, pid, known->settings, &problem))
        return TRUE;
    g_propagate_prefixed_error(
        error, g_steal_pointer(&problem),
        "box '%s' was not started: its network cannot be filtered: ", self->name);
    return FALSE;
}

void gate_ensure_running(const struct box *self, pid_t pid)
{
    secrets_ensure_running(self, pid);
    g_auto(gate_seat) seat = seat_of(self, pid);
    g_autofree char *path = gate_seat_rules_path(&seat);
    g_autoptr(GError) problem = NULL;
    if (access(path, F_OK) == 0 && !gate_seat_is_supervised(&seat) &&
        !gate_seat_start(&seat, &problem))
        log_warning("%s; box '%s' has no network", problem->message, self->name);
}
