#include "box/helpers/gate.h"

#include <unistd.h>

#include "box/registry/runtime_config.h"
#include "common/fs.h"
#include "console/log.h"
#include "host/supervisor/helper_start.h"
#include "proto/network_rules.h"

/* The names that the box has asked for, in its data folder: they outlive its container. */
#define NAMES_FILE "network-names"

static const struct helper gate = {
    .name = "gate", .program = "litterbox-gate", .timeout_ms = 10000};

static char *rules_path(const struct box *self)
{
    return g_build_filename(self->runtime, NETWORK_RULES_FILE, NULL);
}

static gboolean start_gate(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *run = g_strdup_printf("%d", (int)pid);
    g_autofree char *names = g_build_filename(self->data, NAMES_FILE, NULL);
    const char *arguments[] = {self->runtime, run, names, NULL};
    struct helper_request request = {self->runtime, pid, arguments};
    enum helper_status status = helper_start(&gate, &request, NULL, error);
    if (status == HELPER_READY || status == HELPER_RUNNING)
        return TRUE;
    if (status != HELPER_NOT_READY) {
        g_autofree char *log = helper_log_path(&gate, self->runtime);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the gate has ended; '%s' may say why",
                    log);
    }
    return FALSE;
}

static gboolean write_rules(const struct box *self, const settings *known, GError **error)
{
    g_autofree char *path = rules_path(self);
    g_autoptr(GString) text = g_string_new(NULL);
    for (char **rule = known->network.allow; rule && *rule; rule++)
        g_string_append_printf(text, "allow %s\n", *rule);
    for (char **rule = known->network.deny; rule && *rule; rule++)
        g_string_append_printf(text, "deny %s\n", *rule);
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

gboolean gate_open(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *path = rules_path(self);
    g_autoptr(GError) problem = NULL;
    g_autoptr(runtime_config) known = runtime_config_read(self);
    if (known && known->settings->network.mode != NETWORK_FILTERED) {
        unlink(path);
        return TRUE;
    }
    if (!known)
        g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED,
                    "its runtime configuration cannot be read");
    else if (write_rules(self, known->settings, &problem) && start_gate(self, pid, &problem))
        return TRUE;
    g_propagate_prefixed_error(
        error, g_steal_pointer(&problem),
        "box '%s' was not started: its network cannot be filtered: ", self->name);
    return FALSE;
}

void gate_ensure_running(const struct box *self, pid_t pid)
{
    g_autofree char *path = rules_path(self);
    g_autoptr(GError) problem = NULL;
    if (access(path, F_OK) == 0 && !helper_is_supervised(&gate, self->runtime, pid) &&
        !start_gate(self, pid, &problem))
        log_warning("%s; box '%s' has no network", problem->message, self->name);
}
