#include <stdio.h>

#include "box/exec/agents.h"
#include "cli/commands/agent.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "cli/commands/show.h"
#include "common/text.h"
#include "console/log.h"
#include "console/output.h"

static struct {
    gboolean ask;
} agent_given;

static const option agent_options[] = {
    {"ask", 0, OPTION_FLAG, &agent_given.ask, NULL, "run: let the agent ask before it acts"},
    BRANCH_OPTIONS("run: "),
    {0},
};

/* The boxes that have the agent NAME: [{"box": "shop", "version": "2.1.3"}] */
static json_t *boxes_with_agent(const char *name)
{
    json_t *list = json_array();
    g_auto(GStrv) names = registry_names();
    for (char **each = names; *each; each++) {
        g_autoptr(box) self = registry_by_name(*each, NULL);
        g_autofree char *version = self ? agents_version(self, name) : NULL;
        if (version)
            json_array_append_new(
                list, json_pack("{s:s, s:o}", "box", *each, "version", json_text(version)));
    }
    return list;
}

/* "shop 2.1.3, cafe 2.0.9"; a new string. A box has written its version. */
static char *boxes_text(const json_t *boxes)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const json_t *each;
    size_t i;
    json_array_foreach (boxes, i, each) {
        const char *version = json_string_value(json_object_get(each, "version"));
        g_autofree char *quoted = text_quoted(version, -1, AGENT_PRESET_VERSION_MAX);
        g_string_append_printf(text, "%s%s %s", i ? ", " : "",
                               json_string_value(json_object_get(each, "box")), quoted);
    }
    return g_strdup(text->str);
}

static json_t *agent_row(const agent_preset *preset, table *out)
{
    json_t *boxes = boxes_with_agent(preset->name);
    g_autofree char *package = agent_preset_package(preset);
    g_autofree char *text = boxes_text(boxes);
    table_add(out, preset->name);
    table_add(out, package);
    table_add(out, text);
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", preset->name, "package",
                     json_text(preset->package), "version", json_text(preset->version), "file",
                     json_text(preset->file), "boxes", boxes);
}

static int list_agents(const struct command_call *call, GError **error)
{
    static const char *const headings[] = {"NAME", "PACKAGE", "BOXES", NULL};
    g_autoptr(table) out = table_new(headings);
    g_auto(GStrv) names = agent_preset_names();
    json_t *rows = json_array();
    for (char **name = names; *name; name++) {
        g_autoptr(GError) problem = NULL;
        g_autoptr(agent_preset) preset = agent_preset_read(*name, &problem);
        if (preset)
            json_array_append_new(rows, agent_row(preset, out));
        else
            log_warning("%s", problem->message);
    }
    if (call->json)
        json_print(json_incref(rows));
    else
        table_print(out);
    json_decref(rows);
    return 0;
}

static json_t *start_json(const agent_preset_start *start)
{
    return json_pack("{s:o, s:o}", "arguments", json_texts(start->arguments), "env",
                     json_texts(start->env));
}

static json_t *files_json(const agent_preset *self)
{
    json_t *files = json_object();
    for (char **file = self->files; file && *file; file++) {
        const char *content = strchr(*file, '=') + 1;
        g_autofree char *name = g_strndup(*file, (gsize)(content - 1 - *file));
        json_object_set_new(files, name, json_string(content));
    }
    return files;
}

static void print_preset_json(const agent_preset *self, json_t *boxes)
{
    json_t *shown =
        json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:O}", "name", self->name, "file",
                  json_text(self->file), "package", json_text(self->package), "version",
                  json_text(self->version), "program", self->program, "files", files_json(self),
                  "always", start_json(&self->always), "no_ask", start_json(&self->no_ask), "ask",
                  start_json(&self->ask), "boxes", boxes);
    json_t *lists =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "install", json_text(self->install),
                  "install_network", json_texts(self->install_network), "network",
                  json_texts(self->network), "login", json_texts(self->login), "login_by",
                  json_texts(self->login_by), "home", json_texts(self->home), "share",
                  json_texts(self->share), "pictures", json_text(self->pictures));
    json_object_update_new(shown, lists);
    json_print(shown);
}

static void print_preset_line(const char *name, const char *value)
{
    g_autofree char *safe = text_safe(value, -1);
    printf("%-10s %s\n", name, *safe ? safe : "-");
}

