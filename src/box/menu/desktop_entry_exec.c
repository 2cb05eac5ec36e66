/* The Exec key of the Desktop Entry Specification as arguments, for a program in the box. */
#include <string.h>

#include "box/menu/desktop_entry.h"

#define EXEC_WORDS_MAX 256

/* The words of EXEC with their field codes. No shell sees them. */
static char **split_exec(const char *exec)
{
    char **words = NULL;
    int count = 0;
    if (strlen(exec) > ENTRY_EXEC_MAX || !g_shell_parse_argv(exec, &count, &words, NULL))
        return NULL;
    if (count <= EXEC_WORDS_MAX && *words[0])
        return words;
    g_strfreev(words);
    return NULL;
}

char desktop_entry_field_code(const char *exec)
{
    g_auto(GStrv) words = split_exec(exec);
    for (char **word = words; word && *word; word++)
        for (const char *at = *word; (at = strchr(at, '%')) && at[1]; at += 2)
            if (strchr("fFuU", at[1]))
                return at[1];
    return 0;
}

/* How to expand the words of a command. */
typedef struct {
    const desktop_entry *entry;
    const char *const *files; /* or NULL */
    GPtrArray *argv;
} expansion;

static gboolean is_file(char code)
{
    return strchr("fFuU", code) != NULL;
}

static gboolean is_list(const char *word)
{
    return strcmp(word, "%F") == 0 || strcmp(word, "%U") == 0;
}

/* Appends the value of the field code CODE to TEXT. FALSE when there is no such code. */
static gboolean append_field(const expansion *self, char code, GString *text)
{
    const char *file = self->files ? self->files[0] : NULL;
    if (code == '%')
        g_string_append_c(text, '%');
    else if (code == 'c')
        g_string_append(text, self->entry->name);
    else if (code == 'k')
        g_string_append(text, self->entry->source);
    else if (is_file(code))
        g_string_append(text, file ? file : "");
    else
        return strchr("dDnNvmi", code) != NULL; /* deprecated codes have no value */
    return TRUE;
}

static gboolean expand_text(expansion *self, const char *word)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean coded = FALSE;
    for (const char *at = word; *at; at++) {
        if (*at != '%') {
            g_string_append_c(text, *at);
            continue;
        }
        at++;
        if (!*at || !append_field(self, *at, text))
            return FALSE;
        coded |= *at != '%';
    }
    /* A word that is only a field code without a value is no argument. */
    if (text->len || !coded)
        g_ptr_array_add(self->argv, g_strdup(text->str));
    return TRUE;
}

static gboolean expand(expansion *self, const char *word)
{
    if (strcmp(word, "%i") == 0) {
        if (self->entry->icon) {
            g_ptr_array_add(self->argv, g_strdup("--icon"));
            g_ptr_array_add(self->argv, g_strdup(self->entry->icon));
        }
        return TRUE;
    }
    if (!is_list(word))
        return expand_text(self, word);
    for (const char *const *file = self->files; file && *file; file++)
        g_ptr_array_add(self->argv, g_strdup(*file));
    return TRUE;
}

static gboolean check_files(const desktop_entry *self, const char *const *files, GError **error)
{
    guint count = files ? g_strv_length((char **)files) : 0;
    gboolean many = self->field == 'F' || self->field == 'U';
    if (count <= (many ? G_MAXUINT : self->field ? 1u : 0u))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                self->field ? "'%s' takes one file" : "'%s' takes no files", self->id);
    return FALSE;
}

char **desktop_entry_argv(const desktop_entry *self, const char *const *files, GError **error)
{
    g_auto(GStrv) words = split_exec(self->exec);
    if (!check_files(self, files, error))
        return NULL;
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    expansion into = {self, files, argv};
    gboolean good = words && !strchr(words[0], '%');
    for (char **word = words; good && *word; word++)
        good = expand(&into, *word);
    if (!good) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the entry '%s' of the box has no valid command", self->id);
        return NULL;
    }
    g_ptr_array_add(argv, NULL);
    g_ptr_array_set_free_func(argv, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&argv), FALSE);
}
