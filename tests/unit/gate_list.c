/* The list of all rules of a box: groups are expanded, what an image says of its packages stays
 * what it was when the container was made, and what is shown is what the gate reads. */
#include "box/helpers/gate_list.h"

#include <string.h>

#include "box/helpers/gate_rules.h"
#include "box/helpers/package_hosts.h"
#include "common/fs.h"
#include "common/paths.h"
#include "proto/network_rules.h"

static char *root;
static struct box of = {.name = (char *)"shop"};

static char *list(char **allow, char **deny, GPtrArray *missing, GError **error)
{
    settings known = {.network = {.mode = NETWORK_FILTERED, .allow = allow, .deny = deny}};
    return gate_list_text(&of, &known, GATE_LIST_NEXT, missing, error);
}

static void assert_list(char **allow, char **deny, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = list(allow, deny, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text, ==, expected);
    /* The gate reads the same rules, in the same order. */
    struct network_rules rules;
    g_autoptr(GPtrArray) shown = gate_list_parse(text);
    g_assert_cmpint(network_rules_parse(text, strlen(text), &rules), ==, 0);
    g_assert_cmpuint(rules.count, ==, shown->len);
    for (guint i = 0; i < shown->len; i++) {
        const struct gate_line *line = shown->pdata[i];
        char rule[NETWORK_RULE_SIZE];
        network_rule_text(&rules.rules[i], rule);
        g_autofree char *held =
            g_strdup_printf("%s %s", rules.rules[i].denies ? "deny" : "allow", rule);
        g_assert_cmpstr(line->rule, ==, held);
    }
    network_rules_clear(&rules);
}

static void a_limit_of_connections_is_a_line(void)
{
    settings known = {.network = {.mode = NETWORK_FILTERED, .connections = 12}};
    g_autofree char *text = gate_list_text(&of, &known, GATE_LIST_NEXT, NULL, NULL);
    g_autoptr(GPtrArray) shown = gate_list_parse(text);
    g_assert_cmpstr(text, ==, "connections=12\n");
    g_assert_cmpuint(shown->len, ==, 0);
}

static void put_group(const char *name, const char *text)
{
    g_autofree char *tail = g_strdup_printf("network/%s.toml", name);
    g_autofree char *path = paths_config(tail);
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_true(fs_make_folder(folder, 0700, NULL) && fs_write(path, text, -1, 0600, NULL));
}

#define LIST(...) ((char *[]){__VA_ARGS__, NULL})

static void groups_are_expanded(void)
{
    gboolean found;
    enum gate_rules_before before;
    put_group("mine", "hosts = [\"a.example.com\", \"b.example.com:22\"]\n");
    assert_list(LIST((char *)"a.example.com", (char *)"@mine"), NULL,
                "allow a.example.com\tconfig\nallow b.example.com:22\tconfig\t@mine\n");
    assert_list(LIST((char *)"@mine"), LIST((char *)"@mine"),
                "allow a.example.com\tconfig\t@mine\nallow b.example.com:22\tconfig\t@mine\n"
                "deny a.example.com\tconfig\t@mine\ndeny b.example.com:22\tconfig\t@mine\n");
    g_assert_true(gate_rules_add(&of, "deny @mine", &before, NULL));
    g_assert_cmpint(before, ==, GATE_RULES_NOTHING);
    /* What an allow has replaced comes back with it. */
    g_assert_true(gate_rules_add(&of, "allow @mine", &before, NULL));
    g_assert_cmpint(before, ==, GATE_RULES_OPPOSITE);
    g_assert_true(gate_rules_take_back(&of, "allow @mine", before, NULL));
    g_assert_true(gate_rules_add(&of, "deny @mine", &before, NULL));
    g_assert_cmpint(before, ==, GATE_RULES_SAME);
    assert_list(NULL, NULL, "deny a.example.com\tnet\t@mine\ndeny b.example.com:22\tnet\t@mine\n");
    g_assert_true(gate_rules_forget(&of, "@mine", &found, NULL) && found);
    assert_list(NULL, NULL, "");
}

