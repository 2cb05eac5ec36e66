#include "box/helpers/gate_build.h"

#include "box/helpers/gate_answers.h"
#include "box/helpers/gate_seat.h"
#include "common/fs.h"
#include "console/log.h"
#include "host/supervisor/helper_stop.h"

static gate_seat seat_of_build(const struct box *self, pid_t process)
{
    return (gate_seat){
        .box = self,
        .folder = g_build_filename(self->runtime, GATE_BUILD_FOLDER, NULL),
        .names = g_build_filename(self->runtime, GATE_BUILD_FOLDER, "network-names", NULL),
        .pid = process,
        .is_build = TRUE};
}

char *gate_build_folder(const struct box *self, GError **error)
{
    g_auto(gate_seat) seat = seat_of_build(self, 0);
    if (!helper_stop_all(seat.folder)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the gate of an earlier build of box '%s' does not end", self->name);
        return NULL;
    }
    fs_remove_tree(seat.folder, NULL);
    return fs_make_folder(seat.folder, 0700, error) ? g_steal_pointer(&seat.folder) : NULL;
}

gboolean gate_build_open(const struct box *self, const settings *wanted, pid_t process,
                         GError **error)
{
    g_auto(gate_seat) seat = seat_of_build(self, process);
    if (wanted->network.audit)
        log_warning("network.audit is true: the build reaches every name that no rule denies");
    /* Those of a run that has ended hold no more. */
    if (!gate_seat_holder_run(self->runtime) && !gate_answers_begin(self, error))
        return FALSE;
    return gate_seat_write_config(&seat, wanted, error) &&
           gate_seat_write_rules(&seat, wanted, error) && gate_seat_start(&seat, error);
}

gboolean gate_build_ensure_running(const struct box *self, pid_t process, GError **error)
{
    g_auto(gate_seat) seat = seat_of_build(self, process);
    return gate_seat_is_supervised(&seat) || gate_seat_start(&seat, error);
}

void gate_build_close(const struct box *self)
{
    g_auto(gate_seat) seat = seat_of_build(self, 0);
    if (helper_stop_all(seat.folder))
        fs_remove_tree(seat.folder, NULL);
}

gboolean gate_build_update(const struct box *self, GError **error)
{
    g_auto(gate_seat) seat = seat_of_build(self, 0);
    seat.pid = gate_seat_holder_run(seat.folder);
    if (seat.pid)
        return gate_seat_update(&seat, error);
    /* Its gate may have died, and be started again with what is there. */
    gate_seat_renew_rules(&seat);
    return TRUE;
}
