/* Which layers a removal of images frees. */
#include "podman/storage.h"

#include <string.h>
#include <unistd.h>

#include "common/fs.h"

#define ID(digit) \
    digit digit digit digit digit digit digit digit digit digit digit digit digit digit digit digit
#define L(d) ID(d) ID(d) ID(d) ID(d)

/* 1 is the base of 2 and 3; 2 has a copy for other ids, 4, on the same base. */
static const char layers[] =
    "[{\"id\":\"" L("1") "\"},{\"id\":\"" L("2") "\",\"parent\":\"" L("1") "\"},{\"id\":\"" L(
        "3") "\",\"parent\":\"" L("1") "\"},{\"id\":\"" L("4") "\",\"parent\":\"" L("1") "\"}]";
static const char images[] = "[{\"id\":\"" L("a") "\",\"layer\":\"" L(
    "2") "\",\"mapped-layers\":[\"" L("4") "\"]},"
                                           "{\"id\":\"" L("b") "\",\"layer\":\"" L("3") "\"}]";

static guint count(const char *first, const char *second)
{
    g_autoptr(storage_layers) self =
        storage_layers_parse(images, strlen(images), layers, strlen(layers));
    g_autoptr(GHashTable) gone = g_hash_table_new(g_str_hash, g_str_equal);
    g_assert_nonnull(self);
    if (first)
        g_hash_table_add(gone, (gpointer)first);
    if (second)
        g_hash_table_add(gone, (gpointer)second);
    g_autoptr(GPtrArray) only = storage_layers_only_of(self, gone);
    return only->len;
}

static void test_shared(void)
{
    g_assert_cmpuint(count(NULL, NULL), ==, 0);
    g_assert_cmpuint(count(L("a"), NULL), ==, 2);
    g_assert_cmpuint(count(L("b"), NULL), ==, 1);
    /* The shared base goes with the last image, and counts once. */
    g_assert_cmpuint(count(L("a"), L("b")), ==, 4);
}

static gboolean is_refused(const char *some_images, const char *some_layers)
{
    g_autoptr(storage_layers) self =
        storage_layers_parse(some_images, strlen(some_images), some_layers, strlen(some_layers));
    return self == NULL;
}

static void test_malformed(void)
{
    g_assert_false(is_refused("[]", "[]"));
    g_assert_true(is_refused("{}", "[]"));
    g_assert_true(is_refused("[]", "{"));
    g_assert_true(is_refused("[]", ""));
    g_assert_true(is_refused("[]", "[{\"id\":\"../../../etc\"}]"));
    g_assert_true(is_refused("[]", "[1]"));
}

/* Parents in a circle, layers that do not exist, and values of other types end the search. */
static void test_hostile(void)
{
    static const char circle[] = "[{\"id\":\"" L("1") "\",\"parent\":\"" L("2") "\"},{\"id\":\"" L(
        "2") "\",\"parent\":\"" L("1") "\"}]";
    static const char odd[] = "[1,{\"id\":\"" L("a") "\",\"layer\":\"" L(
        "1") "\",\"mapped-layers\":[1,\"" L("f") "\",\"/etc\"]}]";
    g_autoptr(storage_layers) self = storage_layers_parse(odd, strlen(odd), circle, strlen(circle));
    g_autoptr(GHashTable) gone = g_hash_table_new(g_str_hash, g_str_equal);
    g_assert_nonnull(self);
    g_hash_table_add(gone, (gpointer)L("a"));
    g_autoptr(GPtrArray) only = storage_layers_only_of(self, gone);
    g_assert_cmpuint(only->len, ==, 2);
}

static gboolean is_located(const char *driver, const char *upper, const char *expected)
{
    g_autoptr(json_t) image =
        json_pack("{s:{s:s, s:{s:s}}}", "GraphDriver", "Name", driver, "Data", "UpperDir", upper);
    g_autofree char *root = NULL, *name = NULL;
    return storage_location_of_image(image, &root, &name) && strcmp(root, expected) == 0 &&
           strcmp(name, driver) == 0;
}

static void test_location(void)
{
    g_autoptr(json_t) nothing = json_pack("{s:{s:s, s:n}}", "GraphDriver", "Name", "vfs", "Data");
    g_autofree char *root = NULL, *driver = NULL;
    g_assert_true(is_located("overlay", "/s/t/overlay/" L("a") "/diff", "/s/t"));
    g_assert_false(is_located("overlay", "s/overlay/" L("a") "/diff", "s"));
    g_assert_false(is_located("overlay", "/s/vfs/" L("a") "/diff", "/s"));
    g_assert_false(is_located("overlay", "/s/overlay/../diff", "/s"));
    g_assert_false(is_located("overlay", "/s/overlay/" L("a"), "/s"));
    g_assert_false(is_located("overlay", "", "/"));
    g_assert_false(storage_location_of_image(nothing, &root, &driver));
    g_assert_false(storage_location_of_image(NULL, &root, &driver));
    g_assert_null(root);
}

/* Two layers; in the lower one, "link" leads to a folder of the upper one. */
static void test_paths(void)
{
    g_autofree char *root = g_dir_make_tmp("layers.XXXXXX", NULL);
    g_autofree char *upper = g_build_filename(root, "upper", NULL);
    g_autofree char *lower = g_build_filename(root, "lower", NULL);
    g_autofree char *file = g_build_filename(upper, "etc", NULL);
    g_autofree char *folder = g_build_filename(lower, "usr/lib", NULL);
    g_autofree char *link = g_build_filename(lower, "link", NULL);
    g_autofree char *elsewhere = g_strconcat("/nonexistent:", lower, NULL);
    g_autoptr(json_t) trees = json_pack("{s:{s:{s:s, s:s}}}", "GraphDriver", "Data", "UpperDir",
                                        upper, "LowerDir", lower);
    g_autoptr(json_t) hashes = json_pack("{s:{s:{s:s, s:s}}}", "GraphDriver", "Data", "UpperDir",
                                         "/nonexistent", "LowerDir", elsewhere);
    g_assert_cmpint(g_mkdir_with_parents(upper, 0700), ==, 0);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(file, "", 0, NULL));
    g_assert_cmpint(symlink("/opt", link), ==, 0);
    g_assert_true(storage_may_have(trees, "/usr/lib"));
    g_assert_true(storage_may_have(trees, "/etc"));
    g_assert_true(storage_may_have(trees, "/link/npm"));
    g_assert_false(storage_may_have(trees, "/usr/lib/npm"));
    g_assert_false(storage_may_have(trees, "/etc/npmrc"));
    g_assert_cmpint(
        json_object_del(json_object_get(json_object_get(trees, "GraphDriver"), "Data"), "LowerDir"),
        ==, 0);
    g_assert_true(storage_may_have(trees, "/etc"));
    g_assert_false(storage_may_have(trees, "/usr/lib"));
    g_assert_true(storage_may_have(hashes, "/usr/lib/npm"));
    g_assert_true(storage_may_have(NULL, "/etc"));
    g_assert_true(fs_remove_tree(root, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/storage-layers/shared-layers-count-once", test_shared);
    g_test_add_func("/storage-layers/what-is-malformed-is-refused", test_malformed);
    g_test_add_func("/storage-layers/hostile-records-end", test_hostile);
    g_test_add_func("/storage-layers/location", test_location);
    g_test_add_func("/storage-layers/paths", test_paths);
    return g_test_run();
}
