/* Menu entries that start nothing any more. */
#include "doctor/check.h"
#include "menu/files.h"

void doctor_look_apps(doctor_facts *self)
{
    g_autoptr(GPtrArray) list = app_files_find(NULL);
    g_autoptr(GString) stale = g_string_new(NULL);
    self->apps = list->len;
    for (guint i = 0; i < list->len; i++) {
        const app_file *one = list->pdata[i];
        if (one->orphan || one->in_vain)
            g_string_append_printf(stale, "%s%s of box %s", stale->len ? ", " : "", one->id,
                                   one->box);
        self->apps_orphaned |= one->orphan;
    }
    if (stale->len)
        self->apps_stale = g_strdup(stale->str);
}

static void check_apps(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->apps_stale)
        doctor_say(
            report, "apps", DOCTOR_WARNING,
            g_strdup_printf("menu entries that start nothing any more: %s", facts->apps_stale),
            g_strdup(facts->apps_orphaned
                         ? "'box prune' removes those whose box is gone"
                         : "Litterbox was moved: 'box app export PROJECT' without a name "
                           "writes the entries of a box anew"));
    else
        doctor_say_what(report, "apps", DOCTOR_OK, NULL,
                        facts->apps == 1 ? "%u menu entry of a box" : "%u menu entries of boxes",
                        facts->apps);
}

const doctor_check doctor_apps_checks[] = {check_apps, NULL};
