/* [podman]: keys that are applied, applied with a warning, and refused. */
#include <glib.h>

#include "plan_fixture.h"

static void raw(fixture *m, const char *json)
{
    g_free(m->wanted->podman_raw);
    m->wanted->podman_raw = g_strdup(json);
}

static void merges(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    raw(&m, "{\"oom_score_adj\":100,\"labels\":{\"mine\":\"1\"},\"env\":{\"A\":\"b\"},"
            "\"dns_search\":[\"x\"]}");
    json_t *request = make_request(&m);

    g_assert_cmpint(json_integer_value(json_object_get(request, "oom_score_adj")), ==, 100);
    g_assert_cmpstr(text(json_object_get(request, "labels"), "mine"), ==, "1");
    g_assert_cmpstr(text(json_object_get(request, "labels"), PLAN_LABEL_BOX), ==, "shop");
    g_assert_cmpstr(text(json_object_get(request, "env"), "A"), ==, "b");
    g_assert_cmpstr(text(json_object_get(request, "env"), "HOME"), ==, "/home/me");
    g_assert_cmpuint(m.plan->warnings->len, ==, 0);
}

static void weakened_protection_is_warned_about(void)
{
    static const struct {
        const char *json, *words;
    } rows[] = {
        {"{\"privileged\":true}", "privileged"},
        {"{\"no_new_privileges\":false}", "no_new_privileges"},
        {"{\"cap_add\":[\"CAP_SYS_ADMIN\"]}", "cap_add"},
        {"{\"cap_drop\":[]}", "cap_drop"},
        {"{\"seccomp_profile_path\":\"unconfined\"}", "seccomp_profile_path"},
        {"{\"unmask\":[\"ALL\"]}", "unmask"},
        {"{\"netns\":{\"nsmode\":\"host\"}}", "network.mode"},
        {"{\"netns\":{\"NSMode\":\"host\"}}", "network.mode"},
        {"{\"ipcns\":{\"nsmode\":\"host\"}}", "ipcns"},
        {"{\"env_host\":true}", "env_host"},
        {"{\"httpproxy\":true}", "httpproxy"},
        {"{\"devices\":[{\"path\":\"/dev/sda\"}]}", "devices"},
        {"{\"healthconfig\":{\"Test\":[\"CMD\",\"x\"]}}", "healthconfig"},
        {"{\"read_only_filesystem\":false}", "read_only_filesystem"},
        {"{\"annotations\":{\"run.oci.hooks.stdout\":\"x\"}}", "run.oci.hooks.stdout"},
        {"{\"volumes\":[{\"Name\":\"x\",\"Dest\":\"/data\"}]}", "volumes"},
        {"{\"a_key_of_next_year\":1}", "a_key_of_next_year"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(fixture) m;
        fixture_init(&m);
        raw(&m, rows[i].json);
        make_request(&m);
        if (!has_warning(&m, rows[i].words))
            g_error("%s : no warning", rows[i].json);
    }
}

static void same_value_is_no_change(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    raw(&m, "{\"privileged\":false,\"no_new_privileges\":true}");
    make_request(&m);
    g_assert_cmpuint(m.plan->warnings->len, ==, 0);
}

static void keys_of_litterbox_are_refused(void)
{
    static const char *const rows[] = {
        "{\"entrypoint\":[\"sh\"]}",
        "{\"command\":[]}",
        "{\"user\":\"1000\"}",
        "{\"userns\":{\"nsmode\":\"host\"}}",
        "{\"pidns\":{\"nsmode\":\"host\"}}",
        "{\"mounts\":[]}",
        "{\"overlay_volumes\":[]}",
        "{\"volumes_from\":[\"x\"]}",
        "{\"image\":\"x\"}",
        "{\"rootfs\":\"/\"}",
        "{\"rootfs_overlay\":true}",
        "{\"init\":true}",
        "{\"name\":\"x\"}",
        "{\"oci_runtime\":\"x\"}",
        "{\"conmon_pid_file\":\"/home/me/.bashrc\"}",
        "{\"labels\":{\"litterbox.box\":\"other\"}}",
        "{\"labels\":{\"Litterbox.plan\":\"x\"}}",
        "{\"volumes\":[{\"Name\":\"x\",\"Dest\":\"/run/litterbox/root\"}]}",
        "{\"volumes\":[{\"Name\":\"x\",\"dest\":\"/run/litterbox/../litterbox\"}]}",
        "{\"image_volumes\":[{\"Destination\":\"/run\"}]}",
        /* Podman ignores the case of keys */
        "{\"Privileged\":true}",
        "{\"ENTRYPOINT\":[\"sh\"]}",
        "{\"Mounts\":[]}",
        "{\"SDNotifyMode\":\"container\"}",
        "{\"\\u212aey\":1}",
        "{\"user\\u017f\":1}",
        "{\"\":1}",
        "[]",
        "nonsense",
        "{\"privileged\":false,\"privileged\":true}",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(fixture) m;
        fixture_init(&m);
        raw(&m, rows[i]);
        assert_refused(&m, "[podman]");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/podman/merges", merges);
    g_test_add_func("/plan/podman/weakened-protection-is-warned-about",
                    weakened_protection_is_warned_about);
    g_test_add_func("/plan/podman/same-value-is-no-change", same_value_is_no_change);
    g_test_add_func("/plan/podman/keys-of-litterbox-are-refused", keys_of_litterbox_are_refused);
    return g_test_run();
}
