#include "cli/commands/attach.h"

#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/lifecycle.h"
#include "common/text.h"
#include "config/config.h"

/* What the agent could offer: its own keys and those of the real one. */
static json_t *offered(const settings *wanted, GError **error)
{
    g_autofree char *upstream = agent_upstream_socket(wanted);
    return agent_call(json_pack("{s:s, s:s}", "op", "keys", "upstream", upstream ? upstream : ""),
                      TRUE, error);
}

static gboolean is_called(const json_t *key, const char *name)
{
    return g_strcmp0(json_string_value(json_object_get(key, "fingerprint")), name) == 0 ||
           g_strcmp0(json_string_value(json_object_get(key, "label")), name) == 0;
}

/* The only one of that name; NULL with ERROR. Owned by KEYS. */
static json_t *choose(json_t *keys, const char *name, GError **error)
{
    json_t *each, *found = NULL;
    size_t i;
    guint count = 0;
    g_autofree char *safe = text_safe(name, -1);
    json_array_foreach (keys, i, each) {
        if (!is_called(each, name))
            continue;
        found = each;
        count++;
    }
    if (count == 1)
        return found;
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                count ? "more than one key is called '%s': name one by its fingerprint"
                      : "no key is called '%s': 'ssh-add -l' lists those of your agent, 'box keys "
                        "list' Litterbox's own",
                safe);
    return NULL;
}

/* A running box that had no keys may not be known to the agent yet. */
static void make_known(const struct box *self, const settings *wanted)
{
    int connection = box_connect(self);
    if (connection < 0)
        return;
    agent_open_box(self, wanted, connection);
    close(connection);
}

gboolean attach_key(const struct box *self, const char *key, GError **error)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, error);
    json_t *answer = read ? offered(config_settings(read), error) : NULL;
    json_t *found = answer ? choose(json_object_get(answer, "keys"), key, error) : NULL;
    json_t *done = NULL;
    if (found)
        done = agent_call(
            json_pack("{s:s, s:s, s:[O]}", "op", "attach", "box", self->name, "keys", found), TRUE,
            error);
    if (done)
        make_known(self, config_settings(read));
    json_decref(answer);
    json_decref(done);
    return done != NULL;
}

gboolean detach_key(const struct box *self, const char *key, GError **error)
{
    json_t *done = agent_call(
        json_pack("{s:s, s:s, s:s}", "op", "detach", "box", self->name, "key", key), TRUE, error);
    json_decref(done);
    return done != NULL;
}
