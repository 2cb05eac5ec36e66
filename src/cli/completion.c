/* `box completion`, and what its scripts need to know of the rows of the table. */
#include "cli/cli.h"

#include <string.h>

completion_value completion_value_of(const option *row)
{
    static const struct {
        const char *argument;
        completion_value value;
    } known[] = {
        {"DIR", VALUE_FOLDER},
        {"PATH", VALUE_FILE},
        {"FILE", VALUE_FILE},
        {"K=V", VALUE_VARIABLE},
    };

    if (row->kind == OPTION_FLAG)
        return VALUE_NONE;
    if (row->choices)
        return VALUE_CHOICE;
    if (strcmp(row->name, "branch") == 0)
        return VALUE_BRANCH;
    for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_strcmp0(row->argument, known[i].argument) == 0)
            return known[i].value;
    return VALUE_ANYTHING;
}

char *completion_verbs(const struct command *row)
{
    GString *names = g_string_new(NULL);
    for (const struct command_verb *verb = row->verbs; verb && verb->name; verb++)
        g_string_append_printf(names, "%s%s", names->len ? " " : "", verb->name);
    return g_string_free(names, FALSE);
}

const char *completion_kind_name(enum completion_kind kind)
{
    static const char *const names[N_COMPLETION_KINDS] = {
        [COMPLETE_PROJECT] = "project",  [COMPLETE_PROJECT_OR_BRANCH] = "project-or-branch",
        [COMPLETE_FILES] = "file",       [COMPLETE_COMMANDS] = "commands",
        [COMPLETE_PROGRAMS] = "program",
    };
    return names[kind] ? names[kind] : completion_words_kind(kind);
}

struct operands completion_operands(const struct command *row, const struct command_verb *verb)
{
    const char *text = verb ? verb->operands : row->operands;
    const enum completion_kind *then = verb ? verb->then : row->then;
    struct operands self = {0};
    g_auto(GStrv) words = g_strsplit(text ? text : "", " ", -1);
    for (char **word = words; *word && **word && !strstr(*word, "--"); word++) {
        g_assert_cmpuint(self.count, <, OPERANDS_MAX);
        struct operand *one = &self.list[self.count];
        one->kind = self.count ? then[self.count - 1] : verb ? verb->completes : row->completes;
        one->optional = **word == '[' && g_str_has_suffix(*word, "]");
        one->repeats = strstr(*word, "…") != NULL;
        self.count++;
    }
    return self;
}

/* TRUE when the word at POSITION can be operand INDEX: what is optional may be missing. */
static gboolean can_be(const struct operands *self, guint index, guint position)
{
    guint earliest = 0;
    gboolean later = self->list[index].repeats;
    for (guint i = 0; i < index; i++) {
        earliest += !self->list[i].optional;
        later |= self->list[i].repeats;
    }
    return position >= earliest && (position <= index || later);
}

char *completion_at(const struct operands *self, guint position, const char *separator)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < self->count; i++) {
        const char *name = completion_kind_name(self->list[i].kind);
        if (name && can_be(self, i, position))
            g_string_append_printf(names, "%s%s", names->len ? separator : "", name);
    }
    return g_strdup(names->str);
}

static int print_words(const struct command_call *call, GError **error)
{
    if (completion_words(call->operands[0], call->operands[1]))
        return 0;
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "no such KIND; 'box completion words kinds' lists all");
    return -1;
}

static int print_script(const struct command_call *call, GError **error)
{
    static void (*const print[])(FILE * out) = {completion_bash, completion_zsh, completion_fish};
    print[call->verb - call->row->verbs](stdout);
    return 0;
}

static const struct command_verb verbs[] = {
    {"bash", "", 0, 0, print_script, "print the script for bash"},
    {"zsh", "", 0, 0, print_script, "print the script for zsh"},
    {"fish", "", 0, 0, print_script, "print the script for fish"},
    {"words",
     "KIND [BEFORE]",
     1,
     2,
     print_words,
     "print an operand's values, for the scripts",
     0,
     COMPLETE_KINDS,
     {COMPLETE_FREE_TEXT}},
    {0},
};

const struct command command_completion = {
    .name = "completion",
    .group = GROUP_SETUP,
    .verbs = verbs,
    .summary = "print a shell's completion script",
    .details = "An installation has them in place. To try one: source <(box completion bash)",
};
