/*
 * Fills in what a manual page lists from the program's own tables, so that the page cannot miss
 * one: the line @KEYS@ becomes the keys of the schema, @COMMANDS@ the commands of box, and @WORDS@
 * what other tools call them.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands/command.h"
#include "config/schema.h"

static const char *kind_name(const schema_key *row)
{
    static const char *const names[] = {
        [SCHEMA_STRING] = "text",
        [SCHEMA_BOOL] = "true or false",
        [SCHEMA_ENUM] = "text",
        [SCHEMA_INT] = "number",
        [SCHEMA_DOUBLE] = "number",
        [SCHEMA_SIZE] = "size",
        [SCHEMA_DURATION] = "time",
        [SCHEMA_LIST] = "list of texts",
        [SCHEMA_MAP] = "table of texts",
        [SCHEMA_PORTS] = "list of texts",
        [SCHEMA_SHARES] = "list of texts",
        [SCHEMA_MOUNTS] = "tables",
        [SCHEMA_RAW] = "table",
    };

    G_STATIC_ASSERT(G_N_ELEMENTS(names) == N_SCHEMA_KINDS);
    return names[row->kind];
}

/* Appends TEXT, with the characters escaped that scdoc takes for markup. */
static void append(GString *page, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\_*<>", *text))
            g_string_append_c(page, '\\');
        g_string_append_c(page, *text);
    }
}

/* A list of many lines is shown as its entries. */
static void append_default(GString *page, const char *fallback)
{
    g_auto(GStrv) lines = NULL;

    if (!strchr(fallback, '\n')) {
        g_string_append(page, ", default ");
        append(page, fallback);
        g_string_append(page, ")\n");
        return;
    }
    g_string_append(page, "), by default:\n\n");
    lines = g_strsplit(fallback, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_strstrip(*line);
        char *reason = strstr(*line, ", # ");
        if (**line != '"')
            continue;
        if (reason)
            *reason = '\0';
        g_string_append(page, "\t- ");
        append(page, *line);
        g_string_append(page, reason ? ": " : "");
        append(page, reason ? reason + strlen(", # ") : "");
        g_string_append_c(page, '\n');
    }
    g_string_append_c(page, '\n');
}

static void append_reason(GString *page, const schema_key *row)
{
    g_string_append_c(page, '\t');
    append(page, row->reason);
    g_string_append_c(page, '.');
    if (row->project_only)
        g_string_append(page, " Not in your own files.");
    if (row->user_only)
        g_string_append(page, " In your own files alone.");
    g_string_append(page, "\n\n");
}

static void append_mount_keys(GString *page)
{
    for (int i = 0; i < N_MOUNT_KEYS; i++) {
        const schema_mount_key *key = &schema_mount_keys[i];
        g_string_append_printf(page, "*%s* (text", key->key);
        append_default(page, key->fallback);
        g_string_append_c(page, '\t');
        append(page, key->reason);
        g_string_append(page, ".\n\n");
    }
}

static void append_section(GString *page, const schema_key *row)
{
    const char *open = row->kind == SCHEMA_MOUNTS ? "[[" : "[";
    const char *close = row->kind == SCHEMA_MOUNTS ? "]]" : "]";

    g_string_append(page, "## ");
    /* No escapes: scdoc takes a heading as it is. */
    g_string_append_printf(page, "%s%s%s\n\n", open, row->section, close);
    if (row->key)
        return;
    append(page, row->reason);
    g_string_append(page, ".\n\n");
    if (row->kind == SCHEMA_MOUNTS)
        append_mount_keys(page);
}

static GString *list_keys(void)
{
    GString *page = g_string_new(NULL);
    const char *section = "";

    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        if (strcmp(section, row->section) != 0)
            append_section(page, row);
        section = row->section;
        if (!row->key)
            continue;
        g_string_append_c(page, '*');
        append(page, row->key);
        g_string_append_printf(page, "* (%s", kind_name(row));
        append_default(page, row->fallback);
        append_reason(page, row);
    }
    return page;
}

static void append_command(GString *page, const struct command *row)
{
    g_string_append_printf(page, "*box-%s*(1)", row->name);
    if (row->alias)
        g_string_append_printf(page, ", alias *%s*", row->alias);
    g_string_append_printf(page, "\n\t%c", g_ascii_toupper(row->summary[0]));
    append(page, row->summary + 1);
    g_string_append(page, ".\n\n");
}

static GString *list_commands(void)
{
    GString *page = g_string_new(NULL);

    for (int group = 0; group < N_GROUPS; group++) {
        g_string_append_printf(page, "## %s\n\n", command_group_title((command_group)group));
        for (const struct command *const *row = commands; *row; row++)
            if ((int)(*row)->group == group)
                append_command(page, *row);
    }
    return page;
}

static GString *list_words(void)
{
    GString *page = g_string_new(NULL);
    for (const struct foreign_word *row = foreign_words; row->word; row++) {
        g_string_append_printf(page, "*box %s*\n\t", row->word);
        if (row->means)
            g_string_append_printf(page, "The same as *box %s*.\n\n", row->means);
        else
            g_string_append_printf(page, "Is not there: %s.\n\n", row->says);
    }
    return page;
}

/* Puts LIST in place of the first MARK in *TEXT; takes LIST over. FALSE when there is no MARK. */
static gboolean fill(char **text, const char *mark, GString *list)
{
    char *at = strstr(*text, mark);
    if (at) {
        *at = '\0';
        char *filled = g_strconcat(*text, list->str, at + strlen(mark), NULL);
        g_free(*text);
        *text = filled;
    }
    g_string_free(list, TRUE);
    return at != NULL;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *mark;
        GString *(*list)(void);
    } marks[] = {
        {"@KEYS@\n", list_keys}, {"@COMMANDS@\n", list_commands}, {"@WORDS@\n", list_words}};
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;

    if (argc != 2 || !g_file_get_contents(argv[1], &text, NULL, &error)) {
        fprintf(stderr, "%s\n", error ? error->message : "usage: fill-page PAGE.scd.in");
        return 1;
    }
    gboolean any = FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(marks); i++)
        any |= fill(&text, marks[i].mark, marks[i].list());
    if (any)
        fputs(text, stdout);
    else
        fprintf(stderr, "%s: no line @KEYS@, @COMMANDS@ or @WORDS@\n", argv[1]);
    return any ? 0 : 1;
}
