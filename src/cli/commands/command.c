#include "cli/commands/command.h"

#include <string.h>

#include "common/text.h"

static gboolean wants_json, wants_debug;

static const option json_option = {"json", 0, OPTION_FLAG, &wants_json, NULL, "print JSON"};
static const option debug_option = {"debug", 0, OPTION_FLAG, &wants_debug, NULL, ""};

void command_call_clear(struct command_call *self)
{
    g_clear_pointer(&self->operands, g_strfreev);
    g_clear_pointer(&self->command, g_strfreev);
}

/* TRUE when ROW, or a verb of it, has FLAG. */
static gboolean command_has(const struct command *row, enum command_flags flag)
{
    for (const struct command_verb *verb = row->verbs; verb && verb->name; verb++)
        if (verb->flags & flag)
            return TRUE;
    return (row->flags & flag) != 0;
}

/* COMMON: also the options of every command, which the help of a command does not list. */
static option *make_options(const struct command *row, gboolean common)
{
    GArray *all = g_array_new(TRUE, TRUE, sizeof(option));
    for (const option *each = row->options; each && each->kind != OPTION_END; each++)
        g_array_append_val(all, *each);
    if (command_has(row, COMMAND_JSON)) {
        option json = json_option;
        if (row->json)
            json.summary = row->json;
        g_array_append_val(all, json);
    }
    if (common)
        g_array_append_val(all, debug_option);
    return (option *)g_array_free(all, FALSE);
}

option *command_options(const struct command *row)
{
    return make_options(row, FALSE);
}

/* "box consent approve ID [CHOICE]", VERB NULL: "box consent VERB…". A new string. */
static char *command_usage(const struct command *row, const struct command_verb *verb)
{
    const char *operands = verb ? verb->operands : row->operands;
    if (row->verbs && !verb)
        return g_strdup_printf("box %s VERB…", row->name);
    return g_strdup_printf("box %s%s%s%s%s", row->name, verb ? " " : "", verb ? verb->name : "",
                           *operands ? " " : "", operands);
}

static char *verb_names(const struct command *row)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (const struct command_verb *verb = row->verbs; verb->name; verb++)
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", verb->name);
    return g_strdup(names->str);
}

static gboolean has_verb(const struct command *row, const char *name)
{
    for (const struct command_verb *verb = row->verbs; verb && verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            return TRUE;
    return FALSE;
}

static gboolean unknown_verb(const struct command *row, const char *word, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const struct command_verb *verb = row->verbs; verb->name; verb++)
        g_ptr_array_add(names, (gpointer)verb->name);
    g_ptr_array_add(names, NULL);
    const char *near = text_nearest(word, (const char *const *)names->pdata);
    g_autofree char *safe = text_safe(word, -1);
    g_autofree char *list = verb_names(row);
    /* What 'box consent' was called before there were AI agents; for one version. */
    if (row == &command_agent && has_verb(&command_consent, word))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'box agent %s' is called 'box consent %s' now", word, word);
    else if (near)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "unknown command 'box %s %s'; did you mean 'box %s %s'?", row->name, safe,
                    row->name, near);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "unknown command 'box %s %s'; 'box %s' has %s", row->name, safe, row->name,
                    list);
    return FALSE;
}

/* WORD, or the verb that ROW has for what others call WORD ("rm", "ls"). */
static const char *own_verb(const struct command *row, const char *word)
{
    static const char *const equals[][4] = {{"remove", "rm", "delete", "del"}, {"list", "ls"}};
    for (gsize i = 0; i < G_N_ELEMENTS(equals); i++) {
        gboolean is_one = FALSE;
        for (gsize j = 0; j < G_N_ELEMENTS(equals[i]); j++)
            is_one |= g_strcmp0(equals[i][j], word) == 0;
        for (const struct command_verb *verb = row->verbs; is_one && verb->name; verb++)
            if (strcmp(verb->name, equals[i][0]) == 0 || g_strcmp0(verb->name, equals[i][1]) == 0)
                return verb->name;
    }
    return word;
}

