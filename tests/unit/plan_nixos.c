/*
 * The host image on NixOS, and parts of it on others, probed in a temporary root: programs come
 * from the store, and /etc shows only allowed names, which are links into the store.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/fs.h"
#include "plan/prepare.h"
#include "plan_fixture.h"

#define SYSTEM "/nix/store/abc-nixos-system-me-25.05"
#define ETC "/nix/store/def-etc/etc"

static void put(const char *root, const char *path, const char *contents, mode_t mode)
{
    g_autofree char *whole = g_build_filename(root, path, NULL);
    g_autofree char *folder = g_path_get_dirname(whole);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
    g_assert_true(g_file_set_contents(whole, contents, -1, NULL));
    g_assert_cmpint(g_chmod(whole, mode), ==, 0);
}

static void put_link(const char *root, const char *path, const char *target)
{
    g_autofree char *whole = g_build_filename(root, path, NULL);
    g_autofree char *folder = g_path_get_dirname(whole);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
    g_assert_cmpint(symlink(target, whole), ==, 0);
}

/* The files of NixOS 25.05 that matter here. */
static char *make_root(void)
{
    static const char *const into_static[] = {
        "bashrc",  "zshrc",   "fonts", "inputrc", "protocols", "services",       "terminfo",
        "profile", "sudoers", "nix",   "systemd", "pam.d",     "set-environment"};
    char *root = g_dir_make_tmp("nixos-XXXXXX", NULL);
    put(root, "etc/NIXOS", "", 0444);
    put_link(root, "etc/static", ETC);
    for (gsize i = 0; i < G_N_ELEMENTS(into_static); i++) {
        g_autofree char *path = g_build_filename("etc", into_static[i], NULL);
        g_autofree char *target = g_build_filename("/etc/static", into_static[i], NULL);
        put_link(root, path, target);
    }
    put_link(root, "etc/ssl/certs/ca-certificates.crt",
             "/etc/static/ssl/certs/ca-certificates.crt");
    put(root, "etc/os-release", "ID=nixos\n", 0444);
    put(root, "etc/shadow", "secret", 0600);
    put(root, "etc/machine-id", "0123", 0444);
    put(root, "etc/ssh/ssh_host_ed25519_key", "secret", 0600);
    put(root, "etc/nixos/configuration.nix", "secret", 0644);
    put(root, "etc/NetworkManager/system-connections/wlan", "secret", 0600);
    put_link(root, "etc/vimrc", "/run/agenix/vimrc");
    put_link(root, "etc/zshenv", "/usr/../etc/shadow");
    put(root, "etc/nanorc", "secret", 0600);
    put_link(root, "bin/sh", "/nix/store/xyz-bash/bin/sh");
    put_link(root, "usr/bin/env", "/nix/store/xyz-coreutils/bin/env");
    put_link(root, "run/current-system", SYSTEM);
    return root;
}

static void probe(fixture *m, const char *root)
{
    g_ptr_array_set_size(m->facts->etc, 0);
    g_ptr_array_set_size(m->facts->root_folders, 0);
    plan_probe_host_image(m->facts, root);
}

static const plan_etc *etc_named(const fixture *m, const char *name)
{
    for (guint i = 0; i < m->facts->etc->len; i++) {
        const plan_etc *etc = m->facts->etc->pdata[i];
        if (strcmp(etc->name, name) == 0)
            return etc;
    }
    return NULL;
}

static void programs_come_from_the_store(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_autofree char *root = make_root();
    probe(&m, root);
    json_t *request = make_request(&m);
    g_assert_cmpstr(m.facts->nixos_system, ==, SYSTEM);
    assert_bind(request, "/nix/store", "/nix/store", "ro");
    assert_bind(request, "/run/current-system", SYSTEM, "ro");
    assert_bind(request, "/usr", "/usr", "ro");
    assert_bind(request, "/bin", "/bin", "ro");
    g_assert_nonnull(
        strstr(text(json_object_get(request, "env"), "PATH"), ":/run/current-system/sw/bin:"));
    /* An image has its own programs. */
    m.box.image = "docker.io/library/debian:bookworm";
    request = make_request(&m);
    g_assert_null(mount_at(request, "/nix/store"));
    g_assert_null(mount_at(request, "/run/current-system"));
    g_assert_null(strstr(text(json_object_get(request, "env"), "PATH"), "current-system"));
    fs_remove_tree(root, NULL);
}

static void etc_shows_only_the_allowlist(void)
{
    static const char *const links[] = {"static",    "bashrc",   "zshrc",    "fonts",  "inputrc",
                                        "protocols", "services", "terminfo", "profile"};
    static const char *const copies[] = {"os-release", "NIXOS"};
    g_auto(fixture) m;
    fixture_init(&m);
    g_autofree char *root = make_root();
    probe(&m, root);
    for (gsize i = 0; i < G_N_ELEMENTS(links); i++) {
        const plan_etc *etc = etc_named(&m, links[i]);
        g_assert_nonnull(etc);
        g_assert_cmpint(etc->method, ==, PLAN_ETC_LINK);
        g_assert_true(g_str_has_prefix(etc->target, "/etc/static/") ||
                      strcmp(etc->target, ETC) == 0);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(copies); i++)
        g_assert_cmpint(etc_named(&m, copies[i])->method, ==, PLAN_ETC_COPY);
    g_assert_cmpint(etc_named(&m, "ssl/certs")->method, ==, PLAN_ETC_BIND);
    g_assert_cmpuint(m.facts->etc->len, ==, G_N_ELEMENTS(links) + G_N_ELEMENTS(copies) + 1);
    fs_remove_tree(root, NULL);
}

