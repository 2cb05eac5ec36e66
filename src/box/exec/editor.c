#include "box/exec/editor.h"

#include <string.h>
#include <unistd.h>

#define WINDOW .terminal = FALSE
#define TERMINAL .terminal = TRUE
#define JETBRAINS(program)                                                              \
    {                                                                                   \
        program, WINDOW, .folders = TRUE, .line = EDITOR_LINE_OPTION, .wait = "--wait", \
                         .package = "the IDE itself"                                    \
    }

const editor_kind editor_kinds[] = {
    {"code", WINDOW, .folders = TRUE, .line = EDITOR_LINE_GOTO, .wait = "--wait",
     .package = "VS Code"},
    {"codium", WINDOW, .folders = TRUE, .line = EDITOR_LINE_GOTO, .wait = "--wait",
     .package = "VSCodium"},
    {"code-oss", WINDOW, .folders = TRUE, .line = EDITOR_LINE_GOTO, .wait = "--wait"},
    {"cursor", WINDOW, .folders = TRUE, .line = EDITOR_LINE_GOTO, .wait = "--wait",
     .package = "Cursor"},
    {"zed", WINDOW, .folders = TRUE, .line = EDITOR_LINE_COLON, .wait = "--wait"},
    {"zeditor", WINDOW, .folders = TRUE, .line = EDITOR_LINE_COLON, .wait = "--wait",
     .package = "zed"},
    JETBRAINS("idea"),
    JETBRAINS("pycharm"),
    JETBRAINS("clion"),
    JETBRAINS("goland"),
    JETBRAINS("webstorm"),
    JETBRAINS("phpstorm"),
    JETBRAINS("rubymine"),
    JETBRAINS("rider"),
    JETBRAINS("rustrover"),
    {"emacs", WINDOW, .folders = TRUE, .line = EDITOR_LINE_PLUS, .no_window = "-nw"},
    {"gvim", WINDOW, .folders = TRUE, .line = EDITOR_LINE_PLUS, .wait = "-f",
     .package = "vim-gtk3 (vim-X11)"},
    {"kate", WINDOW, .folders = TRUE, .line = EDITOR_LINE_OPTION, .wait = "--block"},
    {"gedit", WINDOW, .line = EDITOR_LINE_PLUS, .wait = "--wait"},
    {"gnome-text-editor", WINDOW, .line = EDITOR_LINE_NONE, .wait = "--standalone"},
    {"geany", WINDOW, .line = EDITOR_LINE_OPTION},
    {"mousepad", WINDOW, .line = EDITOR_LINE_OPTION, .wait = "--disable-server"},
    {"featherpad", WINDOW, .line = EDITOR_LINE_PLUS, .wait = "--standalone"},
    {"nvim", TERMINAL, .folders = TRUE, .line = EDITOR_LINE_PLUS, .package = "neovim"},
    {"hx", TERMINAL, .folders = TRUE, .line = EDITOR_LINE_COLON, .package = "helix"},
    {"helix", TERMINAL, .folders = TRUE, .line = EDITOR_LINE_COLON},
    {"vim", TERMINAL, .folders = TRUE, .line = EDITOR_LINE_PLUS},
    {"kak", TERMINAL, .line = EDITOR_LINE_PLUS, .package = "kakoune"},
    {"micro", TERMINAL, .line = EDITOR_LINE_PLUS},
    {"nano", TERMINAL, .line = EDITOR_LINE_PLUS},
    {"vi", TERMINAL, .line = EDITOR_LINE_PLUS, .package = "vim"},
    {NULL},
};

const editor_kind *editor_find(const char *program)
{
    g_autofree char *name = g_path_get_basename(program);
    for (const editor_kind *kind = editor_kinds; kind->name; kind++) {
        if (strcmp(kind->name, name) == 0)
            return kind;
    }
    return NULL;
}

void editor_location_clear(editor_location *location)
{
    g_clear_pointer(&location->path, g_free);
}

/* Removes ":NUMBER" from the end of TEXT; FALSE when there is none. */
static gboolean cut_number(char *text, guint *number)
{
    char *colon = strrchr(text, ':');
    guint64 value;
    if (!colon || colon == text ||
        !g_ascii_string_to_unsigned(colon + 1, 10, 1, G_MAXINT, &value, NULL))
        return FALSE;
    *colon = '\0';
    *number = (guint)value;
    return TRUE;
}

void editor_location_parse(const char *text, editor_location *location)
{
    g_autofree char *name = g_strdup(text);
    guint number, line = 0;
    /* Twice, because the last number is a column if there is another one before it. */
    for (int i = 0; i < 2 && access(name, F_OK) < 0 && cut_number(name, &number); i++)
        line = number;
    location->path = g_canonicalize_filename(name, NULL);
    location->line = line;
}

static void add(GPtrArray *argv, char *word)
{
    g_ptr_array_add(argv, word);
}

static void add_location(GPtrArray *argv, const editor_kind *kind, const editor_location *location)
{
    editor_line_syntax syntax = kind && location->line ? kind->line : EDITOR_LINE_NONE;
    if (syntax == EDITOR_LINE_PLUS) {
        add(argv, g_strdup_printf("+%u", location->line));
    } else if (syntax == EDITOR_LINE_GOTO) {
        add(argv, g_strdup("--goto"));
    } else if (syntax == EDITOR_LINE_OPTION) {
        add(argv, g_strdup("--line"));
        add(argv, g_strdup_printf("%u", location->line));
    }
    if (syntax == EDITOR_LINE_GOTO || syntax == EDITOR_LINE_COLON)
        add(argv, g_strdup_printf("%s:%u", location->path, location->line));
    else
        add(argv, g_strdup(location->path));
}

char **editor_argv(const editor_kind *kind, const char *const *command, gboolean terminal,
                   gboolean wait, const GArray *locations, const char *folder)
{
    GPtrArray *argv = g_ptr_array_new();
    for (; *command; command++)
        add(argv, g_strdup(*command));
    if (kind && wait && kind->wait)
        add(argv, g_strdup(kind->wait));
    if (kind && terminal && kind->no_window)
        add(argv, g_strdup(kind->no_window));
    for (guint i = 0; i < locations->len; i++)
        add_location(argv, kind, &g_array_index(locations, editor_location, i));
    if (locations->len == 0 && kind && kind->folders)
        add(argv, g_strdup(folder));
    add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}
