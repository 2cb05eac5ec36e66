/* What can stand behind a verb of `box agent` and `box keys`, as it is just now. */
#include "box/completion_operands.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "box/agent.h"
#include "box/project.h"
#include "common/fs.h"
#include "common/paths.h"

#define ATTACHED_MAX (256 * 1024)

/* Shells expand what they are offered: nothing but plain words is. */
static gboolean is_plain(const char *word)
{
    return word && *word && *word != '-' &&
           !word[strspn(word, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "._@+:/=-")];
}

/* Each object's value of KEY, or where that is no plain word, of INSTEAD (may be NULL). */
static void print_each(const json_t *list, const char *key, const char *instead)
{
    const json_t *each;
    size_t i;
    json_array_foreach (list, i, each) {
        const char *word = json_string_value(json_object_get(each, key));
        if (!is_plain(word) && instead)
            word = json_string_value(json_object_get(each, instead));
        if (is_plain(word))
            puts(word);
    }
}

/* Of an agent that runs: a tabulator key starts none. */
static void print_asked(json_t *request, const char *list, const char *key, const char *instead)
{
    json_t *answer = agent_call(request, FALSE, NULL);
    print_each(json_object_get(answer, list), key, instead);
    json_decref(answer);
}

static void questions(void)
{
    print_asked(json_pack("{s:s}", "op", "pending"), "pending", "id", NULL);
}

static void grants(void)
{
    print_asked(json_pack("{s:s}", "op", "grants"), "grants", "id", NULL);
    puts("all");
}

static void boxes(void)
{
    g_auto(GStrv) names = registry_names();
    for (char **name = names; *name; name++)
        puts(*name);
}

/* Those of Litterbox's own store, which its program alone reads. */
static void own_keys(void)
{
    g_autofree char *program = paths_libexec("litterbox-keys"), *out = NULL;
    char *argv[] = {program, (char *)"list", (char *)"--json", NULL};
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out, NULL, NULL,
                      NULL))
        return;
    json_t *list = json_loads(out, 0, NULL);
    print_each(list, "name", NULL);
    json_decref(list);
}

static void offered_keys(void)
{
    const char *real = g_getenv("SSH_AUTH_SOCK");
    own_keys();
    print_asked(json_pack("{s:s, s:s}", "op", "keys", "upstream", real ? real : ""), "keys",
                "label", "fingerprint");
}

static void attached_keys(void)
{
    g_autoptr(box) self = project_box(NULL, PROJECT_EXISTING, NULL);
    g_autofree char *path = self ? agent_attached_path(self->base) : NULL, *text = NULL;
    if (!path || !fs_read(AT_FDCWD, path, ATTACHED_MAX, &text, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, " ", 2);
        const char *label = parts[0] ? parts[1] : NULL;
        if (is_plain(label) || is_plain(parts[0]))
            puts(is_plain(label) ? label : parts[0]);
    }
}

static void nothing(void)
{
}

gboolean completion_operands(const char *command, const char *verb)
{
    static const struct {
        const char *command, *verb;
        void (*print)(void);
    } table[] = {
        {"agent", "approve", questions},   {"agent", "deny", questions},
        {"agent", "revoke", grants},       {"agent", "mute", boxes},
        {"agent", NULL, nothing},          {"keys", "show", own_keys},
        {"keys", "rename", own_keys},      {"keys", "delete", own_keys},
        {"keys", "export", own_keys},      {"keys", "attach", offered_keys},
        {"keys", "detach", attached_keys}, {"keys", "generate", nothing},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        if (strcmp(table[i].command, command) != 0 ||
            (table[i].verb && g_strcmp0(table[i].verb, verb) != 0))
            continue;
        table[i].print();
        return TRUE;
    }
    return FALSE;
}
