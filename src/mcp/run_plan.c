#include "mcp/run_plan.h"

#include <string.h>

#include "box/exec/interpreter.h"
#include "mcp/own_branches.h"

guint64 run_plan_timeout(const struct call *call, gboolean background)
{
    if (background && !json_object_get(call->arguments, "timeout"))
        return 0;
    return (guint64)(tool_number(call->tool, call->arguments, "timeout") * 1000);
}

void run_plan_clear(run_plan *self)
{
    g_clear_pointer(&self->branch, box_free);
    g_free(self->code);
    g_free(self->folder);
    if (self->env)
        g_ptr_array_unref(self->env);
}

/* FALSE: the call has failed. */
static gboolean plan_command(run_plan *self, struct call *call)
{
    const char *command = tool_text(call->arguments, "command");
    const char *code = tool_text(call->arguments, "code");
    const char *language = tool_text(call->arguments, "language");
    self->input = tool_text(call->arguments, "stdin");
    if (!command == !code)
        call_fail(call, "give either 'command' or 'code'");
    else if (code && (!language || self->input))
        call_fail(call, language ? "'stdin' is for a command: code is on standard input itself"
                                 : "'code' needs 'language'");
    else if (code) {
        const interpreter *by = interpreter_find(language);
        self->code = interpreter_command(by, NULL);
        self->input = code;
        self->options.command = self->code;
        self->options.instead = by->instead;
        return TRUE;
    } else {
        char *shell[] = {(char *)"bash", (char *)"-c", (char *)command, NULL};
        memcpy(self->shell, shell, sizeof shell);
        self->options.command = self->shell;
        self->options.instead = "sh";
        return TRUE;
    }
    return FALSE;
}

static gboolean plan_environment(run_plan *self, struct call *call)
{
    const char *name;
    json_t *value;
    self->env = g_ptr_array_new_with_free_func(g_free);
    /* No colours and no questions: a program reads this. */
    g_ptr_array_add(self->env, g_strdup("TERM=dumb"));
    g_ptr_array_add(self->env, g_strdup("NO_COLOR=1"));
    json_object_foreach (json_object_get(call->arguments, "env"), name, value) {
        if (!*name || strchr(name, '=')) {
            call_fail(call, "'env' has a name that no variable can have");
            return FALSE;
        }
        g_ptr_array_add(self->env, g_strconcat(name, "=", json_string_value(value), NULL));
    }
    g_ptr_array_add(self->env, NULL);
    self->options.env = (const char *const *)self->env->pdata;
    return TRUE;
}

/* FALSE: the call has failed. */
static gboolean plan_branch(run_plan *self, struct call *call)
{
    g_autoptr(GError) error = NULL;
    const char *name = tool_text(call->arguments, "branch");
    self->branch = name ? own_branch_find(call->host, name, &error) : NULL;
    if (name && !self->branch)
        call_fail(call, "%s", error->message);
    return !name || self->branch;
}

struct box *run_plan_box(const run_plan *self, const struct call *call)
{
    return self->branch ? self->branch : call->host->box;
}

gboolean run_plan_make(run_plan *self, struct call *call, gboolean background)
{
    const char *folder = tool_text(call->arguments, "folder");
    const char *project = call->host->box->project;
    g_autofree char *below = project_path(project, folder ? folder : "");
    if (!below) {
        call_fail(call, PROJECT_PATH_OUTSIDE);
        return FALSE;
    }
    if (!plan_branch(self, call) || !plan_command(self, call) || !plan_environment(self, call))
        return FALSE;
    self->folder = g_build_filename(project, below, NULL);
    self->options.workdir = self->folder;
    self->options.unattended = TRUE;
    self->options.wait = SESSION_WAIT_KILL;
    self->options.timeout_ms = run_plan_timeout(call, background);
    return TRUE;
}