/* TEXTS as words of a shell. */
static char *shell_words(char *const *texts)
{
    g_autoptr(GString) words = g_string_new(NULL);
    for (; texts && *texts; texts++) {
        g_autofree char *quoted = text_shell_quote(*texts);
        g_string_append_printf(words, "%s%s", words->len ? " " : "", quoted);
    }
    return g_strdup(words->str);
}

/* "K=V --option": as in a shell, but for the program between them. */
static void start_line(const char *name, const agent_preset_start *start)
{
    g_autofree char *env = shell_words(start->env), *words = shell_words(start->arguments);
    g_autofree char *both = g_strjoin(*env && *words ? " " : "", env, words, NULL);
    print_preset_line(name, both);
}

static void list_line(const char *name, char *const *texts)
{
    g_autofree char *joined = texts ? g_strjoinv(", ", (char **)texts) : g_strdup("");
    print_preset_line(name, joined);
}

static void print_preset(const agent_preset *self, const json_t *boxes)
{
    g_autofree char *text = boxes_text(boxes);
    print_preset_line("agent", self->name);
    print_preset_line("preset", self->file);
    print_preset_line("package", self->package ? self->package : "its own script");
    print_preset_line("version", self->version ? self->version : "the latest");
    print_preset_line("program", self->program);
    list_line("network", self->network);
    list_line("installs", self->install_network);
    list_line("login", self->login);
    list_line("log in by", self->login_by);
    print_preset_line("pictures", self->pictures
                                      ? "pasted after asking, where [desktop] clipboard allows it"
                                      : "");
    list_line("home", self->home);
    list_line("share", self->share);
    for (char **file = self->files; file && *file; file++)
        print_preset_line("file", *file);
    start_line("always", &self->always);
    start_line("no ask", &self->no_ask);
    start_line("ask", &self->ask);
    print_preset_line("boxes", text);
}

static int info(const struct command_call *call, GError **error)
{
    g_autoptr(agent_preset) preset = agent_preset_read(call->operands[0], error);
    if (!preset)
        return -1;
    json_t *boxes = boxes_with_agent(preset->name);
    if (call->json)
        print_preset_json(preset, boxes);
    else
        print_preset(preset, boxes);
    json_decref(boxes);
    return 0;
}

/* The preset that CALL names, and its box. FALSE with ERROR. */
static gboolean find_preset(const struct command_call *call, project_need need,
                            agent_preset **preset, struct box **of, GError **error)
{
    *preset = agent_preset_read(call->operands[0], error);
    *of = *preset ? project_box(call->operands[1], need, error) : NULL;
    return *of != NULL;
}

static int install(const struct command_call *call, GError **error)
{
    g_autoptr(agent_preset) preset = NULL;
    g_autoptr(box) self = NULL;
    if (!find_preset(call, PROJECT_REGISTER, &preset, &self, error))
        return -1;
    return preset_install(self, preset, error) ? 0 : -1;
}

static int update(const struct command_call *call, GError **error)
{
    g_autoptr(agent_preset) preset = NULL;
    g_autoptr(box) self = NULL;
    if (!find_preset(call, PROJECT_EXISTING, &preset, &self, error))
        return -1;
    return agents_install(self, preset, TRUE, error) ? 0 : -1;
}

/* Works without a preset, too: the user may have removed it before. */
static int remove_agent(const struct command_call *call, GError **error)
{
    const char *name = call->operands[0];
    g_autofree char *safe = text_safe_max(name, -1, 64);
    g_autoptr(box) self = project_box(call->operands[1], PROJECT_EXISTING, error);
    if (self && agent_preset_name_is_valid(name))
        return agents_remove(self, name, error) ? 0 : -1;
    if (self)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "no agent can be called '%s'", safe);
    return -1;
}

static int run_agent(const struct command_call *call, GError **error)
{
    g_autoptr(agent_preset) preset = NULL;
    g_autoptr(box) self = NULL;
    if (!find_preset(call, PROJECT_REGISTER, &preset, &self, error))
        return -1;
    g_autoptr(box) on = branch_option_apply(g_steal_pointer(&self), error);
    return on ? preset_run(on, preset, agent_given.ask, call->command, error) : -1;
}

