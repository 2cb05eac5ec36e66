/* The create request: what it contains for every box, and what settings change. */
#include <glib.h>

#include "plan/prepare.h"
#include "plan_fixture.h"

#define DATA "/home/me/.local/share/litterbox/data/shop"

static void no_privilege_by_default(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->security.sudo = SUDO_DENY;
    json_t *request = make_request(&m);
    static const char *const closed[] = {"privileged", "env_host", "httpproxy", "terminal",
                                         "stdin",      "init",     "remove"};
    static const char *const spaces[] = {"pidns", "ipcns", "utsns", "cgroupns"};

    for (gsize i = 0; i < G_N_ELEMENTS(closed); i++)
        g_assert_true(json_is_false(json_object_get(request, closed[i])));
    for (gsize i = 0; i < G_N_ELEMENTS(spaces); i++)
        g_assert_cmpstr(text(json_object_get(request, spaces[i]), "nsmode"), ==, "private");
    g_assert_true(json_is_true(json_object_get(request, "no_new_privileges")));
    g_assert_cmpstr(text(json_object_get(request, "userns"), "nsmode"), ==, "keep-id");
    g_assert_true(in_list(json_object_get(request, "cap_drop"), "all"));
    g_assert_cmpuint(json_array_size(json_object_get(request, "cap_add")), ==, 12);
    g_assert_null(json_object_get(request, "seccomp_profile_path"));
    g_assert_null(json_object_get(request, "unmask"));
}

/* ENTRYPOINT, CMD, USER, WORKDIR, STOPSIGNAL, VOLUME, HEALTHCHECK and ENV of an image. */
static void request_overrides_image_config(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    const char *env[] = {"FOO=1", "PATH=/opt/go/bin:/usr/bin", NULL};
    m.box.image = "docker.io/library/debian:bookworm";
    m.box.image_env = env;
    json_t *request = make_request(&m);

    g_assert_cmpstr(text(request, "image"), ==, m.box.image);
    g_assert_true(in_list(json_object_get(request, "entrypoint"), PLAN_INIT));
    g_assert_cmpuint(json_array_size(json_object_get(request, "entrypoint")), ==, 1);
    g_assert_true(in_list(json_object_get(request, "command"), "--uid"));
    g_assert_cmpstr(text(request, "user"), ==, "0:0");
    g_assert_cmpstr(text(request, "work_dir"), ==, "/");
    g_assert_cmpint(json_integer_value(json_object_get(request, "stop_signal")), ==, 15);
    g_assert_cmpstr(text(request, "image_volume_mode"), ==, "ignore");
    g_assert_cmpstr(text(request, "systemd"), ==, "false");
    g_assert_cmpstr(text(request, "restart_policy"), ==, "no");
    g_assert_true(json_is_false(json_object_get(request, "publish_image_ports")));
    json_t *test = json_object_get(json_object_get(request, "healthconfig"), "Test");
    g_assert_true(in_list(test, "NONE"));
    json_t *variables = json_object_get(request, "env");
    g_assert_true(g_str_has_prefix(text(variables, "PATH"), PLAN_BIN ":"));
    g_assert_true(g_str_has_suffix(text(variables, "PATH"), ":/opt/go/bin:/usr/bin"));
    g_assert_cmpstr(text(variables, "HOME"), ==, "/home/me");
    json_t *labels = json_object_get(request, "labels");
    g_assert_cmpstr(text(labels, PLAN_LABEL_BOX), ==, "shop");
    g_assert_cmpstr(text(labels, PLAN_LABEL_PROJECT), ==, PROJECT);
    g_assert_cmpstr(text(labels, PLAN_LABEL_INSTANCE), ==, "");
}

