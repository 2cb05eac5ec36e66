/* `box completion words KIND`: values that only `box` knows, as they are just now. */
#include <string.h>

#include "box/exec/apps.h"
#include "box/helpers/agent.h"
#include "box/helpers/gate_rules.h"
#include "box/inspect/devices.h"
#include "box/lifecycle/container.h"
#include "box/lifecycle/made_images.h"
#include "box/registry/branch_names.h"
#include "box/registry/shims.h"
#include "box/snapshot/snapshot_files.h"
#include "cli/cli.h"
#include "cli/commands/project.h"
#include "common/paths.h"
#include "config/agent_preset.h"
#include "config/devices.h"
#include "config/secret_file.h"
#include "proto/question.h"

/* Shells expand completions, so only plain words are printed. */
static gboolean is_plain(const char *word)
{
    return word && *word && *word != '-' &&
           !word[strspn(word, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "._@+:/=-")];
}

static void print_word(const char *word)
{
    if (is_plain(word))
        puts(word);
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
        print_word(word);
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

/* The box that the word BEFORE the operand names, else that of the current folder. */
static struct box *box_before(const char *before)
{
    struct box *named = before && *before ? registry_by_name(before, NULL) : NULL;
    return named ? named : project_box(NULL, PROJECT_EXISTING, NULL);
}

static void print_boxes(const char *before)
{
    (void)before;
    g_auto(GStrv) names = registry_names();
    for (char **name = names; *name; name++)
        puts(*name);
}

static void print_boxes_and_branches(const char *before)
{
    g_auto(GStrv) names = registry_names();
    print_boxes(before);
    for (char **name = names; *name; name++) {
        g_auto(GStrv) branches = branch_names(*name);
        for (char **branch = branches; *branch; branch++)
            printf("%s.%s\n", *name, *branch);
    }
}

/* Those of the current folder's box, else all as BOX.NAME. */
static void print_branches(const char *before)
{
    (void)before;
    g_autoptr(box) self = project_box(NULL, PROJECT_EXISTING, NULL);
    g_auto(GStrv) names = self ? g_strdupv((char *[]){self->name, NULL}) : registry_names();
    for (char **name = names; *name; name++) {
        g_auto(GStrv) branches = branch_names(*name);
        for (char **branch = branches; *branch; branch++)
            printf("%s%s%s\n", self ? "" : *name, self ? "" : ".", *branch);
    }
}

/* In the same way. */
static void print_snapshots(const char *before)
{
    (void)before;
    g_autoptr(box) self = project_box(NULL, PROJECT_EXISTING, NULL);
    g_auto(GStrv) names = self ? g_strdupv((char *[]){self->name, NULL}) : registry_names();
    for (char **name = names; *name; name++) {
        g_autoptr(box) of = registry_by_name(*name, NULL);
        g_autoptr(GArray) numbers = of ? snapshot_numbers(of) : NULL;
        for (guint i = 0; numbers && i < numbers->len; i++)
            printf("%s%s%u\n", self ? "" : *name, self ? "" : ".",
                   g_array_index(numbers, guint, i));
    }
}

static void print_questions(const char *before)
{
    (void)before;
    print_asked(json_pack("{s:s}", "op", "pending"), "pending", "id", NULL);
}

/* The answers that the question with the id BEFORE can have. */
static void print_choices(const char *before)
{
    json_t *answer = agent_call(json_pack("{s:s}", "op", "pending"), FALSE, NULL);
    const json_t *each;
    size_t i;
    json_array_foreach (json_object_get(answer, "pending"), i, each) {
        g_autoptr(question) asked = question_from_json(each, NULL);
        if (!asked || g_strcmp0(json_string_value(json_object_get(each, "id")), before) != 0)
            continue;
        for (guint k = 0; k < asked->choices->len; k++) {
            const question_choice *choice = asked->choices->pdata[k];
            puts(question_answer_word(choice->answer));
        }
    }
    json_decref(answer);
}

static void print_grants(const char *before)
{
    (void)before;
    print_asked(json_pack("{s:s}", "op", "grants"), "grants", "id", NULL);
    puts("all");
}

/* Only litterbox-keys reads Litterbox's own store. */
static void print_own_keys(const char *before)
{
    (void)before;
    g_autofree char *program = paths_libexec("litterbox-keys"), *out = NULL;
    char *argv[] = {program, (char *)"list", (char *)"--json", NULL};
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out, NULL, NULL,
                      NULL))
        return;
    json_t *list = json_loads(out, 0, NULL);
    print_each(list, "name", NULL);
    json_decref(list);
}

static void print_offered_keys(const char *before)
{
    const char *real = g_getenv("SSH_AUTH_SOCK");
    /* The agent's list includes the keys of Litterbox's store. */
    if (!print_asked(json_pack("{s:s, s:s}", "op", "keys", "upstream", real ? real : ""), "keys",
                     "label", "fingerprint"))
        print_own_keys(before);
}

