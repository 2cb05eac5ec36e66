#include "chain.h"

#include "facts.h"
#include "question.h"

static char *describe_pids(const question_program *program)
{
    const char *name = *program->name ? program->name : "a program without a name";

    if (program->pid && program->host_pid)
        return g_strdup_printf("%s, pid %" G_GINT64_FORMAT " in the box, %" G_GINT64_FORMAT
                               " on the host",
                               name, program->pid, program->host_pid);
    if (program->pid)
        return g_strdup_printf("%s, pid %" G_GINT64_FORMAT " in the box", name, program->pid);
    if (program->host_pid)
        return g_strdup_printf("%s, pid %" G_GINT64_FORMAT " on the host", name, program->host_pid);
    return g_strdup(name);
}

void chain_add(GtkWidget *rows, const GPtrArray *chain)
{
    for (guint i = 0; i < chain->len; i++) {
        const question_program *program = g_ptr_array_index(chain, i);
        g_autofree char *pids = describe_pids(program);
        char *command = *program->command ? program->command : program->name;
        const question_fact row = {i ? "Started by" : "Program", command, pids, NULL};
        facts_add(rows, &row, "code", 0);
    }
}