static void box_init_arguments(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->box.idle_stop = SETTINGS_NEVER;
    m.wanted->security.sudo = SUDO_ALLOW;
    m.wanted->security.nested = TRUE;
    m.wanted->security.keep_groups = TRUE;
    set_list(&m.wanted->protect.paths, ".envrc");
    set_list(&m.wanted->security.capabilities, "NET_RAW,CHOWN");
    json_t *request = make_request(&m);
    json_t *command = json_object_get(request, "command");
    g_autofree char *line = json_dumps(command, JSON_COMPACT);

    g_assert_cmpstr(line, ==,
                    "[\"--uid\",\"1000\",\"--gid\",\"1000\",\"--user\",\"me\",\"--home\","
                    "\"/home/me\",\"--shell\",\"/bin/bash\",\"--workdir\",\"" PROJECT
                    "\",\"--set\",\"box.idle_stop=never\",\"--set\","
                    "\"box.keep_alive=processes\",\"--set\",\"security.sudo=allow\","
                    "\"--set\",\"security.keep_groups=true\",\"--set\",\"security.nested=true\","
                    "\"--caps\",\"CHOWN,"
                    "DAC_OVERRIDE,FOWNER,FSETID,KILL,NET_BIND_SERVICE,SETFCAP,SETGID,SETPCAP,"
                    "SETUID,SYS_CHROOT,NET_RAW\",\"--reserve\",\"" PROJECT
                    "/litterbox.toml\",\"--reserve\",\"" PROJECT
                    "/.envrc\",\"--git-folder\",\"" PROJECT "\"]");
    g_assert_true(in_list(json_object_get(request, "cap_add"), "CAP_NET_RAW"));
    g_assert_cmpuint(json_array_size(json_object_get(request, "cap_add")), ==, 13);
    g_assert_cmpstr(text(json_object_get(request, "annotations"), "run.oci.keep_original_groups"),
                    ==, "1");
    assert_bind(request, PLAN_ROOT "/nested", DATA "/nested", "ro");
    g_assert_cmpstr(text(mount_at(request, PLAN_ROOT "/nested/proc"), "type"), ==, "proc");
    m.wanted->protect.guard = FALSE;
    g_assert_false(in_list(json_object_get(make_request(&m), "command"), "--reserve"));
    g_assert_false(in_list(json_object_get(make_request(&m), "command"), "--git-folder"));
}

/* With sudo = "deny" the host's user can still start root sessions, with the default set only. */
static void extra_capabilities_need_sudo(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->security.sudo = SUDO_DENY;
    set_list(&m.wanted->security.capabilities, "SYS_ADMIN");
    json_t *request = make_request(&m);

    g_assert_false(in_list(json_object_get(request, "cap_add"), "CAP_SYS_ADMIN"));
    g_assert_true(in_list(json_object_get(request, "cap_add"), "CAP_CHOWN"));
}

static void mounts_follow_the_layout(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    json_t *request = make_request(&m);

    g_assert_true(has_option(mount_at(request, PLAN_RUN), "mode=0755"));
    g_assert_true(has_option(mount_at(request, PLAN_ROOT), "mode=0700"));
    assert_bind(request, PLAN_INIT, "/usr/libexec/litterbox/box-init", "ro");
    assert_bind(request, PLAN_CTL, "/run/user/1000/litterbox/shop/ctl", "rw");
    assert_bind(request, "/home/me", m.box.home, "rw");
    assert_bind(request, PROJECT, PROJECT, "rw");
    g_assert_true(has_option(mount_at(request, "/tmp"), "mode=1777"));
    g_assert_true(has_option(mount_at(request, "/tmp"), "notmpcopyup"));
}

static void tmpfs_sizes_sum_to_less_than_memory_limit(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    const char *none[] = {NULL};
    m.wanted->limits.memory = 1000 * 1000 * 1000;
    m.box.only = none;
    json_t *request = make_request(&m);
    json_int_t sum = 0;
    size_t i;
    json_t *mount;
    json_array_foreach (json_object_get(request, "mounts"), i, mount) {
        if (strcmp(text(mount, "type"), "tmpfs") != 0)
            continue;
        json_t *option;
        json_int_t size = 0;
        size_t j;
        json_array_foreach (json_object_get(mount, "options"), j, option)
            if (g_str_has_prefix(json_string_value(option), "size="))
                size = g_ascii_strtoll(json_string_value(option) + strlen("size="), NULL, 10);
        g_assert_cmpint(size, >, 0);
        sum += size;
    }
    g_assert_cmpint(sum, <, m.wanted->limits.memory);
    g_assert_true(has_option(mount_at(request, "/tmp"), "size=500000000"));
    g_assert_true(has_option(mount_at(request, "/var/tmp"), "size=200000000"));
}

static void tmpfs_sizes_without_memory_limit(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->limits.memory = 0;
    json_t *request = make_request(&m);
    g_assert_true(has_option(mount_at(request, "/tmp"), "size=50%"));
    g_assert_true(has_option(mount_at(request, "/var/tmp"), "size=20%"));
}

