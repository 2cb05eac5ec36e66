#include "ssh-agent/agent/agent_box.h"

#include <string.h>

#include "ssh-agent/agent/attached_keys.h"
#include "ssh-agent/agent/prompt_client.h"

#define NAME_MAX_LENGTH 63

gboolean agent_box_is_name(const char *name)
{
    return name && *name && *name != '.' && strlen(name) <= NAME_MAX_LENGTH &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-")];
}

void agent_box_reload(agent_box *self)
{
    g_autoptr(GPtrArray) before = self->attached;
    g_autoptr(GError) error = NULL;
    self->attached = attached_keys_new();
    if (!attached_keys_read(self->attached, self->attached_name, &error))
        g_message("box '%s' has none of its attached keys: %s", self->name, error->message);
    self->keys_version++;
    for (guint i = 0; i < before->len; i++) {
        const attached_key *each = before->pdata[i];
        /* Also where a label of the configuration might mean the same key: that was not approved.
         */
        if (!attached_keys_contain(self->attached, each->fingerprint) &&
            !attached_keys_contain(self->keys, each->fingerprint))
            grants_clear(self->agent->grants, self->name, each->fingerprint);
    }
}

void agent_box_reload_all(agent *owner)
{
    GHashTableIter iter;
    gpointer box;
    g_hash_table_iter_init(&iter, owner->boxes);
    while (g_hash_table_iter_next(&iter, NULL, &box))
        agent_box_reload(box);
}

char *agent_box_label(const agent_box *self, const char *fingerprint, const char *comment,
                      gsize length)
{
    char *label = attached_keys_label(self->attached, fingerprint, comment, length);
    return label ? label : attached_keys_label(self->keys, fingerprint, comment, length);
}

question *agent_box_question(const agent_box *self, enum question_kind kind, const char *headline)
{
    question *asked = question_new(kind, self->name, self->project);
    question_set_headline(asked, headline);
    prompt_client_identify(self->agent, asked);
    return asked;
}
