#include "guest/guard/status.h"

#include <stdlib.h>
#include <string.h>

/* Behind "NAME:", or NULL. */
static const char *field(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, length) && line[length] == ':')
            return line + length + 1;
    }
    return NULL;
}

static int number(const char *text, const char *name, int base, unsigned long *value)
{
    const char *at = field(text, name);
    if (!at)
        return -1;
    *value = strtoul(at, NULL, base);
    return 0;
}

/* The numbers on a line, at most MAX. How many, or -1. */
static int numbers(const char *text, const char *name, unsigned *values, int max)
{
    const char *at = field(text, name);
    int count = 0;
    if (!at)
        return -1;
    while (count < max) {
        char *end;
        at += strspn(at, " \t");
        if (*at < '0' || *at > '9')
            break;
        values[count++] = (unsigned)strtoul(at, &end, 10);
        at = end;
    }
    return count;
}

int guard_status_parse(struct guard_status *self, const char *text)
{
    unsigned long tgid, mask, caps, threads, own, shared, blocked, caught;
    unsigned uids[4], gids[4], tgids[GUARD_LEVELS_MAX];
    if (number(text, "Tgid", 10, &tgid) < 0 || number(text, "Umask", 8, &mask) < 0 ||
        number(text, "CapEff", 16, &caps) < 0 || number(text, "Threads", 10, &threads) < 0 ||
        number(text, "SigPnd", 16, &own) < 0 || number(text, "ShdPnd", 16, &shared) < 0 ||
        number(text, "SigBlk", 16, &blocked) < 0 || number(text, "SigCgt", 16, &caught) < 0 ||
        numbers(text, "Uid", uids, 4) != 4 || numbers(text, "Gid", gids, 4) != 4)
        return -1;
    int levels = numbers(text, "NStgid", tgids, GUARD_LEVELS_MAX);
    self->tgid = (pid_t)tgid;
    self->mask = (mode_t)mask & 0777;
    self->caps = caps;
    self->threads = (int)threads;
    self->pending = own & ~blocked;
    self->shared_pending = shared & ~blocked;
    self->caught = caught;
    self->fsuid = uids[3];
    self->fsgid = gids[3];
    self->group_count = numbers(text, "Groups", self->groups, GUARD_GROUPS_MAX);
    self->level_count = numbers(text, "NSpid", (unsigned *)self->pids, GUARD_LEVELS_MAX);
    self->own_tgid = levels < 1 ? self->tgid : (pid_t)tgids[levels - 1];
    return self->group_count < 0 || self->level_count < 1 ? -1 : 0;
}