static void host_image(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    json_t *request = make_request(&m);

    g_assert_cmpstr(text(request, "rootfs"), ==, DATA "/root");
    g_assert_null(json_object_get(request, "image"));
    g_assert_true(json_is_true(json_object_get(request, "read_only_filesystem")));
    assert_bind(request, "/usr", "/usr", "ro");
    assert_bind(request, "/etc/ssl/certs", "/etc/ssl/certs", "ro");
    g_assert_null(mount_at(request, "/bin"));
    g_assert_null(mount_at(request, "/etc/profile"));
    g_assert_nonnull(mount_at(request, "/run"));
}

static void host_mounts_below_are_read_only_too(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    const char *points[] = {"/", "/usr", "/usr/local/data", "/usrx", "/home", NULL};
    m.facts->mount_points = g_strdupv((char **)points);
    json_t *request = make_request(&m);

    assert_bind(request, "/usr/local/data", "/usr/local/data", "ro");
    g_assert_null(mount_at(request, "/usrx"));
}

static void limits(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->limits.memory = 1 << 30;
    m.wanted->limits.cpus = 1.5;
    m.wanted->limits.pids = 100;
    m.wanted->limits.nofile = 4096;
    m.wanted->limits.shm = 1 << 20;
    json_t *request = make_request(&m);
    json_t *set = json_object_get(request, "resource_limits");
    json_t *memory = json_object_get(set, "memory"), *cpu = json_object_get(set, "cpu");

    g_assert_cmpint(json_integer_value(json_object_get(memory, "limit")), ==, 1 << 30);
    g_assert_cmpint(json_integer_value(json_object_get(memory, "swap")), ==, 1 << 30);
    g_assert_cmpint(json_integer_value(json_object_get(cpu, "quota")), ==, 150000);
    g_assert_cmpint(json_integer_value(json_object_get(cpu, "period")), ==, 100000);
    g_assert_cmpint(json_integer_value(json_object_get(request, "shm_size")), ==, 1 << 20);
    g_assert_cmpuint(m.plan->warnings->len, ==, 0);
    m.wanted->limits.nofile = 524289;
    assert_refused(&m, "limits.nofile: 524289 is more than your limit on this machine, 524288");
    m.wanted->limits.nofile = 0;
    g_assert_null(json_object_get(make_request(&m), "r_limits"));
    m.facts->cgroup_cpu = FALSE;
    make_request(&m);
    g_assert_cmpuint(m.plan->warnings->len, ==, 1);
    g_assert_true(has_warning(&m, "limits.cpus is not enforced"));
    set = json_object_get(m.plan->request, "resource_limits");
    g_assert_null(json_object_get(set, "cpu"));
    g_assert_nonnull(json_object_get(set, "pids"));
    m.facts->cgroup_v2 = FALSE;
    make_request(&m);
    g_assert_cmpuint(m.plan->warnings->len, ==, 1);
    g_assert_true(has_warning(&m, "limits.memory, limits.cpus and limits.pids are not enforced"));
}