/* Moves the verb from the operands to CALL->verb. */
static gboolean find_verb(struct command_call *call, GError **error)
{
    const struct command *row = call->row;
    const char *word = call->operands[0];
    if (!word && (row->flags & COMMAND_VERB_OPTIONAL)) {
        call->verb = row->verbs;
        return TRUE;
    }
    if (!word) {
        g_autofree char *list = verb_names(row);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'box %s' needs one of %s; see 'box %s --help'", row->name, list, row->name);
        return FALSE;
    }
    const char *own = own_verb(row, word);
    for (call->verb = row->verbs; call->verb->name; call->verb++) {
        if (strcmp(call->verb->name, own) != 0)
            continue;
        char **rest = g_strdupv(call->operands + 1);
        g_strfreev(call->operands);
        call->operands = rest;
        return TRUE;
    }
    return unknown_verb(row, word, error);
}

static gboolean check_operands(const struct command_call *call, GError **error)
{
    const struct command_verb *verb = call->verb;
    g_autofree char *usage = command_usage(call->row, verb);
    guint count = g_strv_length(call->operands), most = verb ? verb->most : call->row->most;
    if (verb && count < verb->least) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "missing argument; usage: %s", usage);
        return FALSE;
    }
    if (count > most) {
        g_autofree char *safe = text_safe(call->operands[most], -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    command_flags(call) & COMMAND_TAKES_COMMAND
                        ? "unexpected argument '%s'; a command goes after '--'; usage: %s"
                        : "unexpected argument '%s'; usage: %s",
                    safe, usage);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_flags(const struct command_call *call, GError **error)
{
    g_autofree char *usage = command_usage(call->row, call->verb);
    unsigned flags = command_flags(call);
    if (call->command && !(flags & COMMAND_TAKES_COMMAND)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' takes no command after '--'", usage);
        return FALSE;
    }
    if (call->json && !(flags & COMMAND_JSON)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' has no option --json", usage);
        return FALSE;
    }
    return TRUE;
}

/* TRUE when the summary names verbs of ROW that take the option ("diff, take: …"), but not VERB. */
static gboolean is_for_others(const option *each, const struct command *row, const char *verb)
{
    const char *end = strstr(each->summary, ": ");
    g_autofree char *names = end ? g_strndup(each->summary, (gsize)(end - each->summary)) : NULL;
    g_auto(GStrv) verbs = names ? g_strsplit(names, ", ", -1) : NULL;
    return verbs && has_verb(row, verbs[0]) && !g_strv_contains((const char *const *)verbs, verb);
}

/* An option of another verb is refused: who gives it expects something of it. */
static gboolean check_verb_options(const struct command_call *call, GError **error)
{
    const option *each = call->verb ? call->row->options : NULL;
    for (; each && each->kind != OPTION_END; each++) {
        if (!option_is_given(each) || !is_for_others(each, call->row, call->verb->name))
            continue;
        g_autofree char *usage = command_usage(call->row, call->verb);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' has no option --%s", usage,
                    each->name);
        return FALSE;
    }
    return TRUE;
}

gboolean command_parse(const struct command *row, char **argv, struct command_call *call,
                       GError **error)
{
    g_autofree option *table = make_options(row, TRUE);
    arguments words = {0};
    gboolean parsed = options_parse(table, row->foreign, argv, &words, error);
    *call = (struct command_call){.row = row,
                                  .operands = words.operands,
                                  .command = words.command,
                                  .json = wants_json,
                                  .debug = wants_debug};
    return parsed && (!row->verbs || find_verb(call, error)) && check_verb_options(call, error) &&
           check_operands(call, error) && check_flags(call, error);
}

unsigned command_flags(const struct command_call *call)
{
    return call->verb ? call->verb->flags : call->row->flags;
}

int command_execute(const struct command_call *call, GError **error)
{
    command_action run = call->verb && call->verb->run ? call->verb->run : call->row->run;
    return run(call, error);
}
