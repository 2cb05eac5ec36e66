/* desktop.appearance: which folders are mounted, and the variables by which programs find them. */
#include <glib.h>

#include "common/fs.h"
#include "plan_fixture.h"

#define FONTS "/home/me/.local/share/fonts"

static const char *variable(const json_t *request, const char *name)
{
    return text(json_object_get(request, "env"), name);
}

static void folders_are_shown(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_facts_add_theme_folder(m.facts, FONTS, "user/fonts", FALSE);
    plan_facts_add_theme_folder(m.facts, "/home/me/.icons", "old/icons", FALSE);
    json_t *request = make_request(&m);

    assert_bind(request, PLAN_SHARE "/user/fonts", FONTS, "ro");
    assert_bind(request, PLAN_APPEARANCE, "/home/me/.local/share/litterbox/data/shop/appearance",
                "ro");
    g_assert_cmpstr(variable(request, "XDG_DATA_DIRS"), ==,
                    PLAN_APPEARANCE "/share:" PLAN_SHARE "/user:" PLAN_SHARE
                                    "/old:/usr/local/share:/usr/share");
    g_assert_cmpstr(variable(request, "XDG_CONFIG_DIRS"), ==,
                    PLAN_APPEARANCE "/config:/etc/xdg:" PLAN_APPEARANCE "/config");
    g_assert_cmpstr(variable(request, "FONTCONFIG_FILE"), ==, PLAN_APPEARANCE "/fonts.conf");
    g_assert_cmpstr(variable(request, "DCONF_PROFILE"), ==, PLAN_APPEARANCE "/dconf/profile");
    g_assert_nonnull(strstr(variable(request, "XCURSOR_PATH"), ":" PLAN_SHARE "/old/icons:"));
}

static void nothing_is_mounted_when_off(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->desktop.appearance = FALSE;
    plan_facts_add_theme_folder(m.facts, FONTS, "user/fonts", FALSE);
    json_t *request = make_request(&m);

    g_assert_null(mount_at(request, PLAN_SHARE "/user/fonts"));
    g_assert_null(mount_at(request, PLAN_APPEARANCE));
    g_assert_null(variable(request, "XDG_DATA_DIRS"));
    g_assert_null(variable(request, "FONTCONFIG_FILE"));
}

static void image_variables_keep_their_place(void)
{
    static const char *const env[] = {"XDG_DATA_DIRS=/opt/share",
                                      "GTK_IM_MODULE=ibus",
                                      "XMODIFIERS=@im=ibus",
                                      "TOKEN",
                                      "AWS_*",
                                      "=x",
                                      "OF_IMAGE=y=z",
                                      NULL};
    g_auto(fixture) m;
    fixture_init(&m);
    m.box.image = "docker.io/library/x";
    m.box.image_env = env;
    plan_facts_add_theme_folder(m.facts, "/usr/share/fonts", "host/fonts", FALSE);
    json_t *request = make_request(&m);

    assert_bind(request, PLAN_SHARE "/host/fonts", "/usr/share/fonts", "ro");
    g_assert_cmpstr(variable(request, "XDG_DATA_DIRS"), ==,
                    PLAN_APPEARANCE "/share:/opt/share:" PLAN_SHARE "/host");
    g_assert_null(variable(request, "GTK_IM_MODULE"));
    g_assert_null(variable(request, "XMODIFIERS"));
    /* Podman would fill an entry without a value from its service's environment. */
    g_assert_true(json_is_true(json_object_get(request, "unsetenvall")));
    g_assert_null(variable(request, "TOKEN"));
    g_assert_null(variable(request, "AWS_*"));
    g_assert_null(variable(request, ""));
    g_assert_cmpstr(variable(request, "OF_IMAGE"), ==, "y=z");
}

static void folders_that_a_box_can_change_are_left_out(void)
{
    static const char *const projects[] = {"/home/me/.icons/mine", "/home/me/dots", NULL};
    g_auto(fixture) m;
    fixture_init(&m);
    m.box.writable = projects;
    m.wanted->home.share = g_ptr_array_new_with_free_func((GDestroyNotify)settings_mount_free);
    g_ptr_array_add(m.wanted->home.share,
                    settings_mount_new("~/.themes", "/home/me/.themes", MODE_RW));
    plan_facts_add_file(m.facts, "/home/me/.themes", PLAN_TYPE_FOLDER, "/home/me/.themes");
    plan_facts_add_theme_folder(m.facts, FONTS, "user/fonts", TRUE);
    plan_facts_add_theme_folder(m.facts, "/home/me/.icons", "old/icons", FALSE);
    plan_facts_add_theme_folder(m.facts, "/home/me/.themes", "old/themes", FALSE);
    plan_facts_add_theme_folder(m.facts, "/home/me/dots/icons", "user/icons", FALSE);
    plan_facts_add_theme_folder(m.facts, PROJECT "/themes", "user/themes", FALSE);
    plan_facts_add_theme_folder(m.facts, "/home/me/.config/litterbox", "fontconfig", FALSE);
    json_t *request = make_request(&m);
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(request, "mounts"), i, mount)
        g_assert_false(fs_is_below(text(mount, "destination"), PLAN_SHARE));
    g_assert_true(has_warning(&m, "'" FONTS "' is reached through a symbolic link"));
}

static void access_hash_depends_on_the_key_and_not_on_folders(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    json_t *request = make_request(&m);
    g_autofree char *without = plan_access_hash(request, PROJECT);
    plan_facts_add_theme_folder(m.facts, FONTS, "user/fonts", FALSE);
    request = make_request(&m);
    g_autofree char *with = plan_access_hash(request, PROJECT);
    m.wanted->desktop.appearance = FALSE;
    request = make_request(&m);
    g_autofree char *off = plan_access_hash(request, PROJECT);

    g_assert_cmpstr(without, ==, with);
    g_assert_cmpstr(with, !=, off);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/appearance/shown", folders_are_shown);
    g_test_add_func("/plan/appearance/off", nothing_is_mounted_when_off);
    g_test_add_func("/plan/appearance/image", image_variables_keep_their_place);
    g_test_add_func("/plan/appearance/left-out", folders_that_a_box_can_change_are_left_out);
    g_test_add_func("/plan/appearance/access", access_hash_depends_on_the_key_and_not_on_folders);
    return g_test_run();
}