static void network(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->network.mode = NETWORK_NONE;
    json_t *request = make_request(&m);
    g_assert_cmpstr(text(json_object_get(request, "netns"), "nsmode"), ==, "none");
    g_assert_true(json_is_true(json_object_get(request, "use_image_hosts")));
    g_assert_true(json_is_true(json_object_get(request, "use_image_resolve_conf")));

    m.box.image = "x";
    request = make_request(&m);
    assert_bind(request, "/etc/hosts", DATA "/etc/hosts", "ro");
    assert_bind(request, "/etc/resolv.conf", DATA "/etc/resolv.conf", "ro");

    m.wanted->network.mode = NETWORK_OPEN;
    request = make_request(&m);
    json_t *options = json_object_get(request, "network_options");
    g_assert_true(in_list(json_object_get(options, "slirp4netns"), "allow_host_loopback=false"));
    g_assert_null(mount_at(request, "/etc/resolv.conf"));

    m.facts->podman_major = 5;
    m.facts->podman_minor = 4;
    options = json_object_get(json_object_get(make_request(&m), "network_options"), "pasta");
    g_assert_true(in_list(options, "--no-map-gw"));
    g_assert_true(in_list(options, "--map-guest-addr"));
    m.facts->podman_minor = 2;
    options = json_object_get(json_object_get(make_request(&m), "network_options"), "pasta");
    g_assert_false(in_list(options, "--map-guest-addr"));

    static char *rules[] = {"example.com", NULL}, *servers[] = {"10.0.0.1", NULL};
    m.wanted->network.mode = NETWORK_FILTERED;
    g_strfreev(m.wanted->network.allow);
    m.wanted->network.allow = g_strdupv(rules);
    request = make_request(&m);
    g_assert_cmpstr(text(json_object_get(request, "netns"), "nsmode"), ==, "none");
    assert_bind(request, "/etc/resolv.conf", DATA "/etc/resolv.conf", "ro");
    g_autofree char *resolv = plan_resolv_content(m.wanted);
    g_assert_cmpstr(resolv, ==, "nameserver 198.18.0.1\n");
    /* What would be ignored. */
    g_strfreev(m.wanted->network.dns);
    m.wanted->network.dns = g_strdupv(servers);
    assert_refused(&m, "network.dns");
    g_clear_pointer(&m.wanted->network.dns, g_strfreev);
    g_assert_false(has_warning(&m, "network.audit"));
    m.wanted->network.audit = TRUE;
    make_request(&m);
    g_assert_true(has_warning(&m, "network.audit is true"));
    m.wanted->network.mode = NETWORK_OPEN;
    assert_refused(&m, "network.allow");
    g_clear_pointer(&m.wanted->network.allow, g_strfreev);
    assert_refused(&m, "network.audit");
}

static gboolean path_has(const json_t *request, const char *folder)
{
    g_auto(GStrv) folders = g_strsplit(text(json_object_get(request, "env"), "PATH"), ":", -1);
    return g_strv_contains((const char *const *)folders, folder);
}

/* What pastes pictures is found where the user allows that, and "xclip" only without a display. */
static void clipboard_allows_pictures(void)
{
    static const enum clipboard_access all[] = {CLIPBOARD_NONE, CLIPBOARD_TO_BOX,
                                                CLIPBOARD_FROM_BOX, CLIPBOARD_BOTH};
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
        gboolean allowed = all[i] == CLIPBOARD_TO_BOX || all[i] == CLIPBOARD_BOTH;
        g_auto(fixture) m;
        fixture_init(&m);
        m.wanted->desktop.wayland = WAYLAND_NONE;
        m.wanted->desktop.open = OPEN_DENY;
        m.wanted->desktop.notify = FALSE;
        m.wanted->desktop.clipboard = all[i];
        json_t *request = make_request(&m);
        g_assert_true(path_has(request, PLAN_BIN "/paste") == allowed);
        g_assert_true(path_has(request, PLAN_BIN "/paste/x11") == allowed);
        g_assert_true((mount_at(request, PLAN_DESKTOP) != NULL) == allowed);
        m.wanted->desktop.x11 = X11_NESTED;
        request = make_request(&m);
        g_assert_true(path_has(request, PLAN_BIN "/paste") == allowed);
        g_assert_false(path_has(request, PLAN_BIN "/paste/x11"));
    }
}

static void clipboard_needs_nested_x11(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->desktop.clipboard = CLIPBOARD_TO_BOX;
    make_request(&m);
    g_assert_false(has_warning(&m, "desktop.clipboard"));
    m.wanted->desktop.clipboard = CLIPBOARD_FROM_BOX;
    make_request(&m);
    g_assert_true(has_warning(&m, "desktop.clipboard = \"from-box\" does nothing"));
    m.wanted->desktop.x11 = X11_HOST;
    assert_refused(&m, "desktop.clipboard");
    m.wanted->desktop.x11 = X11_NESTED;
    make_request(&m);
    g_assert_false(has_warning(&m, "desktop.clipboard"));
}

static void ports(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    port_mapping *port = g_new0(port_mapping, 1);
    port->host_port = 8080;
    port->box_port = 80;
    if (!m.wanted->network.ports)
        m.wanted->network.ports = g_ptr_array_new_with_free_func((GDestroyNotify)port_mapping_free);
    g_ptr_array_add(m.wanted->network.ports, port);
    m.wanted->network.mode = NETWORK_OPEN;
    json_t *row = json_array_get(json_object_get(make_request(&m), "portmappings"), 0);
    g_assert_cmpstr(text(row, "host_ip"), ==, "127.0.0.1");
    g_assert_cmpint(json_integer_value(json_object_get(row, "host_port")), ==, 8080);
    g_assert_cmpint(json_integer_value(json_object_get(row, "container_port")), ==, 80);
    m.wanted->network.mode = NETWORK_HOST;
    assert_refused(&m, "network.ports");
    m.wanted->network.mode = NETWORK_NONE;
    g_assert_cmpuint(json_array_size(json_object_get(make_request(&m), "portmappings")), ==, 0);
}

