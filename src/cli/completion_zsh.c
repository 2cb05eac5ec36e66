/* Completion for zsh. */
#include "cli/cli.h"

#include <string.h>

#include "common/text.h"

static const char head[] =
    "#compdef box\n"
    "# zsh completion of box, made by 'box completion zsh'.\n"
    "\n"
    "_box_projects() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(box completion words boxes 2>/dev/null)\"})\n"
    "    _alternative 'boxes:box:compadd -a names' 'folders:folder:_directories'\n"
    "}\n\n"
    "_box_words() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(box completion words $1 2>/dev/null)\"})\n"
    "    compadd -a names\n"
    "}\n\n";

static const char middle[] = "    if (( CURRENT == 2 )); then\n"
                             "        _describe -t commands 'box command' commands\n"
                             "        return\n"
                             "    fi\n"
                             "    local command=$words[2]\n"
                             "    shift words\n"
                             "    (( CURRENT-- ))\n"
                             "    # After \"--\": a command of its own.\n"
                             "    local dashes=${words[(i)--]}\n"
                             "    if (( dashes < CURRENT )); then\n"
                             "        words=(\"${(@)words[dashes + 1,-1]}\")\n"
                             "        (( CURRENT -= dashes ))\n"
                             "        _normal\n"
                             "        return\n"
                             "    fi\n"
                             "    case $command in\n";

/* TEXT inside of a specification of _arguments or _describe: colons and brackets end its parts. */
static char *escape(const char *text)
{
    GString *out = g_string_new(NULL);

    for (; *text; text++) {
        if (strchr(":[]\\", *text))
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text);
    }
    return g_string_free(out, FALSE);
}

static void print_described(const char *name, const char *summary, FILE *out)
{
    g_autofree char *escaped = escape(summary);
    g_autofree char *both = g_strconcat(name, ":", escaped, NULL);
    g_autofree char *quoted = text_quote(both, FALSE);

    fprintf(out, "        %s\n", quoted);
}

static char *action_of(const option *row)
{
    switch (completion_value_of(row)) {
    case VALUE_CHOICE:
        return g_strdup_printf("(%s)", row->choices);
    case VALUE_FOLDER:
        return g_strdup("_directories");
    case VALUE_FILE:
        return g_strdup("_files");
    case VALUE_VARIABLE:
        return g_strdup("_parameters -g \"*export*\"");
    case VALUE_NONE:
    case VALUE_ANYTHING:
    case N_VALUES:
        break;
    }
    return g_strdup(" ");
}

/* One specification; NAMES as "--json", "--workdir=" or "-w+". */
static void print_option(const option *row, const char *name, const char *others, FILE *out)
{
    g_autofree char *summary = escape(row->summary);
    g_autofree char *action = action_of(row);
    g_autofree char *argument = escape(row->argument ? row->argument : "");
    g_autofree char *value =
        row->kind == OPTION_FLAG ? g_strdup("") : g_strconcat(":", argument, ":", action, NULL);
    g_autofree char *exclusive =
        row->kind == OPTION_LIST ? g_strdup("*") : g_strdup_printf("(%s)", others);
    g_autofree char *spec = g_strconcat(exclusive, name, "[", summary, "]", value, NULL);
    g_autofree char *quoted = text_quote(spec, FALSE);

    fprintf(out, " \\\n            %s", quoted);
}

static void print_options(const struct command *row, FILE *out)
{
    g_autofree option *options = command_options(row);
    for (const option *o = options; o->kind != OPTION_END; o++) {
        gboolean flag = o->kind == OPTION_FLAG;
        g_autofree char *letter = o->letter ? g_strdup_printf("-%c ", o->letter) : g_strdup("");
        g_autofree char *others = g_strdup_printf("%s--%s", letter, o->name);
        g_autofree char *name = g_strdup_printf("--%s%s", o->name, flag ? "" : "=");
        g_autofree char *brief = g_strdup_printf("-%c%s", o->letter, flag ? "" : "+");
        print_option(o, name, others, out);
        if (o->letter)
            print_option(o, brief, others, out);
    }
    fputs(" \\\n            '--debug[say what is decided and why]'", out);
    fputs(" \\\n            '(- *)'{-h,--help}'[show how it is used]'", out);
}

/* The function that completes operands of KIND; a new string. */
static char *action_of_kind(enum completion_kind kind)
{
    static const char *const actions[N_COMPLETION_KINDS] = {
        [COMPLETE_PROJECT] = "_box_projects",
        [COMPLETE_FILES] = "_files",
        [COMPLETE_PROGRAMS] = "_command_names -e",
    };
    const char *words = completion_words_kind(kind);
    return words ? g_strconcat("_box_words ", words, NULL) : g_strdup(actions[kind]);
}

/* In $line is the verb. */
static void print_verbs(FILE *out)
{
    fputs("# _box_verb COMMAND: completes what stands after a verb.\n"
          "_box_verb() {\n    case $1:$line[1] in\n",
          out);
    for (const struct command *const *row = commands; *row; row++) {
        for (const struct command_verb *verb = (*row)->verbs; verb && verb->name; verb++) {
            g_autofree char *action = action_of_kind(verb->completes);
            if (action)
                fprintf(out, "    %s:%s) %s ;;\n", (*row)->name, verb->name, action);
        }
    }
    fputs("    esac\n}\n\n", out);
}

static void print_operands(const struct command *row, FILE *out)
{
    g_autofree char *verbs = completion_verbs(row);
    g_autofree char *action = action_of_kind(row->completes);
    gboolean programs = row->completes == COMPLETE_PROGRAMS;
    for (const struct command_verb *verb = row->verbs; verb && verb->name; verb++)
        programs |= verb->completes == COMPLETE_PROGRAMS;
    if (row->verbs)
        fprintf(out, " \\\n            '1:verb:(%s)' \\\n            '%s: : _box_verb %s'", verbs,
                programs ? "*" : "2", row->name);
    else if (row->completes == COMPLETE_COMMANDS)
        fputs(" \\\n            '1:command:(${commands%%:*})'", out);
    else if (action)
        fprintf(out, " \\\n            '%s:%s:%s'", programs ? "*" : "1",
                row->completes == COMPLETE_PROJECT ? "project" : "operand", action);
}

void completion_zsh(FILE *out)
{
    fputs(head, out);
    print_verbs(out);
    fputs("_box() {\n    local -a commands\n    commands=(\n", out);
    for (const struct command *const *row = commands; *row; row++) {
        print_described((*row)->name, (*row)->summary, out);
        if ((*row)->alias)
            print_described((*row)->alias, (*row)->summary, out);
    }
    fputs("    )\n", out);
    fputs(middle, out);
    for (const struct command *const *row = commands; *row; row++) {
        fprintf(out, "    %s%s%s)\n        _arguments -s -S", (*row)->name,
                (*row)->alias ? "|" : "", (*row)->alias ? (*row)->alias : "");
        print_options(*row, out);
        print_operands(*row, out);
        fputs("\n        ;;\n", out);
    }
    fputs("    esac\n}\n\nif [[ $funcstack[1] == _box ]]; then _box \"$@\"; else compdef _box box; "
          "fi\n",
          out);
}
