#include "box/lifecycle/network_list.h"

#include "box/helpers/gate.h"
#include "box/helpers/gate_list.h"
#include "box/lifecycle/container.h"
#include "box/registry/runtime_config.h"

char *network_list_text(const struct box *self, const settings *next, gboolean *running,
                        GPtrArray *missing, GError **error)
{
    pid_t init = box_find_init(self);
    g_autoptr(runtime_config) now = init ? runtime_config_read(self) : NULL;
    const settings *known = now ? now->settings : next;
    *running = init > 0;
    if (known->network.mode != NETWORK_FILTERED)
        return NULL;
    return init ? gate_held_rules(self, init, error)
                : gate_list_text(self, known, GATE_LIST_NEXT, missing, error);
}
