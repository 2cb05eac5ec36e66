#include "box/branch/take_steps.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/text.h"

gboolean take_show_files(const take_plan *plan, guint index, take_show show, GError **error)
{
    const take_item *item = plan->items->pdata[index];
    int before = S_ISREG(item->before) ? take_plan_open(plan, TAKE_COPY_OLD, index) : -1;
    int after = S_ISREG(item->after) ? take_plan_open(plan, TAKE_COPY_NEW, index) : -1;
    gboolean done = (before < 0 && after < 0) || show(before, after, item->path, error);
    if (before >= 0)
        close(before);
    if (after >= 0)
        close(after);
    return done;
}

/* What is to be said of an item; a new string. */
static char *describe_item(const take_item *item, const branch_change *change)
{
    /* A merge is no allowed doubt, and is said below. */
    unsigned allowed = item->is_merged ? change->doubts & BRANCH_NEEDS_YES : change->doubts;
    g_autofree char *conflicts =
        item->conflicts
            ? g_strdup_printf(", %u conflict%s", item->conflicts, item->conflicts > 1 ? "s" : "")
            : NULL;
    return g_strconcat(change->after & (S_ISUID | S_ISGID) ? "   (without its set-ID bits)" : "",
                       allowed ? "   (allowed)" : "",
                       item->is_merged ? "   (merged with what the host has" : "",
                       conflicts ? conflicts : "", item->is_merged ? ")" : "", NULL);
}

/* How the question begins; a new string. */
static char *describe_take(const struct box *self, const branch_take_options *how)
{
    g_autofree char *safe = text_safe(self->project, -1);
    return how->words ? g_strdup(how->words->asks)
                      : g_strdup_printf("Take this from branch '%s' into '%s'", self->branch, safe);
}

void take_print_item(const take_item *item, const branch_change *change)
{
    g_autofree char *path = text_safe(change->path, -1);
    g_autofree char *about = describe_item(item, change);
    printf("%c %s%s%s\n", branch_change_letter(change), path,
           S_ISDIR(change->after ? change->after : change->before) ? "/" : "", about);
}

gboolean take_confirm(const struct box *self, const take_plan *plan, guint left,
                      const branch_changes *changes, const branch_take_options *how, GError **error)
{
    g_autofree char *what = branch_changes_describe(changes);
    g_autofree char *asks = describe_take(self, how);
    g_autofree char *rest = left ? g_strdup_printf(", %u left out", left) : g_strdup("");
    for (guint i = 0; i < plan->items->len; i++) {
        if (!interrupt_check(error))
            return FALSE;
        take_print_item(plan->items->pdata[i], changes->list->pdata[i]);
        if (how->show && !take_show_files(plan, i, how->show, error))
            return FALSE;
    }
    fflush(stdout);
    g_autofree char *question = g_strdup_printf("%s (%s%s)?", asks, what, rest);
    return how->confirm(question, error);
}
