#include "host/gate/ask_table.h"

#include <stdio.h>
#include <string.h>

static struct ask_entry *find(struct ask_table *self, const char *name, uint16_t port, int64_t now)
{
    for (size_t i = 0; i < ASK_ENTRIES; i++) {
        struct ask_entry *each = &self->entries[i];
        if (each->state == ASK_REFUSED && now >= each->until)
            each->state = ASK_FREE;
        if (each->state != ASK_FREE && each->port == port && strcmp(each->name, name) == 0)
            return each;
    }
    return NULL;
}

/* A free entry, or the refused one whose time is over first. The few open ones are not all. */
static struct ask_entry *find_free(struct ask_table *self)
{
    struct ask_entry *found = NULL;
    for (size_t i = 0; i < ASK_ENTRIES; i++) {
        struct ask_entry *each = &self->entries[i];
        if (each->state == ASK_FREE)
            return each;
        if (each->state == ASK_REFUSED && (!found || each->until < found->until))
            found = each;
    }
    return found;
}

enum ask_verdict ask_table_add(struct ask_table *self, const char *name, uint16_t port, int64_t now,
                               struct ask_entry **entry)
{
    struct ask_entry *found = find(self, name, port, now);
    *entry = found;
    if (found && found->state == ASK_REFUSED)
        return ASK_RECENT;
    if (self->waiting >= ASK_WAITING_MAX || (!found && self->open >= ASK_QUESTIONS_MAX))
        return ASK_TOO_MANY;
    self->waiting++;
    if (found) {
        found->waiting++;
        return ASK_JOIN;
    }
    self->limit.burst = ASK_BURST;
    self->limit.refill_ms = ASK_REFILL_MS;
    if (!token_bucket_take(&self->limit, now)) {
        self->waiting--;
        return ASK_TOO_OFTEN;
    }
    self->open++;
    *entry = find_free(self);
    **entry = (struct ask_entry){.state = ASK_OPEN, .port = port, .waiting = 1};
    snprintf((*entry)->name, sizeof(*entry)->name, "%s", name);
    return ASK_BEGIN;
}

void ask_table_leave(struct ask_table *self, struct ask_entry *entry)
{
    entry->waiting--;
    self->waiting--;
}

void ask_table_end(struct ask_table *self, struct ask_entry *entry, enum gate_reply reply,
                   int64_t now)
{
    self->open--;
    self->waiting -= entry->waiting;
    entry->waiting = 0;
    entry->state = reply == GATE_DENIED || reply == GATE_LATE ? ASK_REFUSED : ASK_FREE;
    entry->until = now + ASK_REFUSED_MS;
    entry->why = reply;
}
