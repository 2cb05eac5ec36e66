/* The list that a box sends for its menu entries: an entry for the host runs nothing but `box`. */
#include <stdint.h>
#include <string.h>

#include "box/menu/desktop_entry.h"
#include "box/menu/menu_entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const desktop_entry_owner owner = {"shop", "", "/opt/box", "icon"};

/* The keys of an entry on the host; all others of a box are dropped. */
static const char *const keys[] = {"Type",     "Version",       "Name",           "GenericName",
                                   "Comment",  "Exec",          "TryExec",        "Icon",
                                   "Terminal", "StartupNotify", "StartupWMClass", "Categories",
                                   "MimeType", "Keywords",      ENTRY_KEY_BOX,    ENTRY_KEY_APP,
                                   NULL};

static void check_written(const desktop_entry *one, const char *text)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    gsize groups = 0;
    g_assert_true(g_utf8_validate(text, -1, NULL));
    g_assert_true(g_key_file_load_from_data(file, text, strlen(text), 0, NULL));
    g_auto(GStrv) names = g_key_file_get_groups(file, &groups);
    g_assert_cmpuint(g_strv_length(names), ==, 1);
    g_assert_cmpuint(groups, ==, 1);
    g_auto(GStrv) there = g_key_file_get_keys(file, ENTRY_GROUP, NULL, NULL);
    for (char **key = there; *key; key++)
        g_assert_true(g_strv_contains(keys, *key));
    g_autofree char *exec = g_key_file_get_string(file, ENTRY_GROUP, "Exec", NULL);
    g_autofree char *ours = g_strconcat("\"/opt/box\" app run shop ", one->id, NULL);
    g_assert_true(g_str_has_prefix(exec, ours));
    g_assert_cmpuint(strlen(exec), <=, strlen(ours) + strlen(" %f"));
    g_autofree char *program = g_key_file_get_string(file, ENTRY_GROUP, "TryExec", NULL);
    g_assert_cmpstr(program, ==, "/opt/box");
}

static void check_entry(const desktop_entry *one)
{
    static const char *const files[] = {"/p/a", "/p/b", NULL};
    g_autofree char *text = desktop_entry_to_text(one, &owner, NULL);
    g_assert_nonnull(text);
    g_assert_true(desktop_entry_id_is_valid(one->id, -1));
    g_assert_true(!one->icon || desktop_entry_id_is_valid(one->icon, -1));
    check_written(one, text);
    g_auto(GStrv) argv = desktop_entry_argv(one, NULL, NULL);
    g_assert_true(argv && argv[0] && *argv[0]);
    g_auto(GStrv) more = desktop_entry_argv(one, files, NULL);
    g_assert_true(!more || more[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    guint refused, side;
    g_autoptr(GPtrArray) list = desktop_entries_parse((const char *)data, size, &refused);
    for (guint i = 0; i < list->len; i++)
        check_entry(list->pdata[i]);
    g_autoptr(desktop_entry) one = desktop_entry_parse("an-id", "/a", (const char *)data, size);
    if (one)
        check_entry(one);
    g_autoptr(GByteArray) icon = png_icon_clean(data, size, &side);
    g_assert_true(!icon || icon->len <= size);
    return 0;
}
