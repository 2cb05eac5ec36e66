#include "box/help.h"

#include <string.h>
#include <unistd.h>

static const char *bold(FILE *out, gboolean on)
{
    const char *no = g_getenv("NO_COLOR"), *term = g_getenv("TERM");
    gboolean colours = isatty(fileno(out)) && !(no && *no) && g_strcmp0(term, "dumb") != 0;
    return colours ? (on ? "\033[1m" : "\033[0m") : "";
}

void help_overview(FILE *out)
{
    fprintf(out,
            "%sbox%s - a private box for each project: editor, tools and agents in it, "
            "the rest of the machine not\n\n"
            "usage: box COMMAND [OPTION…] [PROJECT] [-- COMMAND…]\n"
            "PROJECT is a folder, a box's name, or left out for the project you are in.\n",
            bold(out, TRUE), bold(out, FALSE));
    for (int group = 0; group < N_GROUPS; group++) {
        fprintf(out, "\n%s%s%s\n", bold(out, TRUE), command_group_title((command_group)group),
                bold(out, FALSE));
        for (const command *const *row = commands; *row; row++) {
            if ((int)(*row)->group != group)
                continue;
            g_autofree char *names = (*row)->alias
                                         ? g_strdup_printf("%s, %s", (*row)->name, (*row)->alias)
                                         : g_strdup((*row)->name);
            fprintf(out, "  %-14s %s\n", names, (*row)->summary);
        }
    }
    fputs("\n'box COMMAND --help' tells more; 'man box' tells all.\n", out);
}

static void print_option(const option *row, FILE *out)
{
    g_autofree char *letter =
        row->letter ? g_strdup_printf("-%c, ", row->letter) : g_strdup("    ");
    g_autofree char *left =
        g_strdup_printf("%s--%s%s%s", letter, row->name, row->argument ? " " : "",
                        row->argument ? row->argument : "");
    /* Columns, not bytes: arguments may hold "…". */
    int width = (int)g_utf8_strlen(left, -1);
    fprintf(out, "  %s%*s %s\n", left, width < 30 ? 30 - width : 0, "", row->summary);
}

void help_command(const command *row, FILE *out)
{
    fprintf(out, "%sbox %s%s - %s\n\nusage: box %s%s%s%s\n", bold(out, TRUE), row->name,
            bold(out, FALSE), row->summary, row->name, row->options ? " [OPTION…]" : "",
            *row->arguments ? " " : "", row->arguments);
    if (row->alias)
        fprintf(out, "alias: box %s\n", row->alias);
    if (row->options && row->options->kind != OPTION_END) {
        fputs("\noptions:\n", out);
        for (const option *o = row->options; o->kind != OPTION_END; o++)
            print_option(o, out);
    }
    if (row->details)
        fprintf(out, "\n%s\n", row->details);
}
