/* The table of commands, and the help made from it. */
#include "cli/cli.h"

#include <string.h>

#include "common/text.h"
#include "console/log.h"
#include "console/output.h"

#define COMMAND_ADDRESS(name) &command_##name,
const struct command *const commands[] = {COMMANDS(COMMAND_ADDRESS) NULL};

static const char *const group_titles[] = {"Work in a box", "Start, stop and remove", "Set up",
                                           "Inspect"};
G_STATIC_ASSERT(G_N_ELEMENTS(group_titles) == N_GROUPS);

const char *command_group_title(command_group group)
{
    return group_titles[group];
}

const struct command *command_find(const char *word)
{
    for (const struct command *const *row = commands; *row; row++) {
        if (strcmp((*row)->name, word) == 0 || g_strcmp0((*row)->alias, word) == 0)
            return *row;
    }
    return NULL;
}

/* The columns of a terminal, and those where the text of a command, and of an option or a verb,
 * begins. */
#define WIDTH 80
#define SUMMARY_COLUMN 17
#define TEXT_COLUMN 28

static const char *bold(FILE *out, gboolean on)
{
    return !log_has_colours(fileno(out)) ? "" : on ? "\033[1m" : "\033[0m";
}

/* The words of TEXT in lines that end before WIDTH; those after the first begin at COLUMN, where
 * the first is printed. */
static void print_wrapped(const char *text, int column, FILE *out)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \n", -1);
    glong at = column;
    for (char **word = words; *word; word++) {
        glong width = g_utf8_strlen(*word, -1);
        if (at > column && at + 1 + width > WIDTH) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', out);
            at++;
        }
        fputs(*word, out);
        at += width;
    }
    fputc('\n', out);
}

/* LEFT, and TEXT at COLUMN; on two lines where LEFT is too long. */
static void print_columns(const char *left, const char *text, int column, FILE *out)
{
    /* Columns, not bytes: operands may hold "…". */
    int width = 2 + (int)g_utf8_strlen(left, -1);
    fprintf(out, "  %s%s%*s", left, width < column ? "" : "\n",
            width < column ? column - width : column, "");
    print_wrapped(text, column, out);
}

void help_overview(FILE *out)
{
    fprintf(out,
            "%sbox%s - a private box for each project:\n"
            "editor, tools and agents inside; everything else out of reach\n\n"
            "usage: box COMMAND [OPTION…] [PROJECT] [-- COMMAND…]\n"
            "PROJECT is a folder or a box's name; without it, the project you are in.\n",
            bold(out, TRUE), bold(out, FALSE));
    for (int group = 0; group < N_GROUPS; group++) {
        fprintf(out, "\n%s%s%s\n", bold(out, TRUE), command_group_title((command_group)group),
                bold(out, FALSE));
        for (const struct command *const *row = commands; *row; row++) {
            if ((int)(*row)->group != group)
                continue;
            g_autofree char *names = (*row)->alias
                                         ? g_strdup_printf("%s, %s", (*row)->name, (*row)->alias)
                                         : g_strdup((*row)->name);
            print_columns(names, (*row)->summary, SUMMARY_COLUMN, out);
        }
    }
    fputs("\n'box COMMAND --help' explains a command; 'man box' is the manual.\n"
          "'box COMMAND --debug' shows what the command does, and why.\n",
          out);
}

static void help_verbs(const struct command *row, FILE *out)
{
    fputs("\nverbs:\n", out);
    for (const struct command_verb *verb = row->verbs; verb->name; verb++) {
        g_autofree char *left =
            g_strjoin(*verb->operands ? " " : "", verb->name, verb->operands, NULL);
        print_columns(left, verb->summary, TEXT_COLUMN, out);
    }
}

static void help_options(const option *options, FILE *out)
{
    fputs("\noptions:\n", out);
    for (const option *row = options; row->kind != OPTION_END; row++) {
        g_autofree char *letter =
            row->letter ? g_strdup_printf("-%c, ", row->letter) : g_strdup("    ");
        g_autofree char *left =
            !row->argument ? g_strdup_printf("%s--%s", letter, row->name)
                           : g_strdup_printf(row->kind == OPTION_FLAG ? "%s--%s[=%s]" : "%s--%s %s",
                                             letter, row->name, row->argument);
        print_columns(left, row->summary, TEXT_COLUMN, out);
    }
}