static void print_attached_keys(const char *before)
{
    (void)before;
    g_autoptr(box) self = box_before(NULL);
    json_t *list = self ? agent_list_keys(self, NULL) : NULL;
    print_each(list, "label", "fingerprint");
    json_decref(list);
}

static void print_shims(const char *before)
{
    (void)before;
    g_auto(GStrv) names = shims_names();
    for (char **name = names; *name; name++)
        print_word(*name);
}

/* Those of `box device add`: the others are in a configuration. */
static void print_devices(const char *before)
{
    g_autoptr(box) self = box_before(before);
    g_autoptr(GPtrArray) list = self ? devices_read(self->base, NULL) : NULL;
    for (guint i = 0; list && i < list->len; i++)
        print_word(((const settings_device *)list->pdata[i])->target);
}

/* Those of `box net`: the others are in a configuration. */
static void print_net_rules(const char *before)
{
    g_autoptr(box) self = box_before(before);
    g_auto(GStrv) lines = self ? gate_rules_read(self, NULL) : NULL;
    for (char **line = lines; line && *line; line++)
        print_word(strchr(*line, ' ') + 1);
}

static void print_secrets(const char *before)
{
    (void)before;
    g_auto(GStrv) names = secret_names();
    for (char **name = names; *name; name++)
        print_word(*name);
}

static void print_agents(const char *before)
{
    (void)before;
    g_auto(GStrv) names = agent_preset_names();
    for (char **name = names; *name; name++)
        print_word(*name);
}

static void print_new_devices(const char *before)
{
    (void)before;
    g_autoptr(GPtrArray) found = host_device_list();
    for (guint i = 0; i < found->len; i++) {
        const host_device *device = found->pdata[i];
        print_word(device->stable ? device->stable : device->node);
    }
}

/* Of this run, and kept: port_forwards_list() would start a forwarder that has died. */
static void print_forwards(const char *before)
{
    g_autoptr(box) self = box_before(before);
    const char *const folders[] = {self ? self->runtime : NULL, self ? self->data : NULL, NULL};
    g_autoptr(GHashTable) printed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (const char *const *folder = folders; *folder; folder++) {
        g_autoptr(GPtrArray) list = port_list_read(*folder);
        for (guint i = 0; i < list->len; i++) {
            const port_mapping *one = list->pdata[i];
            char *text = g_strdup_printf("%u:%u", one->host_port, one->box_port);
            if (g_hash_table_add(printed, text))
                puts(text);
        }
    }
}

/* Of a box that runs: none is started for it. */
static void print_apps(const char *before)
{
    g_autoptr(box) self = box_before(before);
    if (!self || !box_find_init(self))
        return;
    g_autoptr(GPtrArray) entries = apps_list(self, NULL, NULL, NULL);
    for (guint i = 0; entries && i < entries->len; i++)
        print_word(((const desktop_entry *)entries->pdata[i])->id);
}

static void print_exported_apps(const char *before)
{
    g_autoptr(box) self = box_before(before);
    g_autoptr(GPtrArray) files = self ? menu_entries_find(self->name) : NULL;
    for (guint i = 0; files && i < files->len; i++)
        print_word(((const menu_entry *)files->pdata[i])->id);
}

static void print_images(const char *before)
{
    (void)before;
    g_autoptr(podman_client) server = podman_connect(NULL);
    g_autoptr(made_images) all = server ? made_images_find(server, NULL, NULL) : NULL;
    g_autoptr(GPtrArray) images = all ? made_images_list(all) : NULL;
    for (guint i = 0; images && i < images->len; i++) {
        const made_image *image = images->pdata[i];
        g_autofree char *brief = g_strndup(image->id, 12);
        print_word(image->names->len ? image->names->pdata[0] : brief);
    }
}

static void print_distributions(const char *before)
{
    (void)before;
    puts("debian\ndebian:bookworm\ndebian:trixie");
}

static void print_words_kinds(const char *before);

static const struct {
    const char *name; /* NULL: a shell completes it by itself */
    void (*print)(const char *before);
} kinds[] = {
#define WORDS_ROW(kind, name, print) [COMPLETE_##kind] = {name, print},
    COMPLETION_WORDS(WORDS_ROW)
#undef WORDS_ROW
};

static void print_words_kinds(const char *before)
{
    (void)before;
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (kinds[i].name)
            puts(kinds[i].name);
}

const char *completion_words_kind(enum completion_kind kind)
{
    return kind < G_N_ELEMENTS(kinds) ? kinds[kind].name : NULL;
}

gboolean completion_words(const char *kind, const char *before)
{
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_strcmp0(kinds[i].name, kind) != 0)
            continue;
        kinds[i].print(before);
        return TRUE;
    }
    return FALSE;
}
