/* What can stand behind a verb of `box agent` and `box keys`, as it is just now. */
#include "box/completion_operands.h"

#include <stdio.h>
#include <string.h>

#include "box/helpers/agent.h"
#include "cli/commands/project.h"
#include "common/paths.h"

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

/* Of an agent that runs: a tabulator key starts none. FALSE when none does. */
static gboolean print_asked(json_t *request, const char *list, const char *key, const char *instead)
{
    json_t *answer = agent_call(request, FALSE, NULL);
    gboolean answered = answer != NULL;
    print_each(json_object_get(answer, list), key, instead);
    json_decref(answer);
    return answered;
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
    /* It knows Litterbox's own as well. */
    if (!print_asked(json_pack("{s:s, s:s}", "op", "keys", "upstream", real ? real : ""), "keys",
                     "label", "fingerprint"))
        own_keys();
}

static void attached_keys(void)
{
    g_autoptr(box) self = project_box(NULL, PROJECT_EXISTING, NULL);
    json_t *list = self ? agent_keys_of(self, NULL) : NULL;
    print_each(list, "label", "fingerprint");
    json_decref(list);
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
