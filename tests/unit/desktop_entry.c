/* Desktop entries of a box: parsing, the entry on the host, and the command in the box. */
#include "box/menu/desktop_entry.h"

#include <string.h>

#define HEAD "[Desktop Entry]\nType=Application\nName=Edit\n"

static desktop_entry *parse(const char *text)
{
    return desktop_entry_parse("edit", "/usr/share/applications/edit.desktop", text, strlen(text));
}

static void test_ids(void)
{
    g_autofree char *edge = g_strnfill(ENTRY_ID_MAX, 'x'),
                    *over = g_strnfill(ENTRY_ID_MAX + 1, 'x');
    static const char *const good[] = {"a", "org.gnome.TextEditor", "a-b_c.d9", "x..y"};
    static const char *const bad[] = {"",    ".",    "..",   ".a",    "-a", "a/b",
                                      "a b", "../a", "a\n",  "a%b",   "é",  "a+b",
                                      "a;b", "a\"b", "$(a)", "a\x1b", "`a`"};
    for (gsize i = 0; i < G_N_ELEMENTS(good); i++)
        g_assert_true(desktop_entry_id_is_valid(good[i], -1));
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(desktop_entry_id_is_valid(bad[i], -1));
    g_assert_true(desktop_entry_id_is_valid(edge, -1));
    g_assert_false(desktop_entry_id_is_valid(over, -1));
}

static void test_parsed(void)
{
    static const char *const refused[] = {
        "",
        "[Desktop Entry]\n",
        HEAD,
        HEAD "Exec=\n",
        HEAD "Exec=edit 'open\n",
        HEAD "Exec=edit %z\n",
        HEAD "Exec=edit %\n",
        HEAD "Exec=%f\n",
        HEAD "Exec=edit\nHidden=true\n",
        HEAD "Exec=edit\nNoDisplay=true\n",
        HEAD "DBusActivatable=true\n",
        "[Desktop Entry]\nType=Link\nName=Edit\nExec=edit\n",
        "[Desktop Entry]\nType=Application\nExec=edit\n",
        "[Desktop Entry]\nType=Application\nName=\xff\xfe\nExec=edit\n",
        "[Desktop Action x]\nType=Application\nName=Edit\nExec=edit\n",
        "garbage\n" HEAD "Exec=edit\n",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        desktop_entry *one = parse(refused[i]);
        g_assert_null(one);
    }
    g_autoptr(desktop_entry) good = parse(HEAD "Exec=edit %U\nName[de]=Anders\nTerminal=true\n");
    g_assert_nonnull(good);
    g_assert_cmpstr(good->name, ==, "Edit");
    g_assert_true(good->terminal);
    g_assert_true(good->field == 'U');
    g_autofree char *large = g_strnfill(ENTRY_MAX, '\n');
    g_autofree char *text = g_strconcat(HEAD "Exec=edit\n", large, NULL);
    g_assert_null(parse(text));
}

/* The value of KEY in OWNER's entry of TEXT, or NULL. */
static char *written(const char *text, const desktop_entry_owner *owner, const char *key)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(desktop_entry) one = parse(text);
    g_assert_nonnull(one);
    g_autofree char *made = desktop_entry_to_text(one, owner, &error);
    g_assert_no_error(error);
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_assert_true(g_key_file_load_from_data(file, made, strlen(made), 0, NULL));
    g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
    g_assert_cmpuint(g_strv_length(groups), ==, 1);
    return g_key_file_get_string(file, ENTRY_GROUP, key, NULL);
}

static void assert_written(const char *text, const char *key, const char *expected)
{
    static const desktop_entry_owner owner = {"shop", "", "/opt/box", "icon"};
    g_autofree char *value = written(text, &owner, key);
    g_assert_cmpstr(value, ==, expected);
}

