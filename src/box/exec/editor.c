#include "box/editor.h"

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

void editor_place_clear(editor_place *place)
{
    g_clear_pointer(&place->path, g_free);
}

/* Takes ":NUMBER" off the end of TEXT; FALSE when there is none. */
static gboolean take_number(char *text, guint *number)
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

void editor_place_read(const char *text, editor_place *place)
{
    g_autofree char *name = g_strdup(text);
    guint number, line = 0;
    /* Twice: the last number is the column if there is another one in front of it. */
    for (int i = 0; i < 2 && access(name, F_OK) < 0 && take_number(name, &number); i++)
        line = number;
    place->path = g_canonicalize_filename(name, NULL);
    place->line = line;
}

static void add(GPtrArray *argv, char *word)
{
    g_ptr_array_add(argv, word);
}

static void add_place(GPtrArray *argv, const editor_kind *kind, const editor_place *place)
{
    editor_line how = kind && place->line ? kind->line : EDITOR_LINE_NONE;
    if (how == EDITOR_LINE_PLUS) {
        add(argv, g_strdup_printf("+%u", place->line));
    } else if (how == EDITOR_LINE_GOTO) {
        add(argv, g_strdup("--goto"));
    } else if (how == EDITOR_LINE_OPTION) {
        add(argv, g_strdup("--line"));
        add(argv, g_strdup_printf("%u", place->line));
    }
    if (how == EDITOR_LINE_GOTO || how == EDITOR_LINE_COLON)
        add(argv, g_strdup_printf("%s:%u", place->path, place->line));
    else
        add(argv, g_strdup(place->path));
}

char **editor_argv(const editor_kind *kind, const char *const *command, gboolean terminal,
                   gboolean wait, const GArray *places, const char *folder)
{
    GPtrArray *argv = g_ptr_array_new();
    for (; *command; command++)
        add(argv, g_strdup(*command));
    if (kind && wait && kind->wait)
        add(argv, g_strdup(kind->wait));
    if (kind && terminal && kind->no_window)
        add(argv, g_strdup(kind->no_window));
    for (guint i = 0; i < places->len; i++)
        add_place(argv, kind, &g_array_index(places, editor_place, i));
    if (places->len == 0 && kind && kind->folders)
        add(argv, g_strdup(folder));
    add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}