void help_command(const struct command *row, FILE *out)
{
    g_autofree option *options = command_options(row);
    gboolean has_options = options->kind != OPTION_END;
    const char *operands = row->verbs ? "VERB [OPERAND…]" : row->operands;
    fprintf(out, "%sbox %s%s - %s\n\nusage: box %s%s%s%s\n", bold(out, TRUE), row->name,
            bold(out, FALSE), row->summary, row->name, has_options ? " [OPTION…]" : "",
            *operands ? " " : "", operands);
    if (row->alias)
        fprintf(out, "alias: box %s\n", row->alias);
    if (row->verbs)
        help_verbs(row, out);
    if (has_options)
        help_options(options, out);
    if (row->details) {
        fputc('\n', out);
        print_wrapped(row->details, 0, out);
    }
}

/* How each operand is completed: its name, "text" for free text, null for one that nobody declared.
 */
static json_t *completes_json(const struct command *row, const struct command_verb *verb)
{
    struct operands operands = completion_operands(row, verb);
    json_t *list = json_array();
    for (guint i = 0; i < operands.count; i++) {
        enum completion_kind kind = operands.list[i].kind;
        const char *name = completion_kind_name(kind);
        json_array_append_new(list, kind == COMPLETE_FREE_TEXT ? json_string("text")
                                    : name                     ? json_string(name)
                                                               : json_null());
    }
    return list;
}

static json_t *options_json(const struct command *row)
{
    g_autofree option *options = command_options(row);
    json_t *list = json_array();
    for (const option *each = options; each->kind != OPTION_END; each++)
        json_array_append_new(list, json_pack("{s:s, s:s?, s:s}", "name", each->name, "argument",
                                              each->argument, "summary", each->summary));
    return list;
}

static json_t *verbs_json(const struct command *row)
{
    json_t *list = json_array();
    for (const struct command_verb *verb = row->verbs; verb && verb->name; verb++)
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:s, s:b, s:b}", "name", verb->name, "operands",
                            json_text(verb->operands), "completes", completes_json(row, verb),
                            "summary", verb->summary, "json", (verb->flags & COMMAND_JSON) != 0,
                            "needs_podman", (verb->flags & COMMAND_NEEDS_PODMAN) != 0));
    return list;
}

/* The table of commands, for programs: the tests find in it what to try. */
static json_t *commands_json(void)
{
    json_t *list = json_array();
    for (const struct command *const *at = commands; *at; at++) {
        const struct command *row = *at;
        json_array_append_new(
            list,
            json_pack("{s:s, s:s?, s:s, s:o, s:o, s:s, s:b, s:b, s:o, s:o}", "name", row->name,
                      "alias", row->alias, "group", command_group_title(row->group), "operands",
                      json_text(row->operands), "completes", completes_json(row, NULL), "summary",
                      row->summary, "json", (row->flags & COMMAND_JSON) != 0, "needs_podman",
                      (row->flags & COMMAND_NEEDS_PODMAN) != 0, "verbs", verbs_json(row), "options",
                      options_json(row)));
    }
    return list;
}

/* The command that WORD is, also when it is a word of another tool. NULL with ERROR. */
static const struct command *find_command(const char *word, GError **error)
{
    const struct foreign_word *foreign = foreign_word_find(word);
    g_auto(GStrv) means = g_strsplit(foreign && foreign->means ? foreign->means : word, " ", 2);
    const struct command *row = means[0] ? command_find(means[0]) : NULL;
    g_autofree char *safe = text_safe(word, -1);
    if (!row && foreign && foreign->says)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "unknown command '%s': %s", safe,
                    foreign->says);
    else if (!row)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "unknown command '%s'; 'box help' lists all commands", safe);
    return row;
}

static int run(const struct command_call *call, GError **error)
{
    const char *word = call->operands[0];
    const struct command *row = word ? find_command(word, error) : NULL;
    if (word && !row)
        return -1;
    if (call->json)
        json_print(commands_json());
    else if (row)
        help_command(row, stdout);
    else
        help_overview(stdout);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .group = GROUP_INSPECT,
    .operands = "[COMMAND]",
    .summary = "show how a command is used",
    .json = "print the table of all commands",
    .flags = COMMAND_JSON,
    .completes = COMPLETE_COMMANDS,
    .most = 1,
    .run = run,
};
