/* Completion for zsh. */
#include "cli/cli.h"

#include <string.h>

#include "common/text.h"

static const char zsh_head[] =
    "#compdef box\n"
    "# zsh completion of box, made by 'box completion zsh'.\n"
    "\n"
    "_box_projects() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(box completion words $1 2>/dev/null)\"})\n"
    "    _alternative 'boxes:box:compadd -a names' 'folders:folder:_directories'\n"
    "}\n\n"
    "_box_words() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(box completion words $1 ${words[CURRENT-1]:#-*} 2>/dev/null)\"})\n"
    "    compadd -a names\n"
    "}\n\n"
    "# Completes with each KIND.\n"
    "_box_kinds() {\n"
    "    local kind\n"
    "    for kind; do\n"
    "        case $kind in\n"
    "        project) _box_projects boxes ;;\n"
    "        project-or-branch) _box_projects boxes-and-branches ;;\n"
    "        file) _files ;;\n"
    "        program) _command_names -e; _box_words agents ;;\n"
    "        commands) compadd -- ${commands%%:*} ;;\n"
    "        *) _box_words $kind ;;\n"
    "        esac\n"
    "    done\n"
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
    case VALUE_BRANCH:
        return g_strdup(" _box_words branches");
    case VALUE_NONE:
    case VALUE_ANYTHING:
    case N_VALUES:
        break;
    }
    return g_strdup(" ");
}

/* One specification; NAMES as "--json", "--workdir=" or "-w+". */
static void zsh_option(const option *row, const char *name, const char *others, FILE *out)
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

static void zsh_options(const struct command *row, FILE *out)
{
    g_autofree option *options = command_options(row);
    for (const option *o = options; o->kind != OPTION_END; o++) {
        gboolean flag = o->kind == OPTION_FLAG;
        g_autofree char *letter = o->letter ? g_strdup_printf("-%c ", o->letter) : g_strdup("");
        g_autofree char *others = g_strdup_printf("%s--%s", letter, o->name);
        g_autofree char *name = g_strdup_printf("--%s%s", o->name, flag ? "" : "=");
        g_autofree char *brief = g_strdup_printf("-%c%s", o->letter, flag ? "" : "+");
        zsh_option(o, name, others, out);
        if (o->letter)
            zsh_option(o, brief, others, out);
    }
    fputs(" \\\n            '--debug[say what is decided and why]'", out);
    fputs(" \\\n            '(- *)'{-h,--help}'[show how it is used]'", out);
}

/* Calls PRINT for what each operand is completed with, and with position 0 for all that follow. */
static void each_position(const struct command *row, const struct command_verb *verb,
                          void (*print)(const struct command *row, const struct command_verb *verb,
                                        guint position, const char *kinds, FILE *out),
                          FILE *out)
{
    struct operands operands = completion_operands(row, verb);
    for (guint i = 0; i <= operands.count; i++) {
        g_autofree char *kinds = completion_at(&operands, i, " ");
        if (*kinds)
            print(row, verb, i < operands.count ? i + 1 : 0, kinds, out);
    }
}

static void print_case(const struct command *row, const struct command_verb *verb, guint position,
                       const char *kinds, FILE *out)
{
    g_autofree char *at = position ? g_strdup_printf("%u", position) : g_strdup("*");
    fprintf(out, "    %s:%s:%s) _box_kinds %s ;;\n", row->name, verb->name, at, kinds);
}

/* In $line is the verb. */
static void zsh_verbs(FILE *out)
{
    fputs("# _box_verb COMMAND AT: completes the operand AT behind a verb.\n"
          "_box_verb() {\n    case $1:$line[1]:$2 in\n",
          out);
    for (const struct command *const *row = commands; *row; row++)
        for (const struct command_verb *verb = (*row)->verbs; verb && verb->name; verb++)
            each_position(*row, verb, print_case, out);
    fputs("    esac\n}\n\n", out);
}

static void print_operand(const struct command *row, const struct command_verb *verb,
                          guint position, const char *kinds, FILE *out)
{
    g_autofree char *at = position ? g_strdup_printf("%u", position) : g_strdup("*");
    fprintf(out, " \\\n            '%s: : _box_kinds %s'", at, kinds);
}

static void zsh_operands(const struct command *row, FILE *out)
{
    if (!row->verbs) {
        each_position(row, NULL, print_operand, out);
        return;
    }
    g_autofree char *verbs = completion_verbs(row);
    fprintf(out, " \\\n            '1:verb:(%s)'", verbs);
    for (guint i = 1; i <= OPERANDS_MAX; i++)
        fprintf(out, " \\\n            '%u: : _box_verb %s %u'", i + 1, row->name, i);
    fprintf(out, " \\\n            '*: : _box_verb %s rest'", row->name);
}

void completion_zsh(FILE *out)
{
    fputs(zsh_head, out);
    zsh_verbs(out);
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
        zsh_options(*row, out);
        zsh_operands(*row, out);
        fputs("\n        ;;\n", out);
    }
    fputs("    esac\n}\n\nif [[ $funcstack[1] == _box ]]; then _box \"$@\"; else compdef _box box; "
          "fi\n",
          out);
}