/* A project lists as many as it likes. */
static void borrowed_objects_are_one_warning(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.facts->git.borrowed = g_strsplit("/a\033,/b,/c", ",", -1);
    make_request(&m);
    g_assert_cmpuint(m.plan->warnings->len, ==, 1);
    g_assert_true(has_warning(&m, "borrows them from '/a\\x1b' and 2 other folders, which"));
}

static void environment(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_setenv("SECRET_OF_THE_HOST", "x", TRUE);
    set_list(&m.wanted->box.env, "EDITOR=vi,PATH=/mine");
    json_t *env = json_object_get(make_request(&m), "env");

    g_assert_cmpstr(text(env, "EDITOR"), ==, "vi");
    g_assert_cmpstr(text(env, "PATH"), ==, "/mine");
    g_assert_cmpstr(text(env, "LITTERBOX_BOX"), ==, "shop");
    g_assert_cmpstr(text(env, "SHELL"), ==, "/bin/bash");
    g_assert_null(json_object_get(env, "SECRET_OF_THE_HOST"));
    set_list(&m.wanted->box.env, "");
    set_list(&m.wanted->box.path, "/opt/bin,~/go/bin");
    env = json_object_get(make_request(&m), "env");
    g_assert_true(g_str_has_prefix(text(env, "PATH"),
                                   PLAN_BIN ":/opt/bin:/home/me/go/bin:/home/me/.local/bin:"));
    g_assert_cmpstr(text(env, "ELECTRON_DISABLE_SANDBOX"), ==, "1");
    g_assert_cmpstr(text(env, "ELECTRON_OZONE_PLATFORM_HINT"), ==, "auto");
}

static void toolchains(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_toolchain *node =
        plan_facts_add_toolchain(m.facts, "/home/me/.nvm/v20", "/home/me/.nvm/v20/bin");
    const char *secrets[] = {"/home/me/.nvm/v20/etc/npmrc", NULL};
    node->secrets = g_strdupv((char **)secrets);
    g_assert_null(mount_at(make_request(&m), node->folder));
    m.wanted->home.share_toolchains = TRUE;
    json_t *request = make_request(&m);
    assert_bind(request, node->folder, node->folder, "ro");
    assert_bind(request, secrets[0], DATA "/empty/file", "ro");
    g_assert_nonnull(strstr(text(json_object_get(request, "env"), "PATH"), node->bin));
}

static char *access_of(fixture *m)
{
    return g_strdup(text(json_object_get(make_request(m), "labels"), PLAN_LABEL_ACCESS));
}

static void access_hash_changes_only_with_rights(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_autofree char *first = access_of(&m);
    m.wanted->box.idle_stop = 77;
    m.wanted->box.keep_alive = KEEP_ALIVE_SESSIONS;
    plan_facts_add_file(m.facts, PROJECT "/.vscode", PLAN_TYPE_FOLDER, NULL);
    g_autofree char *same = access_of(&m);
    g_assert_cmpstr(first, ==, same);
    m.wanted->network.mode = NETWORK_NONE;
    g_autofree char *other = access_of(&m);
    g_assert_cmpstr(first, !=, other);
}

static void reserved_names_cover_those_below(void)
{
    json_auto_t *old = json_pack("[s, s, s, s]", "--reserve", "/p/.git", "--user", "/p/x");
    json_auto_t *below = json_pack("[s, s]", "--reserve", "/p/.git/hooks");
    json_auto_t *beside = json_pack("[s, s]", "--reserve", "/p/.github");
    json_auto_t *no_name = json_pack("[s, s]", "--reserve", "/p/x");
    json_auto_t *none = json_array();
    g_assert_true(plan_reserves_all(old, old));
    g_assert_true(plan_reserves_all(old, below));
    g_assert_true(plan_reserves_all(old, none));
    g_assert_false(plan_reserves_all(old, beside));
    g_assert_false(plan_reserves_all(old, no_name));
    g_assert_false(plan_reserves_all(none, below));
}