/* The plan mounts nothing of /etc beyond the allowlist. */
static void no_mount_shows_etc(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_autofree char *root = make_root();
    probe(&m, root);
    json_t *mounts = json_object_get(make_request(&m), "mounts"), *mount;
    gsize i, found = 0;
    json_array_foreach (mounts, i, mount) {
        const char *source = text(mount, "source");
        if (!fs_is_below(source, "/etc") && strcmp(source, "/") != 0)
            continue;
        g_assert_cmpstr(source, ==, "/etc/ssl/certs");
        found++;
    }
    g_assert_cmpuint(found, ==, 1);
    fs_remove_tree(root, NULL);
}

/* Maven, R and TeX of Debian do not start without parts of /etc and /var. */
static void other_systems_show_what_programs_need(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_autofree char *root = make_root();
    put(root, "etc/maven/m2.conf", "", 0644);
    put(root, "etc/maven/settings.xml", "password", 0644);
    put(root, "etc/R/ldpaths", "", 0644);
    put(root, "etc/R/Renviron.site", "password", 0644);
    put(root, "var/lib/texmf/ls-R", "", 0644);
    put(root, "var/lib/other/secret", "", 0644);
    probe(&m, root);
    g_assert_cmpint(etc_named(&m, "maven/m2.conf")->method, ==, PLAN_ETC_COPY);
    g_assert_cmpint(etc_named(&m, "R/ldpaths")->method, ==, PLAN_ETC_COPY);
    for (guint i = 0; i < m.facts->etc->len; i++) {
        const plan_etc *etc = m.facts->etc->pdata[i];
        g_assert_false(!strcmp(etc->name, "maven") || !strcmp(etc->name, "R") ||
                       strstr(etc->name, "settings.xml") || strstr(etc->name, ".site"));
    }
    json_t *request = make_request(&m);
    assert_bind(request, "/var/lib/texmf", "/var/lib/texmf", "ro");
    g_assert_null(mount_at(request, "/var/lib/ghc"));
    g_assert_null(mount_at(request, "/var/lib/other"));
    fs_remove_tree(root, NULL);
}

/* Without NixOS's marker, or with a link to another place, the store is not shown. */
static void other_systems_show_no_store(void)
{
    static const char *const targets[] = {"/nix/store/../../root", "/root", "nix/store/x", NULL};
    g_autofree char *root = make_root();
    g_autofree char *link = g_build_filename(root, "run/current-system", NULL);
    g_autofree char *mark = g_build_filename(root, "etc/NIXOS", NULL);

    for (const char *const *target = targets; *target; target++) {
        g_auto(fixture) m;
        fixture_init(&m);
        g_assert_cmpint(unlink(link), ==, 0);
        g_assert_cmpint(symlink(*target, link), ==, 0);
        probe(&m, root);
        g_assert_null(m.facts->nixos_system);
        g_assert_null(mount_at(make_request(&m), "/nix/store"));
    }
    g_auto(fixture) m;
    fixture_init(&m);
    g_assert_cmpint(unlink(link), ==, 0);
    g_assert_cmpint(symlink(SYSTEM, link), ==, 0);
    g_assert_cmpint(unlink(mark), ==, 0);
    probe(&m, root);
    g_assert_null(m.facts->nixos_system);
    fs_remove_tree(root, NULL);
}

/* The box's /etc contains the links into the store unchanged, and only allowed names. */
static void root_folder_is_prepared(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_autofree char *root = make_root();
    g_autofree char *data = g_dir_make_tmp("nixos-data-XXXXXX", NULL);
    m.box.data = data;
    probe(&m, root);
    plan_prepare_context prepared = {
        .box = &m.box, .wanted = m.wanted, .facts = m.facts, .request = make_request(&m)};
    g_assert_true(plan_prepare_host_image(&prepared, &m.error));
    /* The generated file replaces the link. */
    g_autofree char *profile = g_build_filename(data, "root/etc/profile", NULL);
    g_assert_false(g_file_test(profile, G_FILE_TEST_IS_SYMLINK));
    g_autofree char *fonts = g_build_filename(data, "root/etc/fonts", NULL);
    g_autofree char *target = g_file_read_link(fonts, NULL);
    g_assert_cmpstr(target, ==, "/etc/static/fonts");
    static const char *const absent[] = {"shadow", "ssh",   "nixos", "NetworkManager", "sudoers",
                                         "nix",    "pam.d", "vimrc", "zshenv",         "nanorc"};
    for (gsize i = 0; i < G_N_ELEMENTS(absent); i++) {
        g_autofree char *path = g_build_filename(data, "root/etc", absent[i], NULL);
        struct stat st;
        g_assert_cmpint(lstat(path, &st), ==, -1);
    }
    fs_remove_tree(root, NULL);
    fs_remove_tree(data, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/nixos/programs", programs_come_from_the_store);
    g_test_add_func("/plan/nixos/etc", etc_shows_only_the_allowlist);
    g_test_add_func("/plan/nixos/mounts", no_mount_shows_etc);
    g_test_add_func("/plan/nixos/others", other_systems_show_no_store);
    g_test_add_func("/plan/nixos/needed", other_systems_show_what_programs_need);
    g_test_add_func("/plan/nixos/root", root_folder_is_prepared);
    return g_test_run();
}
