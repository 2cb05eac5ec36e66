#include "cli/commands/command.h"

#include <string.h>

#include "common/text.h"

void arguments_clear(arguments *self)
{
    g_strfreev(self->operands);
    g_strfreev(self->command);
    self->operands = self->command = NULL;
}

static const option *find_name(const option *table, const char *name, gsize length)
{
    for (; table && table->kind != OPTION_END; table++) {
        if (strlen(table->name) == length && strncmp(table->name, name, length) == 0)
            return table;
    }
    return NULL;
}

static const option *find_letter(const option *table, char letter)
{
    for (; table && table->kind != OPTION_END; table++) {
        if (table->letter == letter)
            return table;
    }
    return NULL;
}

/* The option near to WORD ("--jsno", "-jsno=x"), or that it would be with two dashes ("-all"). */
static const char *nearest_option(const option *table, const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_auto(GStrv) parts = g_strsplit(word + strspn(word, "-"), "=", 2);
    if (!parts[0])
        return NULL;
    for (; table && table->kind != OPTION_END; table++)
        g_ptr_array_add(names, (gpointer)table->name);
    g_ptr_array_add(names, NULL);
    return text_nearest(parts[0], (const char *const *)names->pdata);
}

/* What LINE says of WORD ("--volume=x", "-vx"), whose unknown part begins at AT; NULL: nothing. */
static const char *foreign_hint(const foreign_option *line, const char *word, const char *at)
{
    gboolean is_long = g_str_has_prefix(word, "--");
    gsize length = strcspn(at, "=");
    for (; line && line->name; line++) {
        gboolean named = strlen(line->name) == length && strncmp(line->name, at, length) == 0;
        if (is_long ? named : line->letter == *at)
            return line->says;
    }
    return NULL;
}

/* WORD is an option whose part from AT on is unknown. */
static gboolean unknown(const option *table, const foreign_option *foreign, const char *word,
                        const char *at, GError **error)
{
    g_autofree char *safe = text_safe(word, -1);
    const char *near = nearest_option(table, word), *says = foreign_hint(foreign, word, at);
    if (says)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "unknown option '%s': %s", safe, says);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    near ? "unknown option '%s'; did you mean '--%s'?" : "unknown option '%s'",
                    safe, near);
    return FALSE;
}

static gboolean is_choice(const option *row, const char *value)
{
    g_auto(GStrv) choices = g_strsplit(row->choices, " ", -1);
    return g_strv_contains((const char *const *)choices, value);
}

static gboolean store(const option *row, const char *value, GError **error)
{
    if (row->choices && !is_choice(row, value)) {
        g_autofree char *safe = text_safe(value, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "invalid value '%s' for option '--%s': use one of %s", safe, row->name,
                    row->choices);
        return FALSE;
    }
    if (row->kind == OPTION_FLAG) {
        *(gboolean *)row->target = TRUE;
    } else if (row->kind == OPTION_TEXT) {
        *(const char **)row->target = value;
    } else {
        GPtrArray **list = row->target;
        if (!*list)
            *list = g_ptr_array_new();
        g_ptr_array_add(*list, (gpointer)value);
    }
    return TRUE;
}

static gboolean no_value(const option *row, GError **error)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "option '--%s' needs a value: %s", row->name,
                row->argument);
    return FALSE;
}

/* "--name", "--name=value", "--name value". */
static gboolean parse_long(const option *table, const foreign_option *foreign, char ***at,
                           GError **error)
{
    const char *word = **at + 2, *equals = strchr(word, '=');
    const option *row = find_name(table, word, equals ? (gsize)(equals - word) : strlen(word));
    if (!row)
        return unknown(table, foreign, **at, word, error);
    if (row->kind == OPTION_FLAG && equals) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "option '--%s' takes no value", row->name);
        return FALSE;
    }
    if (row->kind == OPTION_FLAG || equals)
        return store(row, equals ? equals + 1 : NULL, error);
    if (!(*at)[1])
        return no_value(row, error);
    ++*at;
    return store(row, **at, error);
}

/* "-a", "-abc", "-eVALUE", "-e VALUE". */
static gboolean parse_short(const option *table, const foreign_option *foreign, char ***at,
                            GError **error)
{
    for (const char *letter = **at + 1; *letter; letter++) {
        const option *row = find_letter(table, *letter);
        if (!row)
            return unknown(table, foreign, **at, letter, error);
        if (row->kind == OPTION_FLAG) {
            if (!store(row, NULL, error))
                return FALSE;
            continue;
        }
        if (letter[1])
            return store(row, letter + 1, error);
        if (!(*at)[1])
            return no_value(row, error);
        ++*at;
        return store(row, **at, error);
    }
    return TRUE;
}

/* TRUE when the option WORD takes the next word as its value. */
static gboolean takes_next(const option *table, const char *word)
{
    if (g_str_has_prefix(word, "--")) {
        const option *row = find_name(table, word + 2, strlen(word + 2));
        return row && row->kind != OPTION_FLAG;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        const option *row = find_letter(table, *letter);
        if (row && row->kind != OPTION_FLAG)
            return !letter[1];
    }
    return FALSE;
}

char **options_skip(const option *table, char **argv)
{
    while (*argv && (*argv)[0] == '-' && (*argv)[1] && strcmp(*argv, "--") != 0)
        argv += takes_next(table, *argv) && argv[1] ? 2 : 1;
    return argv;
}

gboolean options_parse(const option *table, const foreign_option *foreign, char **argv,
                       arguments *result, GError **error)
{
    g_autoptr(GPtrArray) operands = g_ptr_array_new_with_free_func(g_free);
    *result = (arguments){0};
    for (; *argv; argv++) {
        if (strcmp(*argv, "--") == 0) {
            result->command = g_strdupv(argv + 1);
            break;
        }
        gboolean fine = TRUE;
        if (g_str_has_prefix(*argv, "--"))
            fine = parse_long(table, foreign, &argv, error);
        else if ((*argv)[0] == '-' && (*argv)[1])
            fine = parse_short(table, foreign, &argv, error);
        else
            g_ptr_array_add(operands, g_strdup(*argv));
        if (!fine)
            return FALSE;
    }
    g_ptr_array_add(operands, NULL);
    result->operands = (char **)g_ptr_array_free(g_steal_pointer(&operands), FALSE);
    return TRUE;
}

const char *const *options_list(GPtrArray *list)
{
    if (!list)
        return NULL;
    g_ptr_array_add(list, NULL);
    return (const char *const *)list->pdata;
}

static gboolean wants_json, wants_debug;

static const option json_option = {"json", 0, OPTION_FLAG, &wants_json, NULL, "print JSON"};
static const option debug_option = {"debug", 0, OPTION_FLAG, &wants_debug, NULL, ""};

void command_call_clear(struct command_call *self)
{
    g_clear_pointer(&self->operands, g_strfreev);
    g_clear_pointer(&self->command, g_strfreev);
}

gboolean command_has(const struct command *row, enum command_flags flag)
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

char *command_usage(const struct command *row, const struct command_verb *verb)
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

static gboolean unknown_verb(const struct command *row, const char *word, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const struct command_verb *verb = row->verbs; verb->name; verb++)
        g_ptr_array_add(names, (gpointer)verb->name);
    g_ptr_array_add(names, NULL);
    const char *near = text_nearest(word, (const char *const *)names->pdata);
    g_autofree char *safe = text_safe(word, -1);
    g_autofree char *list = verb_names(row);
    if (near)
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
    return parsed && (!row->verbs || find_verb(call, error)) && check_operands(call, error) &&
           check_flags(call, error);
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
