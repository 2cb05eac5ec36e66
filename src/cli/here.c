#include "cli/cli.h"

#include <stdio.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/container.h"
#include "box/session/freeze.h"
#include "box/session/left_programs.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "common/units.h"
#include "config/trust.h"
#include "net/unix_socket.h"
#include "proto/session.h"
#include "session/client_connect.h"

/* What the user can type, with what it does; NULL ends a list. */
typedef const char *const next_step[2];

static next_step steps_without_box[] = {
    {"box enter", "create a box for this project, and open a shell in it"},
    {"box init", "first write a litterbox.toml, to choose an image and more"},
    {NULL},
};
static next_step steps_stopped[] = {
    {"box enter", "start the box, and open a shell in it"},
    {"box run -- COMMAND", "run one command in it"},
    {"box edit", "open the project in an editor that runs in it"},
    {"box status", "show more"},
    {NULL},
};
static next_step steps_running[] = {
    {"box enter", "open a shell in the box"},
    {"box run -- COMMAND", "run one command in it"},
    {"box status", "show more: ports, keys, changed files"},
    {"box stop", "end all that runs in it"},
    {NULL},
};
static next_step steps_paused[] = {
    {"box restart", "end all that runs in the box, and start it"},
    {"box status", "show more"},
    {NULL},
};

static void line(const char *name, const char *value)
{
    g_autofree char *safe = text_safe(value, -1);
    printf("%-10s %s\n", name, safe);
}

/* By the answer on CONNECTION: another one would count as a session while it ends. */
static char *describe_running(int connection)
{
    struct session_info info;
    if (client_query(connection, &info) < 0)
        return g_strdup("running");
    g_autoptr(GString) text = g_string_new("running, ");
    if (info.sessions == 0)
        g_string_append(text, "no sessions");
    else
        g_string_append_printf(text, "%u session%s", info.sessions, info.sessions > 1 ? "s" : "");
    if (info.idle_left != UINT32_MAX) {
        g_autofree char *left = units_format_duration(info.idle_left);
        g_string_append_printf(text, ", stops in %s", left);
    }
    g_autofree char *left = left_programs_text(&info.left);
    if (left && info.left.fate == SESSION_LEFT_KEEPS)
        g_string_append_printf(text, ", kept by %s", left);
    return g_strdup(text->str);
}

/* Prints the state; returns what to do next. */
static const next_step *print_state(const struct box *self)
{
    int connection = box_connect(self);
    gboolean paused = connection >= 0 && freeze_is_paused(unix_socket_peer_pid(connection));
    if (connection < 0) {
        line("state", "not running");
        return steps_stopped;
    }
    g_autofree char *state = paused ? g_strdup("paused") : describe_running(connection);
    close(connection);
    line("state", state);
    return paused ? steps_paused : steps_running;
}

static void print_trust(const char *project)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(trust) state = trust_check(project, &problem);
    if (!state)
        line("config", problem->message);
    else if (state->state == TRUST_NEW)
        line("config", "litterbox.toml is not approved yet: 'box trust' shows what it asks for");
    else if (state->state == TRUST_CHANGED)
        line("config", "litterbox.toml has changed: 'box trust' shows how");
    else if (state->state == TRUST_GONE)
        line("config", "litterbox.toml is gone: 'box trust' shows what it had taken from the box");
}

static void here_questions(void)
{
    json_t *answer = agent_call(json_pack("{s:s}", "op", "pending"), FALSE, NULL);
    size_t count = json_array_size(json_object_get(answer, "pending"));
    g_autofree char *text = g_strdup_printf("%zu wait%s for your answer: 'box consent pending'",
                                            count, count == 1 ? "s" : "");
    if (count)
        line("requests", text);
    json_decref(answer);
}

static const next_step *print_box(const char *project)
{
    g_autoptr(box) self = registry_by_project(project, NULL);
    g_autoptr(box) moved = self ? NULL : registry_find_moved(project);
    const next_step *steps = steps_without_box;
    if (self)
        line("box", self->name);
    line("project", project);
    if (self)
        steps = print_state(self);
    else
        line("state", "this project has no box yet");
    if (moved) {
        g_autofree char *old = text_safe(moved->project, -1);
        g_autofree char *text = g_strdup_printf(
            "box '%s' was that of '%s': 'box init --move' uses it here", moved->name, old);
        line("moved", text);
    }
    return steps;
}

gboolean here_print(void)
{
    g_autofree char *project = project_nearest();
    if (!project)
        return FALSE;
    const next_step *step = print_box(project);
    print_trust(project);
    here_questions();
    puts("\nnext:");
    for (; (*step)[0]; step++)
        printf("  %-20s %s\n", (*step)[0], (*step)[1]);
    printf("  %-20s %s\n", "box help", "show all commands");
    return TRUE;
}
