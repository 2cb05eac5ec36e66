/* Completion for fish. */
#include "cli/cli.h"

#include <string.h>

#include "common/text.h"

static const char fish_head[] =
    "# fish completion of box, made by 'box completion fish'.\n"
    "\n"
    "function __box_projects\n"
    "    box completion words $argv[1] 2>/dev/null\n"
    "    __fish_complete_directories (commandline -ct)\n"
    "end\n"
    "\n"
    "# True in front of \"--\", in COMMAND… of box; without one, where a command of box is to come.\n"
    "function __box_at\n"
    "    set -l words (commandline -opc)\n"
    "    contains -- -- $words; and return 1\n"
    "    set -q words[2]; or return (test (count $argv) = 0; echo $status)\n"
    "    contains -- $words[2] $argv\n"
    "end\n"
    "\n"
    "# True where the operand number $argv[1] is to come; options with values apart are operands, too,\n"
    "# for this, which costs a completion and no more.\n"
    "function __box_operand\n"
    "    set -l words (string match -v -- '-*' (commandline -opc))\n"
    "    test (count $words) = (math $argv[1] + 1)\n"
    "end\n"
    "\n"
    "# True where the operand number $argv[1] or a later one is to come.\n"
    "function __box_operand_from\n"
    "    set -l words (string match -v -- '-*' (commandline -opc))\n"
    "    test (count $words) -gt $argv[1]\n"
    "end\n"
    "\n"
    "# True after the verb $argv[1].\n"
    "function __box_verb\n"
    "    set -l words (string match -v -- '-*' (commandline -opc))\n"
    "    test \"$words[3]\" = $argv[1]\n"
    "end\n"
    "\n"
    "function __box_words\n"
    "    set -l before (commandline -opc)\n"
    "    box completion words $argv[1] (string match -v -- '-*' $before[-1]) 2>/dev/null\n"
    "end\n"
    "\n"
    "function __box_behind\n"
    "    contains -- -- (commandline -opc)\n"
    "end\n"
    "\n"
    "# The command's own completion.\n"
    "function __box_command\n"
    "    set -l words (commandline -opc)\n"
    "    set -l at (contains -i -- -- $words)\n"
    "    set -l rest (string escape -- $words[(math $at + 1)..-1])\n"
    "    test $at = (count $words); and set rest\n"
    "    complete -C \"$rest \"(commandline -ct)\n"
    "end\n"
    "\n"
    "complete -c box -f\n"
    "complete -c box -n __box_behind -a '(__box_command)'\n";

static void print_command(const struct command *row, const char *name, FILE *out)
{
    g_autofree char *summary = text_quote(row->summary, TRUE);

    fprintf(out, "complete -c box -n __box_at -a %s -d %s\n", name, summary);
}

static char *value_of(const option *row)
{
    switch (completion_value_of(row)) {
    case VALUE_NONE:
        return g_strdup("");
    case VALUE_CHOICE:
        return g_strdup_printf(" -x -a '%s'", row->choices);
    case VALUE_FOLDER:
        return g_strdup(" -x -a '(__fish_complete_directories (commandline -ct))'");
    case VALUE_FILE:
        return g_strdup(" -r -F");
    case VALUE_VARIABLE:
        return g_strdup(" -x -a '(set -nx)'");
    case VALUE_BRANCH:
        return g_strdup(" -x -a '(__box_words branches)'");
    case VALUE_ANYTHING:
    case N_VALUES:
        break;
    }
    return g_strdup(" -x");
}

static void fish_option(const option *row, const char *at, FILE *out)
{
    g_autofree char *letter = row->letter ? g_strdup_printf(" -s %c", row->letter) : g_strdup("");
    g_autofree char *value = value_of(row);
    g_autofree char *summary = text_quote(row->summary, TRUE);

    fprintf(out, "complete -c box -n '%s'%s -l %s%s -d %s\n", at, letter, row->name, value,
            summary);
}

static void print_command_names(FILE *out)
{
    fputs("-a '", out);
    for (const struct command *const *row = commands; *row; row++)
        fprintf(out, "%s%s", (*row)->name, row[1] ? " " : "'\n");
}

/* What completes the operand of which CONDITION is true. */
static void print_kind(const char *kind, const char *condition, FILE *out)
{
    fprintf(out, "complete -c box -n '%s' ", condition);
    if (strcmp(kind, "project") == 0)
        fputs("-a '(__box_projects boxes)'\n", out);
    else if (strcmp(kind, "project-or-branch") == 0)
        fputs("-a '(__box_projects boxes-and-branches)'\n", out);
    else if (strcmp(kind, "program") == 0)
        fputs("-a '(__fish_complete_command; __box_words agents)'\n", out);
    else if (strcmp(kind, "file") == 0)
        fputs("-F\n", out);
    else if (strcmp(kind, "commands") == 0)
        print_command_names(out);
    else
        fprintf(out, "-a '(__box_words %s)'\n", kind);
}

/* The operands of VERB, or of ROW without one, while AT is true. */
static void print_kinds(const struct command *row, const struct command_verb *verb, const char *at,
                        FILE *out)
{
    struct operands operands = completion_operands(row, verb);
    for (guint i = 0; i <= operands.count; i++) {
        g_autofree char *names = completion_at(&operands, i, " ");
        g_auto(GStrv) kinds = g_strsplit(names, " ", -1);
        g_autofree char *condition =
            g_strdup_printf("%s; and __box_operand%s %u", at, i < operands.count ? "" : "_from",
                            i + (verb ? 2 : 1));
        for (char **kind = kinds; *kind; kind++)
            print_kind(*kind, condition, out);
    }
}

static void fish_operands(const struct command *row, const char *at, FILE *out)
{
    g_autofree char *verbs = completion_verbs(row);
    if (!row->verbs) {
        print_kinds(row, NULL, at, out);
        return;
    }
    fprintf(out, "complete -c box -n '%s; and __box_operand 1' -a '%s'\n", at, verbs);
    for (const struct command_verb *verb = row->verbs; verb->name; verb++) {
        g_autofree char *after = g_strdup_printf("%s; and __box_verb %s", at, verb->name);
        print_kinds(row, verb, after, out);
    }
}

void completion_fish(FILE *out)
{
    fputs(fish_head, out);
    for (const struct command *const *row = commands; *row; row++) {
        print_command(*row, (*row)->name, out);
        if ((*row)->alias)
            print_command(*row, (*row)->alias, out);
    }
    fputs("complete -c box -n __box_at -l help -d 'show all commands'\n"
          "complete -c box -n __box_at -l version -d 'print the version'\n",
          out);
    for (const struct command *const *row = commands; *row; row++) {
        g_autofree char *at =
            g_strdup_printf("__box_at %s%s%s", (*row)->name, (*row)->alias ? " " : "",
                            (*row)->alias ? (*row)->alias : "");
        for (const option *o = (*row)->options; o && o->kind != OPTION_END; o++)
            fish_option(o, at, out);
        fprintf(out,
                "complete -c box -n '%s' -l debug -d 'say what is decided and why'\n"
                "complete -c box -n '%s' -s h -l help -d 'show how it is used'\n",
                at, at);
        fish_operands(*row, at, out);
    }
}