/* The agents that SELF has, of those with a preset. */
static char **installed(const struct box *self)
{
    g_auto(GStrv) all = agent_preset_names();
    GPtrArray *names = g_ptr_array_new();
    for (char **name = all; *name; name++) {
        g_autofree char *version = agents_version(self, *name);
        if (version)
            g_ptr_array_add(names, g_strdup(*name));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static json_t *report_json(const char *name, const GPtrArray *report)
{
    doctor_level worst = doctor_worst_level(report);
    return json_pack("{s:o, s:b, s:s, s:o}", "name", json_text(name), "usable",
                     worst < DOCTOR_ERROR, "worst", doctor_level_name(worst), "findings",
                     doctor_show_json(report));
}

static void print_agent_report(const struct box *self, const char *name, const GPtrArray *report)
{
    g_autofree char *safe = text_safe_max(name, -1, 64);
    printf("%s in box '%s':\n", safe, self->name);
    for (guint i = 0; i < report->len; i++)
        doctor_show_finding(report->pdata[i]);
}

static int doctor(const struct command_call *call, GError **error)
{
    const char *given_name = call->operands[0], *of = given_name ? call->operands[1] : NULL;
    g_autoptr(box) self = project_box_or_branch(of, PROJECT_EXISTING, error);
    if (!self)
        return -1;
    g_auto(GStrv) names =
        given_name ? g_strdupv((char *[]){(char *)given_name, NULL}) : installed(self);
    json_t *agents = json_array();
    int status = 0;
    for (char **name = names; *name; name++) {
        g_autoptr(GPtrArray) report = agent_doctor_report(self, *name);
        status = status ? status : doctor_exit_status(report);
        if (call->json)
            json_array_append_new(agents, report_json(*name, report));
        else
            print_agent_report(self, *name, report);
    }
    if (!*names)
        log_note("box '%s' has no agent: 'box agent list' shows which there are", self->name);
    if (call->json)
        json_print(json_pack("{s:s, s:O}", "box", self->name, "agents", agents));
    json_decref(agents);
    return status;
}

static const struct command_verb agent_verbs[] = {
    {"list", "", 0, 0, list_agents,
     "list the agents that there are presets for, and the boxes with them", COMMAND_JSON,
     COMPLETE_NOTHING},
    {"info", "NAME", 1, 1, info, "show a preset: what is installed, and how it is started",
     COMMAND_JSON, COMPLETE_AGENTS},
    {"install",
     "NAME [PROJECT]",
     1,
     2,
     install,
     "install an agent for the box of a project and others of its image",
     0,
     COMPLETE_AGENTS,
     {COMPLETE_PROJECT}},
    {"update",
     "NAME [PROJECT]",
     1,
     2,
     update,
     "install the newest version that the preset allows",
     0,
     COMPLETE_AGENTS,
     {COMPLETE_PROJECT}},
    {"remove",
     "NAME [PROJECT]",
     1,
     2,
     remove_agent,
     "remove an agent that no other box uses; its settings stay",
     0,
     COMPLETE_AGENTS,
     {COMPLETE_PROJECT}},
    {"run",
     "NAME [PROJECT] [-- ARGUMENT…]",
     1,
     2,
     run_agent,
     "run an agent, which is installed if it is missing",
     COMMAND_TAKES_COMMAND,
     COMPLETE_AGENTS,
     {COMPLETE_PROJECT}},
    {"doctor",
     "[NAME [PROJECT]]",
     0,
     2,
     doctor,
     "check what an agent needs in its box, and suggest fixes",
     COMMAND_JSON,
     COMPLETE_AGENTS,
     {COMPLETE_PROJECT}},
    {0},
};

const struct command command_agent = {
    .name = "agent",
    .group = GROUP_WORK,
    .verbs = agent_verbs,
    .summary = "run AI agents in the box of a project",
    .details =
        "A preset says how an agent is installed, once for all boxes of an image, and started in a\n"
        "box: without its own questions and sandbox, as the box holds it, and without telemetry\n"
        "and updates. No box can change what is installed.\n"
        "Add presets of your own in ~/.config/litterbox/agents; a project cannot have any.",
    .options = agent_options,
    .flags = COMMAND_VERB_OPTIONAL,
};
