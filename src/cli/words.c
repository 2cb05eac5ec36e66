#include "cli/cli.h"

#include <string.h>

#include "cli/commands/command.h"

const struct foreign_word foreign_words[] = {
    {"shell", "enter", NULL},
    {"exec", "run", NULL},
    {"ps", "list", NULL},
    {"version", "--version", NULL},
    {"remove", "rm", NULL},
    {"delete", "rm", NULL},
    {"destroy", "rm", NULL},
    {"update", "upgrade", NULL},
    {"mv", "rename", NULL},
    {"images", "image list", NULL},
    {"rmi", "image rm", NULL},
    {"create", NULL, "'box init' sets up a project, and 'box enter' creates its box"},
    {"assemble", NULL, "each project has a litterbox.toml, which 'box init' writes"},
    {"ephemeral", NULL, "'box run --ephemeral -- COMMAND' uses a temporary box"},
    {"export", NULL, "'box app export' and 'box shim add' bring programs of a box to this machine"},
    {"generate-entry", NULL, "'box app export' makes entries in the menu"},
    {"attach", NULL, "'box enter' opens another shell in the box"},
    {"ssh", NULL, "'box enter' opens a shell in the box"},
    {"kill", NULL, "'box stop' ends all that runs in the box"},
    {"pull", NULL, "'box upgrade' pulls the image anew and recreates the box on it"},
    {"commit", NULL, "name the software in [box] packages of litterbox.toml, then 'box apply'"},
    {"inspect", NULL,
     "'box status --json' shows the box, and 'box plan --json' what it is made of"},
    {"info", NULL, "'box doctor' shows this machine, and 'box status' a box"},
    {0},
};

const struct foreign_word *foreign_word_find(const char *word)
{
    for (const struct foreign_word *row = foreign_words; row->word; row++)
        if (strcmp(row->word, word) == 0)
            return row;
    return NULL;
}

/* "podman exec -it BOX COMMAND…" has no "--" before the command: where it goes; NULL: nowhere. */
static char **command_begins(char **argv)
{
    g_autofree option *options = command_options(command_find("run"));
    char **at = options_skip(options, argv);
    gboolean has_command = *at && strcmp(*at, "--") != 0 && at[1] && strcmp(at[1], "--") != 0;
    return has_command ? at + 1 : NULL;
}

char **foreign_word_replace(const struct foreign_word *word, char **argv)
{
    g_autoptr(GPtrArray) line = g_ptr_array_new();
    g_auto(GStrv) words = g_strsplit(word->means, " ", -1);
    char **command = strcmp(word->word, "exec") == 0 ? command_begins(argv + 1) : NULL;
    for (char **each = words; *each; each++)
        g_ptr_array_add(line, (gpointer)g_intern_string(*each));
    for (argv++; *argv; argv++) {
        if (argv == command)
            g_ptr_array_add(line, (gpointer) "--");
        g_ptr_array_add(line, *argv);
    }
    g_ptr_array_add(line, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&line), FALSE);
}
