/* The keys that are attached to a box: by fingerprint, by label, and invalid entries. */
#include "ssh-agent/agent/attached_keys.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"

static char *label(const GPtrArray *self, const char *fingerprint, const char *comment)
{
    return attached_keys_label(self, fingerprint, comment, strlen(comment));
}

static void assert_label(const char *list, const char *fingerprint, const char *comment,
                         const char *expected)
{
    g_autoptr(GPtrArray) self = attached_keys_new();
    json_t *given = json_loads(list, 0, NULL);
    g_assert_nonnull(given);
    json_decref(attached_keys_parse(self, given));
    json_decref(given);
    g_autofree char *found = label(self, fingerprint, comment);
    g_assert_cmpstr(found, ==, expected);
}

static void test_label(void)
{
    assert_label("[{\"label\":\"work\"}]", "SHA256:a", "work", "work");
    assert_label("[{\"label\":\"work\"}]", "SHA256:a", "work ", NULL);
    assert_label("[{\"fingerprint\":\"SHA256:a\"}]", "SHA256:a", "me\x1b[2J", "me\\x1b[2J");
    assert_label("[{\"fingerprint\":\"SHA256:a\"}]", "SHA256:a", "", "SHA256:a");
    assert_label("[{\"fingerprint\":\"SHA256:a\"}]", "SHA256:b", "", NULL);
    assert_label("[{\"fingerprint\":\"SHA256:a\",\"label\":\"home\"}]", "SHA256:a", "work", "home");
}

/* An entry without a fingerprint and with an empty label names no key. */
static void test_empty(void)
{
    assert_label("[{\"label\":\"\"}]", "SHA256:a", "", NULL);
    assert_label("[{\"label\":\"\"}, {\"label\":\"work\"}]", "SHA256:a", "work", "work");
    assert_label("[{}, {\"fingerprint\":7}, \"work\", null]", "SHA256:a", "work", NULL);
    assert_label("[{\"fingerprint\":\"SHA256:a\",\"label\":\"\"}]", "SHA256:a", "work", "work");
}

/* The file with BOX's attached keys, in the test's own state folder. */
static char *file_of(const char *box)
{
    g_autofree char *folder = paths_state("attached");
    g_assert_true(fs_make_folder(folder, 0700, NULL));
    return g_build_filename(folder, box, NULL);
}

/* A file that is too long, or a folder, cannot be read, and is not overwritten. */
static void test_unreadable(void)
{
    g_autofree char *path = file_of("shop"), *text = g_strnfill(1 << 20, 'x'), *after = NULL;
    g_autoptr(GError) error = NULL;
    json_t *keys = json_pack("[{s:s}]", "fingerprint", "SHA256:a");
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_assert_false(attached_keys_attach("shop", keys, &error));
    g_assert_nonnull(error);
    g_assert_false(attached_keys_detach("shop", "SHA256:a", NULL));
    g_assert_true(g_file_get_contents(path, &after, NULL, NULL));
    g_assert_cmpstr(after, ==, text);
    g_assert_true(attached_keys_exist("shop"));
    g_assert_cmpint(g_remove(path), ==, 0);
    g_assert_false(attached_keys_exist("shop"));
    g_assert_true(attached_keys_attach("shop", keys, NULL));
    g_assert_true(attached_keys_detach("shop", "SHA256:a", NULL));
    json_decref(keys);
}

static void test_change_in_all(void)
{
    json_t *both =
        json_pack("[{s:s}, {s:s}]", "fingerprint", "SHA256:a", "fingerprint", "SHA256:b");
    json_t *other = json_pack("[{s:s}]", "fingerprint", "SHA256:b");
    g_autoptr(GPtrArray) left = attached_keys_new();
    g_assert_true(attached_keys_attach("one", both, NULL));
    g_assert_true(attached_keys_attach("two", other, NULL));
    json_decref(attached_keys_change_in_all("SHA256:b", "home", NULL));
    json_t *names = attached_keys_change_in_all("SHA256:a", NULL, NULL);
    g_assert_cmpuint(json_array_size(names), ==, 1);
    g_assert_cmpstr(json_string_value(json_array_get(names, 0)), ==, "one");
    g_assert_true(attached_keys_read(left, "one", NULL));
    g_assert_cmpuint(left->len, ==, 1);
    g_autofree char *called = label(left, "SHA256:b", "work");
    g_assert_cmpstr(called, ==, "home");
    json_decref(names);
    json_decref(other);
    json_decref(both);
}

/* One file that cannot be read keeps a key that was deleted in no other one. */
static void test_change_beside_unreadable(void)
{
    json_t *key = json_pack("[{s:s}]", "fingerprint", "SHA256:c");
    g_autofree char *broken = file_of("broken");
    for (int i = 0; i < 8; i++) {
        g_autofree char *name = g_strdup_printf("box%d", i);
        g_assert_true(attached_keys_attach(name, key, NULL));
    }
    g_assert_cmpint(g_mkdir(broken, 0700), ==, 0);
    g_autoptr(GError) error = NULL;
    g_assert_null(attached_keys_change_in_all("SHA256:c", NULL, &error));
    g_assert_nonnull(error);
    for (int i = 0; i < 8; i++) {
        g_autofree char *name = g_strdup_printf("box%d", i);
        g_autoptr(GPtrArray) left = attached_keys_new();
        g_assert_true(attached_keys_read(left, name, NULL));
        g_assert_cmpuint(left->len, ==, 0);
    }
    g_assert_cmpint(g_rmdir(broken), ==, 0);
    json_decref(key);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *folder = g_dir_make_tmp("attached-XXXXXX", NULL);
    g_setenv("XDG_STATE_HOME", folder, TRUE);
    g_test_add_func("/agent-attached-keys/label", test_label);
    g_test_add_func("/agent-attached-keys/empty", test_empty);
    g_test_add_func("/agent-attached-keys/unreadable", test_unreadable);
    g_test_add_func("/agent-attached-keys/change-in-all", test_change_in_all);
    g_test_add_func("/agent-attached-keys/change-beside-unreadable", test_change_beside_unreadable);
    int failed = g_test_run();
    g_assert_true(fs_remove_tree(folder, NULL));
    return failed;
}
