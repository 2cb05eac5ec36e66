#include "ssh-agent/agent/grants.h"

#include <string.h>

struct grants {
    GPtrArray *list; /* of grant */
    guint64 last_id;
    gint64 asleep; /* how long the machine has slept, microseconds; -1: not known yet */
};

/* Two clocks that are read one after the other differ by less than this, in microseconds. */
#define CLOCK_TOLERANCE ((gint64)G_USEC_PER_SEC / 10)
/* Live grants of all boxes; the oldest goes for a new one. */
#define GRANTS_MAX 256

void grant_scope_clear(grant_scope *self)
{
    g_clear_pointer(&self->box, g_free);
    g_clear_pointer(&self->key, g_free);
    g_clear_pointer(&self->user, g_free);
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->name_space, g_free);
    g_clear_pointer(&self->host_name, g_free);
}

static void grant_free(gpointer data)
{
    grant *self = data;
    grant_scope_clear(&self->scope);
    g_free(self->scope_text);
    g_free(self);
}

grants *grants_new(void)
{
    grants *self = g_new0(grants, 1);
    self->list = g_ptr_array_new_with_free_func(grant_free);
    self->asleep = -1;
    return self;
}

void grants_free(grants *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->list);
    g_free(self);
}

static gboolean same_scope(const grant_scope *a, const grant_scope *b)
{
    return a->purpose == b->purpose && g_strcmp0(a->box, b->box) == 0 &&
           g_strcmp0(a->key, b->key) == 0 && g_strcmp0(a->user, b->user) == 0 &&
           g_strcmp0(a->host, b->host) == 0 && g_strcmp0(a->name_space, b->name_space) == 0;
}

/* An incomplete scope would cover more than the user was asked about. */
static gboolean is_complete(const grant_scope *scope)
{
    if (!scope->box || !scope->key)
        return FALSE;
    return scope->purpose == GRANT_LOGIN ? scope->user && scope->host && !scope->name_space
                                         : scope->name_space && !scope->user && !scope->host;
}

static gboolean is_live(const grant *self, gint64 now)
{
    return self->uses < self->most && (self->until == 0 || now < self->until);
}

static void drop_expired(grants *self, gint64 now)
{
    for (guint i = self->list->len; i > 0; i--) {
        if (!is_live(self->list->pdata[i - 1], now))
            g_ptr_array_remove_index(self->list, i - 1);
    }
}

guint64 grants_add(grants *self, const grant_scope *scope, const char *scope_text, gint64 until,
                   guint64 most)
{
    if (!is_complete(scope) || most == 0)
        return 0;
    if (self->list->len >= GRANTS_MAX)
        g_ptr_array_remove_index(self->list, 0);
    grant *made = g_new0(grant, 1);
    made->id = ++self->last_id;
    made->scope =
        (grant_scope){g_strdup(scope->box),      g_strdup(scope->key),  scope->purpose,
                      g_strdup(scope->user),     g_strdup(scope->host), g_strdup(scope->name_space),
                      g_strdup(scope->host_name)};
    made->scope_text = g_strdup(scope_text);
    made->until = until;
    made->most = most;
    g_ptr_array_add(self->list, made);
    return made->id;
}

const grant *grants_use(grants *self, const grant_scope *scope, gint64 now)
{
    if (!is_complete(scope))
        return NULL;
    for (guint i = 0; i < self->list->len; i++) {
        grant *each = self->list->pdata[i];
        if (!is_live(each, now) || !same_scope(&each->scope, scope))
            continue;
        each->uses++;
        each->used = now;
        return each;
    }
    return NULL;
}

gboolean grants_hold(const grants *self, guint64 id, gint64 now)
{
    for (guint i = 0; i < self->list->len; i++) {
        const grant *each = self->list->pdata[i];
        if (each->id == id)
            return each->until == 0 || now < each->until;
    }
    return FALSE;
}

gboolean grants_revoke(grants *self, guint64 id)
{
    for (guint i = 0; i < self->list->len; i++) {
        const grant *each = self->list->pdata[i];
        if (each->id != id)
            continue;
        g_ptr_array_remove_index(self->list, i);
        return TRUE;
    }
    return FALSE;
}

guint grants_clear(grants *self, const char *box, const char *key)
{
    guint cleared = 0;
    for (guint i = self->list->len; i > 0; i--) {
        const grant *each = self->list->pdata[i - 1];
        if ((box && strcmp(each->scope.box, box) != 0) ||
            (key && strcmp(each->scope.key, key) != 0))
            continue;
        g_ptr_array_remove_index(self->list, i - 1);
        cleared++;
    }
    return cleared;
}

guint grants_slept(grants *self, gint64 asleep)
{
    gboolean more = self->asleep >= 0 && asleep > self->asleep + CLOCK_TOLERANCE;
    if (more || self->asleep < 0)
        self->asleep = asleep;
    return more ? grants_clear(self, NULL, NULL) : 0;
}

const GPtrArray *grants_live(grants *self, gint64 now)
{
    drop_expired(self, now);
    return self->list;
}
