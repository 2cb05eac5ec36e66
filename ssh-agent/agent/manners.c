#include "ssh-agent/agent/manners.h"

#include <string.h>

#include "ssh-agent/agent/questions.h"

#define SECOND ((gint64)G_USEC_PER_SEC)

/* What a box has brought upon itself. */
typedef struct {
    gint64 deaf_until, muted_until;
    gint64 cooldown; /* of the last time */
    guint timeouts;  /* in a row */
    guint left;      /* shown and taken back, since the last yes */
} record;

struct manners {
    GHashTable *boxes; /* name -> record */
};

manners *manners_new(void)
{
    manners *self = g_new0(manners, 1);
    self->boxes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void manners_free(manners *self)
{
    g_hash_table_unref(self->boxes);
    g_free(self);
}

static record *record_of(manners *self, const char *box)
{
    record *its = g_hash_table_lookup(self->boxes, box);
    if (!its) {
        its = g_new0(record, 1);
        g_hash_table_insert(self->boxes, g_strdup(box), its);
    }
    return its;
}

const char *manners_refusal(const manners *self, const char *box, gint64 now)
{
    const record *its = g_hash_table_lookup(self->boxes, box);
    if (its && now < its->muted_until)
        return "muted";
    return its && now < its->deaf_until ? "cooldown" : NULL;
}

static void cool_down(record *its, gint64 now)
{
    its->cooldown = its->cooldown ? MIN(its->cooldown * 2, QUESTIONS_COOLDOWN_MAX_SECONDS * SECOND)
                                  : QUESTIONS_COOLDOWN_SECONDS * SECOND;
    its->deaf_until = now + its->cooldown;
    its->timeouts = its->left = 0;
}

void manners_note_answer(manners *self, const char *box, const char *choice, gint64 now)
{
    record *its = record_of(self, box);
    if (strcmp(choice, ANSWER_TIMEOUT) == 0) {
        if (++its->timeouts >= 2)
            cool_down(its, now);
    } else if (strcmp(choice, ANSWER_DENY) == 0 || strcmp(choice, ANSWER_FAILED) == 0) {
        cool_down(its, now);
    } else if (strcmp(choice, ANSWER_MUTE) == 0) {
        its->muted_until = now + QUESTIONS_MUTE_SECONDS * SECOND;
    } else if (strcmp(choice, ANSWER_NOBODY) != 0) {
        *its = (record){0};
    }
}

/* A window that comes and goes is a nuisance, too. */
void manners_note_left(manners *self, const char *box, gint64 now)
{
    record *its = record_of(self, box);
    if (++its->left >= QUESTIONS_LEFT_MAX)
        cool_down(its, now);
}

void manners_mute(manners *self, const char *box, gint64 until)
{
    record_of(self, box)->muted_until = until;
}

void manners_forget(manners *self, const char *box)
{
    g_hash_table_remove(self->boxes, box);
}