static void test_written(void)
{
    assert_written(HEAD "Exec=evil --now %F\n", "Exec", "\"/opt/box\" app run shop edit %F");
    assert_written(HEAD "Exec=evil\nMimeType=text/plain;\n", "Exec",
                   "\"/opt/box\" app run shop edit");
    assert_written(HEAD "Exec=evil\nMimeType=text/plain;\n", "MimeType", NULL);
    assert_written(HEAD "Exec=evil\nTryExec=/evil\n", "TryExec", "/opt/box");
    assert_written(HEAD "Exec=evil\nPath=/evil\nDBusActivatable=true\nActions=x;\n\n"
                        "[Desktop Action x]\nName=x\nExec=evil\n",
                   "Actions", NULL);
    assert_written(HEAD "Exec=evil\nPath=/evil\nURL=x\nX-Own=1\n", "Path", NULL);
    assert_written(HEAD "Exec=evil\nX-GNOME-Autostart-enabled=true\n", "X-GNOME-Autostart-enabled",
                   NULL);
    assert_written(HEAD "Exec=evil\nX-Litterbox-Box=other\n", ENTRY_KEY_BOX, "shop");
    assert_written(HEAD "Exec=evil\nIcon=/etc/passwd\n", "Icon", "icon");
    assert_written(HEAD "Exec=e %f\nMimeType=text/plain;x-scheme-handler/https;inode/directory;"
                        "text/plain;text/a b;text/\n",
                   "MimeType", "text/plain;");
    assert_written(HEAD "Exec=e\nCategories=Development;Evil;X-Evil;Screensaver;Utility;\n",
                   "Categories", "Development;Utility;");
    assert_written(HEAD "Exec=e\nKeywords=a\\;b;c;\n", "Keywords", "a\\;b;c;");
    assert_written(HEAD "Exec=e\nStartupWMClass=a\\nExec=evil\n", "StartupWMClass", NULL);
    assert_written(HEAD "Exec=e\n", "Name", "Edit (shop)");
}

static void test_texts(void)
{
    static const char hostile[] = "[Desktop Entry]\nType=Application\nExec=e\n"
                                  "Name=a\\nExec=evil\\tb\xe2\x80\xae\x1b[31m\n"
                                  "Comment=\\r\\nExec=evil\n";
    assert_written(hostile, "Name", "a\\nExec=evil\\tb\\u{202e}\\x1b[31m (shop)");
    assert_written(hostile, "Exec", "\"/opt/box\" app run shop edit");
    assert_written(hostile, "Comment", "Exec=evil");
    g_autofree char *filler = g_strnfill(5000, 'n');
    g_autofree char *text =
        g_strconcat("[Desktop Entry]\nType=Application\nExec=e\nName=", filler, "\n", NULL);
    g_autoptr(desktop_entry) one = parse(text);
    g_assert_cmpuint(strlen(one->name), <=, 80);
}