/* Symbolic links to other places, private paths, and the project under another path. */
static void toolchains_left_out(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->home.share_toolchains = TRUE;
    plan_toolchain *linked = plan_facts_add_toolchain(m.facts, "/home/me/.local/bin", NULL);
    g_clear_pointer(&linked->real, g_free);
    plan_facts_add_toolchain(m.facts, PROJECT "/bin", NULL);
    plan_toolchain *project = plan_facts_add_toolchain(m.facts, "/home/me/go/bin", NULL);
    g_free(project->real);
    project->real = g_strdup(PROJECT "/bin");
    json_t *request = make_request(&m);
    g_assert_true(has_warning(&m, "'/home/me/.local/bin' is a symbolic link to another place"));
    g_assert_null(mount_at(request, "/home/me/.local/bin"));
    g_assert_null(mount_at(request, PROJECT "/bin"));
    g_assert_null(mount_at(request, "/home/me/go/bin"));
    g_free(linked->real);
    linked->real = g_strdup("/home/me/.local/share/containers/x");
    assert_refused(&m, "home.share_toolchains");
}

static void hash_ignores_its_own_label(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    json_t *request = make_request(&m);
    g_autofree char *first = plan_hash(request);
    json_t *labels = json_object_get(request, "labels");
    g_assert_cmpstr(text(labels, PLAN_LABEL_PLAN), ==, first);
    json_object_set_new(labels, PLAN_LABEL_PLAN, json_string("other"));
    g_autofree char *second = plan_hash(request);
    g_assert_cmpstr(first, ==, second);
    /* An image may bring this one, which the container would have, too. */
    g_assert_cmpstr(text(labels, PLAN_LABEL_BASE), ==, "");
    json_object_set_new(labels, PLAN_LABEL_BASE, json_string("sha256:0"));
    g_autofree char *on_layer = plan_hash(request);
    g_assert_cmpstr(first, ==, on_layer);
    m.wanted->limits.pids = 77;
    g_autofree char *third = plan_hash(make_request(&m));
    g_assert_cmpstr(first, !=, third);
}

static void root_cannot_have_boxes(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.facts->uid = 0;
    assert_refused(&m, "root cannot have boxes");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/no-privilege-by-default", no_privilege_by_default);
    g_test_add_func("/plan/request-overrides-image-config", request_overrides_image_config);
    g_test_add_func("/plan/box-init-arguments", box_init_arguments);
    g_test_add_func("/plan/extra-capabilities-need-sudo", extra_capabilities_need_sudo);
    g_test_add_func("/plan/mounts-follow-the-layout", mounts_follow_the_layout);
    g_test_add_func("/plan/host-image", host_image);
    g_test_add_func("/plan/host-mounts-below-are-read-only-too",
                    host_mounts_below_are_read_only_too);
    g_test_add_func("/plan/limits", limits);
    g_test_add_func("/plan/network", network);
    g_test_add_func("/plan/ports", ports);
    g_test_add_func("/plan/borrowed", borrowed_objects_are_one_warning);
    g_test_add_func("/plan/clipboard-allows-pictures", clipboard_allows_pictures);
    g_test_add_func("/plan/clipboard-needs-nested-x11", clipboard_needs_nested_x11);
    g_test_add_func("/plan/environment", environment);
    g_test_add_func("/plan/toolchains", toolchains);
    g_test_add_func("/plan/toolchains-left-out", toolchains_left_out);
    g_test_add_func("/plan/hash-ignores-its-own-label", hash_ignores_its_own_label);
    g_test_add_func("/plan/tmpfs-sizes-sum-to-less-than-memory-limit",
                    tmpfs_sizes_sum_to_less_than_memory_limit);
    g_test_add_func("/plan/tmpfs-sizes-without-memory-limit", tmpfs_sizes_without_memory_limit);
    g_test_add_func("/plan/access-hash-changes-only-with-rights",
                    access_hash_changes_only_with_rights);
    g_test_add_func("/plan/reserved-names-cover-those-below", reserved_names_cover_those_below);
    g_test_add_func("/plan/root-cannot-have-boxes", root_cannot_have_boxes);
    return g_test_run();
}
