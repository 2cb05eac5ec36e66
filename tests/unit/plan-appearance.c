/* [desktop] appearance in a plan: what is mounted, what is not, and by which variables it is found.
 */
#include <glib.h>

#include "plan-madeup.h"

#define FONTS "/home/me/.local/share/fonts"

static const char *variable(const json_t *request, const char *name)
{
    return text(json_object_get(request, "env"), name);
}

static void folders_are_shown(void)
{
    g_auto(madeup) m;
    madeup_init(&m);
    plan_facts_add_look(m.facts, FONTS, "user/fonts", FALSE);
    plan_facts_add_look(m.facts, "/home/me/.icons", "old/icons", FALSE);
    json_t *request = make(&m);

    assert_bind(request, PLAN_SHARE "/user/fonts", FONTS, "ro");
    assert_bind(request, PLAN_LOOK, "/home/me/.local/share/litterbox/data/shop/look", "ro");
    g_assert_cmpstr(variable(request, "XDG_DATA_DIRS"), ==,
                    PLAN_LOOK "/share:" PLAN_SHARE "/user:" PLAN_SHARE
                              "/old:/usr/local/share:/usr/share");
    g_assert_cmpstr(variable(request, "XDG_CONFIG_DIRS"), ==,
                    PLAN_LOOK "/config:/etc/xdg:" PLAN_LOOK "/config");
    g_assert_cmpstr(variable(request, "FONTCONFIG_FILE"), ==, PLAN_LOOK "/fonts.conf");
    g_assert_cmpstr(variable(request, "DCONF_PROFILE"), ==, PLAN_LOOK "/dconf/profile");
    g_assert_nonnull(strstr(variable(request, "XCURSOR_PATH"), ":" PLAN_SHARE "/old/icons:"));
}

static void off_is_off(void)
{
    g_auto(madeup) m;
    madeup_init(&m);
    m.wanted->desktop.appearance = FALSE;
    plan_facts_add_look(m.facts, FONTS, "user/fonts", FALSE);
    json_t *request = make(&m);

    g_assert_null(mount_at(request, PLAN_SHARE "/user/fonts"));
    g_assert_null(mount_at(request, PLAN_LOOK));
    g_assert_null(variable(request, "XDG_DATA_DIRS"));
    g_assert_null(variable(request, "FONTCONFIG_FILE"));
}

/* What an image says of its own folders stays between ours. */
static void image_keeps_its_own(void)
{
    static const char *const env[] = {"XDG_DATA_DIRS=/opt/share", "GTK_IM_MODULE=ibus",
                                      "XMODIFIERS=@im=ibus", NULL};
    g_auto(madeup) m;
    madeup_init(&m);
    m.box.image = "docker.io/library/x";
    m.box.image_env = env;
    plan_facts_add_look(m.facts, "/usr/share/fonts", "host/fonts", FALSE);
    json_t *request = make(&m);

    assert_bind(request, PLAN_SHARE "/host/fonts", "/usr/share/fonts", "ro");
    g_assert_cmpstr(variable(request, "XDG_DATA_DIRS"), ==,
                    PLAN_LOOK "/share:/opt/share:" PLAN_SHARE "/host");
    g_assert_true(in_list(json_object_get(request, "unsetenv"), "GTK_IM_MODULE"));
    g_assert_true(in_list(json_object_get(request, "unsetenv"), "XMODIFIERS"));
}

/* A link may be a box's, and what a box writes is not for another. */
static void what_a_box_can_change_is_left_out(void)
{
    static const char *const projects[] = {"/home/me/.icons/mine", "/home/me/dots", NULL};
    g_auto(madeup) m;
    madeup_init(&m);
    m.box.projects = projects;
    m.wanted->home.share = g_ptr_array_new_with_free_func((GDestroyNotify)settings_mount_free);
    g_ptr_array_add(m.wanted->home.share,
                    settings_mount_new("~/.themes", "/home/me/.themes", MODE_RW));
    plan_facts_add(m.facts, "/home/me/.themes", PLAN_FOLDER, "/home/me/.themes");
    plan_facts_add_look(m.facts, FONTS, "user/fonts", TRUE);
    plan_facts_add_look(m.facts, "/home/me/.icons", "old/icons", FALSE);
    plan_facts_add_look(m.facts, "/home/me/.themes", "old/themes", FALSE);
    plan_facts_add_look(m.facts, "/home/me/dots/icons", "user/icons", FALSE);
    plan_facts_add_look(m.facts, PROJECT "/themes", "user/themes", FALSE);
    plan_facts_add_look(m.facts, "/home/me/.config/litterbox", "fontconfig", FALSE);
    json_t *request = make(&m);
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(request, "mounts"), i, mount)
        g_assert_false(plan_is_below(text(mount, "destination"), PLAN_SHARE));
    g_assert_true(warned(&m, "'" FONTS "' is reached over a symbolic link"));
}

/* What was installed into a container does not hang on which folders there are; on the key it does.
 */
static void access_is_the_keys(void)
{
    g_auto(madeup) m;
    madeup_init(&m);
    json_t *request = make(&m);
    g_autofree char *without = plan_access_hash(request, PROJECT);
    plan_facts_add_look(m.facts, FONTS, "user/fonts", FALSE);
    request = make(&m);
    g_autofree char *with = plan_access_hash(request, PROJECT);
    m.wanted->desktop.appearance = FALSE;
    request = make(&m);
    g_autofree char *off = plan_access_hash(request, PROJECT);

    g_assert_cmpstr(without, ==, with);
    g_assert_cmpstr(with, !=, off);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan-appearance/shown", folders_are_shown);
    g_test_add_func("/plan-appearance/off", off_is_off);
    g_test_add_func("/plan-appearance/image", image_keeps_its_own);
    g_test_add_func("/plan-appearance/left-out", what_a_box_can_change_is_left_out);
    g_test_add_func("/plan-appearance/access", access_is_the_keys);
    return g_test_run();
}
