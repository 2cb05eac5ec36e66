/* Shims that are there and do not work: nothing else tells that a program runs outside of its box.
 */
#include "doctor/check.h"

#include "box/shims.h"

/* Adds NAME to the list TEXT ("a, b"), taking it. */
static char *append(char *text, const char *name)
{
    char *longer = text ? g_strconcat(text, ", ", name, NULL) : g_strdup(name);
    g_free(text);
    return longer;
}

void doctor_look_shims(doctor_facts *self)
{
    g_autofree char *file = NULL;
    g_auto(GStrv) names = shims_names();
    self->shims = g_strv_length(names);
    self->shims_on_path = shims_are_on_path();
    self->shims_add = shims_path_line(&file);
    for (char **name = names; *name; name++) {
        if (shims_is_stale(*name))
            self->shims_stale = append(self->shims_stale, *name);
        else if (!shims_is_found(*name))
            self->shims_hidden = append(self->shims_hidden, *name);
    }
}

static void check_shims(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->shims_stale)
        doctor_say(
            report, "shims", DOCTOR_WARNING,
            g_strdup_printf("shims that lead nowhere, so that these run outside of boxes: %s",
                            facts->shims_stale),
            g_strdup("'box shim add' or 'box shim remove' with these names"));
    else if (facts->shims && !facts->shims_on_path)
        doctor_say(report, "shims", DOCTOR_WARNING,
                   g_strdup("the folder of the shims is not on PATH: their programs run outside of "
                            "boxes"),
                   g_strdup_printf("write into your shell's configuration: %s", facts->shims_add));
    else if (facts->shims_hidden)
        doctor_say(report, "shims", DOCTOR_WARNING,
                   g_strdup_printf("PATH finds other programs in front of these shims: %s",
                                   facts->shims_hidden),
                   g_strdup("move the folder of the shims to the front of PATH"));
    else
        doctor_say_what(report, "shims", DOCTOR_OK, NULL,
                        facts->shims == 1 ? "%u shim" : "%u shims", facts->shims);
}

const doctor_check doctor_shims_checks[] = {check_shims, NULL};
