#include "cli/cli.h"

#include <string.h>

#include "box/helpers/agent.h"
#include "cli/commands/project.h"
#include "common/paths.h"

completion_value completion_value_of(const option *row)
{
    static const struct {
        const char *argument;
        completion_value value;
    } known[] = {
        {"DIR", VALUE_FOLDER},
        {"PATH", VALUE_FILE},
        {"FILE", VALUE_FILE},
        {"K=V", VALUE_VARIABLE},
    };

    if (row->kind == OPTION_FLAG)
        return VALUE_NONE;
    if (row->choices)
        return VALUE_CHOICE;
    for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_strcmp0(row->argument, known[i].argument) == 0)
            return known[i].value;
    return VALUE_ANYTHING;
}

char *completion_verbs(const struct command *row)
{
    GString *names = g_string_new(NULL);
    for (const struct command_verb *verb = row->verbs; verb && verb->name; verb++)
        g_string_append_printf(names, "%s%s", names->len ? " " : "", verb->name);
    return g_string_free(names, FALSE);
}

/* Shells expand completions, so only plain words are printed. */
static gboolean is_plain(const char *word)
{
    return word && *word && *word != '-' &&
           !word[strspn(word, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "._@+:/=-")];
}

/* Prints each object's value of KEY, or of INSTEAD (may be NULL) if that is not a plain word. */
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

/* Asks an agent that runs: completion must not start one. FALSE when none runs. */
static gboolean print_asked(json_t *request, const char *list, const char *key, const char *instead)
{
    json_t *answer = agent_call(request, FALSE, NULL);
    gboolean answered = answer != NULL;
    print_each(json_object_get(answer, list), key, instead);
    json_decref(answer);
    return answered;
}

static void print_questions(void)
{
    print_asked(json_pack("{s:s}", "op", "pending"), "pending", "id", NULL);
}

static void print_grants(void)
{
    print_asked(json_pack("{s:s}", "op", "grants"), "grants", "id", NULL);
    puts("all");
}

static void print_boxes(void)
{
    g_auto(GStrv) names = registry_names();
    for (char **name = names; *name; name++)
        puts(*name);
}

/* Only litterbox-keys reads Litterbox's own store. */
static void print_own_keys(void)
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

static void print_offered_keys(void)
{
    const char *real = g_getenv("SSH_AUTH_SOCK");
    /* The agent's list includes the keys of Litterbox's store. */
    if (!print_asked(json_pack("{s:s, s:s}", "op", "keys", "upstream", real ? real : ""), "keys",
                     "label", "fingerprint"))
        print_own_keys();
}

static void print_attached_keys(void)
{
    g_autoptr(box) self = project_box(NULL, PROJECT_EXISTING, NULL);
    json_t *list = self ? agent_list_keys(self, NULL) : NULL;
    print_each(list, "label", "fingerprint");
    json_decref(list);
}

/* Values that only `box` knows. They are needed at once: no Podman, no configuration. */
static const struct {
    const char *name; /* NULL: a shell completes it by itself */
    void (*print)(void);
} kinds[] = {
#define WORDS_ROW(kind, name, print) [COMPLETE_##kind] = {name, print},
    COMPLETION_WORDS(WORDS_ROW)
#undef WORDS_ROW
};

const char *completion_words_kind(enum completion_kind kind)
{
    return kinds[kind].name;
}

static int print_words(const struct command_call *call, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_strcmp0(kinds[i].name, call->operands[0]) == 0) {
            kinds[i].print();
            return 0;
        }
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "KIND is one of boxes, questions, grants, own-keys, offered-keys, attached-keys");
    return -1;
}

static int print_script(const struct command_call *call, GError **error)
{
    static void (*const print[])(FILE * out) = {completion_bash, completion_zsh, completion_fish};
    print[call->verb - call->row->verbs](stdout);
    return 0;
}

static const struct command_verb verbs[] = {
    {"bash", "", 0, 0, print_script, "print the script for bash"},
    {"zsh", "", 0, 0, print_script, "print the script for zsh"},
    {"fish", "", 0, 0, print_script, "print the script for fish"},
    {"words", "KIND", 1, 1, print_words, "print the values of an operand, for the scripts"},
    {0},
};

const struct command command_completion = {
    .name = "completion",
    .group = GROUP_SETUP,
    .verbs = verbs,
    .summary = "print a shell's completion script",
    .details = "An installation has them in place. To try one: source <(box completion bash)",
};