/* Methods and paths of the configuration are not voided by a group. `box net` may. */
static void requests_are_not_voided(void)
{
    gboolean found;
    enum gate_rules_before before;
    g_autoptr(GError) error = NULL;
    put_group("whole", "hosts = [\"*.example.com\"]\n");
    g_assert_null(
        list(LIST((char *)"@whole", (char *)"GET a.example.com/x/**"), NULL, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    g_assert_nonnull(strstr(error->message, "'GET a.example.com/x/**' would hold nothing back, as "
                                            "'*.example.com'"));
    g_assert_true(gate_rules_add(&of, "allow a.example.com", &before, NULL));
    assert_list(LIST((char *)"GET a.example.com/x/**"), NULL,
                "allow GET a.example.com/x/**\tconfig\nallow a.example.com\tnet\n");
    g_assert_true(gate_rules_forget(&of, "a.example.com", &found, NULL));
    g_assert_true(gate_rules_add(&of, "allow POST a.example.com/x", &before, NULL));
    assert_list(NULL, NULL, "allow POST a.example.com/x\tnet\n");
    g_assert_true(gate_rules_forget(&of, "POST a.example.com/x", &found, NULL) && found);
}

static void a_group_that_is_not_there_is_an_error(void)
{
    g_autoptr(GError) error = NULL, broken = NULL;
    g_assert_null(list(NULL, LIST((char *)"@nosuch"), NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    put_group("wrong", "hosts = [\"localhost\"]\n");
    g_assert_null(list(LIST((char *)"@wrong"), NULL, NULL, &broken));
    g_assert_error(broken, BOX_ERROR, BOX_ERROR_CONFIG);
}

static void computed_ones_belong_to_a_container(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    /* Nothing is known before the first container is made. */
    g_assert_null(list(LIST((char *)"@apt"), NULL, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_STATE);
    g_autofree char *preview = list(LIST((char *)"@apt"), NULL, missing, NULL);
    g_assert_cmpstr(preview, ==, "");
    g_assert_cmpstr(missing->pdata[0], ==, "@apt");
    g_assert_true(package_hosts_choose(&of, "old", NULL));
    g_assert_true(package_hosts_write(
        &of, "one", LIST((char *)"@apt deb.example.org:80", (char *)"@npm npm.example.org"), NULL));
    g_assert_true(package_hosts_choose(&of, "one", NULL));
    assert_list(LIST((char *)"@apt"), NULL, "allow deb.example.org:80\tconfig\t@apt\n");
    /* The next one is made, and holds from its start. */
    g_assert_true(package_hosts_write(&of, "two", LIST((char *)"@apt other.example.org:80"), NULL));
    assert_list(LIST((char *)"@apt"), NULL, "allow deb.example.org:80\tconfig\t@apt\n");
    g_assert_true(package_hosts_choose(&of, "two", NULL));
    assert_list(LIST((char *)"@apt", (char *)"@npm"), NULL,
                "allow other.example.org:80\tconfig\t@apt\n");
    /* It was undone, and the one before is back. */
    g_assert_true(package_hosts_choose(&of, "one", NULL));
    assert_list(LIST((char *)"@npm"), NULL, "allow npm.example.org\tconfig\t@npm\n");
    /* One that is made from a snapshot has those of the one before. */
    g_assert_true(package_hosts_inherit(&of, "three", NULL));
    g_assert_true(package_hosts_choose(&of, "three", NULL));
    assert_list(LIST((char *)"@npm"), NULL, "allow npm.example.org\tconfig\t@npm\n");
    /* One of an older Litterbox. */
    g_clear_error(&error);
    g_assert_true(package_hosts_choose(&of, "old", NULL));
    g_assert_null(list(LIST((char *)"@apt"), NULL, NULL, &error));
    g_assert_nonnull(strstr(error->message, "box apply"));
}

static void assert_image(const char *image, const char *expected)
{
    g_auto(GStrv) lines = package_hosts_of_image(image);
    g_autofree char *text = lines ? g_strjoinv(" ", lines) : NULL;
    g_assert_cmpstr(text, ==, expected);
}

static void images_are_remembered_up_to_a_limit(void)
{
    g_autofree char *long_line = g_strnfill(1000, 'x');
    assert_image("one", NULL);
    package_hosts_keep_image("one", LIST((char *)"@apt a.example.org:80", (char *)"@npm"));
    package_hosts_keep_image("none", LIST(NULL));
    assert_image("one", "@apt a.example.org:80 @npm");
    assert_image("none", "");
    assert_image("on", NULL);
    package_hosts_keep_image("one", LIST((char *)"@apt b.example.org:80"));
    assert_image("one", "@apt b.example.org:80");
    for (int i = 0; i < 200; i++) {
        g_autofree char *image = g_strdup_printf("%d", i);
        package_hosts_keep_image(image, LIST(long_line));
    }
    assert_image("199", long_line);
    assert_image("150", long_line);
    assert_image("100", NULL);
    assert_image("one", NULL);
}

/* In one group and in another: as the first. And not more than the gate takes. */
static void rules_have_limits(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) many = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i <= NETWORK_RULES_MAX; i++)
        g_ptr_array_add(many, g_strdup_printf("h%d.example.com", i));
    g_ptr_array_add(many, NULL);
    g_assert_null(list((char **)many->pdata, NULL, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    put_group("same", "hosts = [\"a.example.com\", \"@mine\"]\n");
    assert_list(LIST((char *)"@same"), NULL,
                "allow a.example.com\tconfig\t@same\nallow b.example.com:22\tconfig\t@same\n");
}

/* A list of no box, for `box net check`. */
static void no_box_is_needed(void)
{
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    settings known = {.network = {.allow = LIST((char *)"@npm", (char *)"@mine")}};
    g_autofree char *text = gate_list_text(NULL, &known, GATE_LIST_NEXT, missing, NULL);
    g_assert_cmpstr(text, ==,
                    "allow a.example.com\tconfig\t@mine\nallow b.example.com:22\tconfig\t@mine\n");
    g_assert_cmpuint(missing->len, ==, 1);
}

/* In audit nobody is asked. */
static void audit_takes_the_place_of_ask(void)
{
    settings known = {.network = {.ask = TRUE}};
    g_autofree char *asks = gate_list_text(NULL, &known, GATE_LIST_NEXT, NULL, NULL);
    known.network.audit = TRUE;
    g_autofree char *audits = gate_list_text(NULL, &known, GATE_LIST_NEXT, NULL, NULL);
    g_assert_cmpstr(asks, ==, "ask\n");
    g_assert_cmpstr(audits, ==, "audit\n");
}

/* The gate says which list it holds, and a box may have taken it over. */
static void a_false_group_is_none(void)
{
    static const char *const groups[] = {"@mine", "mine", "@\033]0;x\007", "@a b", "@", ""};
    for (gsize i = 0; i < G_N_ELEMENTS(groups); i++) {
        g_autofree char *text = g_strdup_printf("allow a.example.com\tconfig\t%s\n", groups[i]);
        g_autoptr(GPtrArray) shown = gate_list_parse(text);
        g_assert_cmpuint(shown->len, ==, 1);
        g_assert_cmpstr(((struct gate_line *)shown->pdata[0])->group, ==, i == 0 ? "@mine" : NULL);
    }
}

/* One more would not fit into the message to litterbox-secrets, and every connection be refused. */
static void requests_of_a_host_are_bounded(void)
{
    g_autoptr(GPtrArray) rules = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strnfill(200, 'a');
    for (int i = 0; i < 250; i++)
        g_ptr_array_add(rules, g_strdup_printf("GET api.example.com/%s/%d", path, i));
    g_ptr_array_add(rules, g_strdup_printf("GET other.example.com/%s", path));
    g_ptr_array_add(rules, NULL);
    g_autofree char *text = list((char **)rules->pdata, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(text);
    g_ptr_array_set_size(rules, (gint)rules->len - 1);
    for (int i = 250; i < 300; i++)
        g_ptr_array_add(rules, g_strdup_printf("GET api.example.com/%s/%d", path, i));
    g_ptr_array_add(rules, NULL);
    g_assert_null(list((char **)rules->pdata, NULL, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    g_assert_nonnull(strstr(error->message, "'api.example.com:443' are longer than 64 KiB"));
}

int main(int argc, char **argv)
{
    root = g_dir_make_tmp("gate-list-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", root, TRUE);
    g_setenv("XDG_STATE_HOME", root, TRUE);
    of.data = of.runtime = root;
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate_list/connections", a_limit_of_connections_is_a_line);
    g_test_add_func("/gate_list/groups", groups_are_expanded);
    g_test_add_func("/gate_list/requests", requests_are_not_voided);
    g_test_add_func("/gate_list/missing", a_group_that_is_not_there_is_an_error);
    g_test_add_func("/gate_list/computed", computed_ones_belong_to_a_container);
    g_test_add_func("/gate_list/images", images_are_remembered_up_to_a_limit);
    g_test_add_func("/gate_list/no_box", no_box_is_needed);
    g_test_add_func("/gate_list/audit", audit_takes_the_place_of_ask);
    g_test_add_func("/gate_list/limits", rules_have_limits);
    g_test_add_func("/gate_list/false_group", a_false_group_is_none);
    g_test_add_func("/gate_list/requests_of_a_host", requests_of_a_host_are_bounded);
    int status = g_test_run();
    fs_remove_tree(root, NULL);
    g_free(root);
    return status;
}