/* The path of `box` may contain any character. */
static void test_program(void)
{
    desktop_entry_owner owner = {"shop", "t1", "/a b/$x\"`\\%f/box", "icon"};
    g_autofree char *exec = written(HEAD "Exec=e\n", &owner, "Exec");
    g_assert_cmpstr(
        exec, ==,
        "/usr/bin/env LITTERBOX_INSTANCE=t1 \"/a b/\\$x\\\"\\`\\\\%%f/box\" app run shop edit");
    g_autoptr(desktop_entry) one = parse(HEAD "Exec=e\n");
    g_autoptr(GError) error = NULL;
    owner.program = "/a\nb/box";
    g_assert_null(desktop_entry_to_text(one, &owner, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_FAILED);
}

/* EXEC as in a file; FILES and EXPECTED are separated by "|". EXPECTED NULL: an error. */
static void assert_argv(const char *exec, const char *files, const char *expected)
{
    g_autofree char *text = g_strconcat(HEAD "Icon=pen\nExec=", exec, "\n", NULL);
    g_autoptr(desktop_entry) one = parse(text);
    g_auto(GStrv) list = files ? g_strsplit(files, "|", -1) : NULL;
    g_assert_nonnull(one);
    g_auto(GStrv) argv = desktop_entry_argv(one, (const char *const *)list, NULL);
    g_autofree char *joined = argv ? g_strjoinv("|", argv) : NULL;
    g_assert_cmpstr(joined, ==, expected);
}

static void test_argv(void)
{
    assert_argv("edit", NULL, "edit");
    assert_argv("edit %F", NULL, "edit");
    assert_argv("edit %F -x", "/p/a b|/p/%f;$(x)", "edit|/p/a b|/p/%f;$(x)|-x");
    assert_argv("edit %f", "/p/a", "edit|/p/a");
    assert_argv("edit %f", "/p/a|/p/b", NULL);
    assert_argv("edit", "/p/a", NULL);
    assert_argv("edit --file=%u", "/p/a", "edit|--file=/p/a");
    assert_argv("edit --file=%u", NULL, "edit|--file=");
    assert_argv("edit %i -c %c %k", NULL,
                "edit|--icon|pen|-c|Edit|/usr/share/applications/edit.desktop");
    assert_argv("edit 100%% %d%v", NULL, "edit|100%");
    assert_argv("\"/a b/edit\" \"q\\\\\"uo\\\\$te\"", NULL, "/a b/edit|q\"uo$te");
    assert_argv("sh -c \"a; b | c > d && `e`\"", NULL, "sh|-c|a; b | c > d && `e`");
    assert_argv("edit ; touch /x $HOME *", NULL, "edit|;|touch|/x|$HOME|*");
}

static void add(GString *out, const char *path, const char *text)
{
    g_string_append_len(out, "\0\0/d", 4);
    g_string_append_c(out, '\0');
    g_string_append(out, path);
    g_string_append_c(out, '\0');
    g_string_append(out, text);
}

static void test_list(void)
{
    g_autoptr(GString) sent = g_string_new("noise in front\n");
    guint refused = 0;
    add(sent, "b.desktop", "[Desktop Entry]\nType=Application\nName=second\nExec=b\n");
    add(sent, "a.desktop", "[Desktop Entry]\nType=Application\nName=First\nExec=a\n");
    add(sent, "b.desktop", "[Desktop Entry]\nType=Application\nName=masked\nExec=c\n");
    add(sent, "hide.desktop", "[Desktop Entry]\nType=Application\nName=x\nExec=x\nHidden=true\n");
    add(sent, "hide.desktop", "[Desktop Entry]\nType=Application\nName=masked\nExec=x\n");
    add(sent, "kde/c.desktop", "[Desktop Entry]\nType=Application\nName=third\nExec=c\n");
    add(sent, "../../x.desktop", "[Desktop Entry]\nType=Application\nName=x\nExec=x\n");
    add(sent, "bad.desktop", "root:x:0:0");
    add(sent, "", "");
    g_string_append_len(sent, "\0\0cut", 5);
    g_autoptr(GPtrArray) list = desktop_entries_parse(sent->str, sent->len, &refused);
    g_assert_cmpuint(list->len, ==, 3);
    g_assert_cmpstr(((desktop_entry *)list->pdata[0])->id, ==, "a");
    g_assert_cmpstr(desktop_entries_find(list, "b")->name, ==, "second");
    g_assert_cmpstr(desktop_entries_find(list, "kde-c")->source, ==, "/d/kde/c.desktop");
    g_assert_null(desktop_entries_find(list, "hide"));
    g_assert_cmpuint(refused, >=, 2);
}

static void test_many(void)
{
    g_autoptr(GString) sent = g_string_new(NULL);
    guint refused = 0;
    for (int i = 0; i < 10000; i++) {
        g_autofree char *path = g_strdup_printf("%d.desktop", i);
        add(sent, path, "[Desktop Entry]\nType=Application\nName=x\nExec=x\n");
    }
    g_autoptr(GPtrArray) list = desktop_entries_parse(sent->str, sent->len, &refused);
    g_assert_cmpuint(list->len, ==, ENTRIES_MAX);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/desktop-entry/ids", test_ids);
    g_test_add_func("/desktop-entry/parsed", test_parsed);
    g_test_add_func("/desktop-entry/written", test_written);
    g_test_add_func("/desktop-entry/texts", test_texts);
    g_test_add_func("/desktop-entry/program", test_program);
    g_test_add_func("/desktop-entry/argv", test_argv);
    g_test_add_func("/desktop-entry/list", test_list);
    g_test_add_func("/desktop-entry/many", test_many);
    return g_test_run();
}
