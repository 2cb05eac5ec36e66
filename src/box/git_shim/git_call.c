#include "box/git_shim/git_call.h"

#include <string.h>

/* Options with a value in the next word, or behind "=" where that is TRUE. */
static const struct {
    const char *name;
    gboolean equals;
} with_value[] = {
    {"-c", FALSE},           {"--namespace", TRUE},
    {"--config-env", TRUE},  {"--super-prefix", TRUE},
    {"--attr-source", TRUE}, {"--shallow-file", FALSE},
};

/* Options without a value, and those whose value is always behind "=". */
static const char *const alone[] = {
    "-p",
    "--paginate",
    "-P",
    "--no-pager",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-advice",
    "--literal-pathspecs",
    "--no-literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-optional-locks",
    "--exec-path",
    "--html-path",
    "--man-path",
    "--info-path",
    NULL,
};
static const char *const alone_with_value[] = {"--exec-path=", "--list-cmds=", NULL};

/* Options that git takes for commands. */
static const char *const commands[] = {"--version", "-v", "--help", "-h", NULL};

/* The value of the option NAME at **WORD; NULL when that is another option. Moves *WORD to the last
 * word of the option, which is the end of the list when the value is missing. */
static const char *value_of(char ***word, const char *name, gboolean equals)
{
    gsize length = strlen(name);
    if (strncmp(**word, name, length) != 0)
        return NULL;
    if (equals && (**word)[length] == '=')
        return **word + length + 1;
    if ((**word)[length] != '\0')
        return NULL;
    ++*word;
    return **word ? **word : "";
}

/* Takes an option that says where git works. */
static gboolean take_place(git_call *self, char ***word)
{
    const char *value;
    if ((value = value_of(word, "-C", FALSE))) {
        /* The current folder becomes the value of --bare at once, and -C would change it. */
        if (self->bare)
            self->unknown = "-C behind --bare";
        g_ptr_array_add(self->folders, (gpointer)value);
    } else if ((value = value_of(word, "--git-dir", TRUE))) {
        self->git_dir = value;
    } else if ((value = value_of(word, "--work-tree", TRUE))) {
        self->work_tree = value;
    } else {
        return FALSE;
    }
    return TRUE;
}

static gboolean is_known_alone(const char *word)
{
    for (const char *const *prefix = alone_with_value; *prefix; prefix++)
        if (g_str_has_prefix(word, *prefix))
            return TRUE;
    return g_strv_contains(alone, word);
}

/* Takes any other option; it stays on the command line. */
static gboolean take_other(git_call *self, char ***word)
{
    char **first = *word;
    gboolean bare = strcmp(*first, "--bare") == 0, known = bare || is_known_alone(*first);
    for (gsize i = 0; !known && i < G_N_ELEMENTS(with_value); i++)
        known = value_of(word, with_value[i].name, with_value[i].equals) != NULL;
    self->bare |= bare;
    for (; known && first <= *word && *first; first++)
        g_ptr_array_add(self->rest, *first);
    return known;
}

static gboolean is_option(const char *word)
{
    return *word == '-' && !g_strv_contains(commands, word);
}

void git_call_parse(git_call *self, char **argv)
{
    char **word = *argv ? argv + 1 : argv;
    *self = (git_call){.folders = g_ptr_array_new(), .rest = g_ptr_array_new()};
    while (*word && is_option(*word) && !self->unknown) {
        if (!take_place(self, &word) && !take_other(self, &word))
            self->unknown = *word;
        else if (*word)
            word++;
    }
    self->command = *word;
    self->arguments = *word ? word + 1 : word;
    for (; *word; word++)
        g_ptr_array_add(self->rest, *word);
}

void git_call_clear(git_call *self)
{
    g_clear_pointer(&self->folders, g_ptr_array_unref);
    g_clear_pointer(&self->rest, g_ptr_array_unref);
}
