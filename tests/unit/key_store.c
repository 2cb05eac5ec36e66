/* The key store: a saved store can be read again, and every changed or missing byte is noticed. */
#include "ssh-agent/store/key_store.h"

#include <glib/gstdio.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/key_store_file.h"

static const kdf_cost cheap = {KDF_PASSES_MIN, KDF_MEMORY_MIN};

typedef struct {
    char *folder, *path;
    secret *password;
} fixture;

static secret *text_secret(const char *text)
{
    return secret_copy((const guint8 *)text, strlen(text));
}

static void set_up(fixture *self, gconstpointer unused)
{
    self->folder = g_dir_make_tmp("store-XXXXXX", NULL);
    self->path = g_build_filename(self->folder, "below", "keys", NULL);
    self->password = text_secret("correct horse");
}

static void tear_down(fixture *self, gconstpointer unused)
{
    g_autofree char *below = g_path_get_dirname(self->path);
    g_autofree char *lock = g_strconcat(self->path, ".lock", NULL);
    g_unlink(self->path);
    g_unlink(lock);
    g_rmdir(below);
    g_assert_cmpint(g_rmdir(self->folder), ==, 0);
    secret_free(self->password);
    g_free(self->path);
    g_free(self->folder);
}

/* A saved store with COUNT keys, "key-0" and so on. */
static key_store *make(const fixture *self, int count)
{
    g_autoptr(key_store) keys = key_store_create(self->path, self->password, &cheap, NULL);
    for (int i = 0; i < count; i++) {
        g_autofree char *name = g_strdup_printf("key-%d", i);
        g_autoptr(private_key) made = private_key_generate();
        g_assert_true(key_store_add(keys, name, made, NULL));
    }
    g_assert_true(key_store_save(keys, NULL));
    return g_steal_pointer(&keys);
}

static void assert_same(const key_store *a, const key_store *b)
{
    g_assert_cmpuint(key_store_count(a), ==, key_store_count(b));
    for (guint i = 0; i < key_store_count(a); i++) {
        key_store_entry one = key_store_entry_at(a, i), two = key_store_entry_at(b, i);
        g_autoptr(private_key) first = key_store_load_key(a, i, NULL),
                               second = key_store_load_key(b, i, NULL);
        g_assert_cmpstr(one.name, ==, two.name);
        g_assert_cmpint(one.created, ==, two.created);
        g_assert_true(ssh_span_equal(private_key_blob(first), private_key_blob(second)));
        g_assert_true(ssh_span_equal(private_key_public(first)->blob, two.key->blob));
    }
}

static void test_round_trip(fixture *self, gconstpointer unused)
{
    g_autoptr(key_store) keys = make(self, 3);
    g_autoptr(key_store) again = key_store_open(self->path, NULL);
    g_autoptr(GError) error = NULL;
    struct stat st;

    g_assert_true(key_store_is_locked(again));
    g_assert_null(key_store_load_key(again, 0, &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_LOCKED);
    g_clear_error(&error);
    g_assert_false(key_store_save(again, &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_LOCKED);
    g_assert_true(key_store_unlock(again, self->password, NULL));
    assert_same(keys, again);
    g_assert_cmpint(stat(self->path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0600);
}

static void test_changes(fixture *self, gconstpointer unused)
{
    g_autoptr(key_store) keys = make(self, 3);
    g_autoptr(private_key) first = key_store_load_key(keys, 0, NULL);
    g_autoptr(GError) error = NULL;

    g_assert_false(key_store_add(keys, "other", first, &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_TAKEN);
    g_clear_error(&error);
    g_assert_false(key_store_rename(keys, 0, "key-1", &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_TAKEN);
    g_clear_error(&error);
    g_assert_false(key_store_rename(keys, 0, "../x", &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_KIND);
    g_assert_true(key_store_rename(keys, 0, "renamed", NULL));
    g_assert_true(key_store_delete(keys, 1, NULL));
    g_assert_true(key_store_save(keys, NULL));

    g_autoptr(key_store) again = key_store_open(self->path, NULL);
    g_assert_true(key_store_unlock(again, self->password, NULL));
    assert_same(keys, again);
    g_assert_cmpstr(key_store_entry_at(again, 0).name, ==, "renamed");
    g_assert_cmpint(key_store_find(again, "key-2", NULL), ==, 1);
    g_assert_cmpint(key_store_find(again, "key-1", NULL), ==, -1);
    g_autoptr(private_key) loaded = key_store_load_key(again, 0, NULL);
    g_assert_true(ssh_span_equal(private_key_blob(loaded), private_key_blob(first)));
}

static void test_password(fixture *self, gconstpointer unused)
{
    g_autoptr(key_store) keys = make(self, 2);
    g_autoptr(secret) other = text_secret("battery staple");
    g_autoptr(GError) error = NULL;

    key_store_lock(keys);
    g_assert_false(key_store_unlock(keys, other, &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_PASSWORD);
    g_assert_true(key_store_is_locked(keys));
    g_assert_true(key_store_unlock(keys, self->password, NULL));
    g_assert_true(key_store_set_password(keys, other, &cheap, NULL));
    g_assert_true(key_store_save(keys, NULL));

    g_autoptr(key_store) again = key_store_open(self->path, NULL);
    g_assert_false(key_store_unlock(again, self->password, NULL));
    g_assert_true(key_store_unlock(again, other, NULL));
    assert_same(keys, again);
}

static void test_full(fixture *self, gconstpointer unused)
{
    g_autoptr(key_store) keys = make(self, KEY_STORE_KEYS_MAX);
    g_autoptr(private_key) more = private_key_generate();
    g_autoptr(GError) error = NULL;
    g_assert_false(key_store_add(keys, "more", more, &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_FAILED);
    g_autoptr(key_store) again = key_store_open(self->path, NULL);
    g_assert_cmpuint(key_store_count(again), ==, KEY_STORE_KEYS_MAX);
}

/* Writes CONTENTS to the store's file, opens and unlocks it. Returns the error's code, or -1. */
static int code_of(const fixture *self, const guint8 *contents, gsize length)
{
    g_autoptr(GError) error = NULL;
    FILE *file = fopen(self->path, "we"); /* it exists, so its mode stays 0600 */
    g_assert_true(file && fwrite(contents, 1, length, file) == length && fclose(file) == 0);
    g_autoptr(key_store) keys = key_store_open(self->path, &error);
    if (keys && key_store_unlock(keys, self->password, &error))
        return -1;
    g_assert_true(error->domain == KEY_ERROR);
    return error->code;
}

static void sum(guint8 *contents, gsize length)
{
    crypto_generichash(contents + length - KEY_STORE_HASH, KEY_STORE_HASH, contents,
                       length - KEY_STORE_HASH, NULL, 0);
}

static void test_truncated(fixture *self, gconstpointer unused)
{
    g_autoptr(key_store) keys = make(self, 2);
    g_autofree char *contents = NULL;
    gsize length;
    g_assert_nonnull(keys);
    g_assert_true(g_file_get_contents(self->path, &contents, &length, NULL));
    for (gsize cut = 0; cut < length; cut++) {
        g_assert_cmpint(code_of(self, (guint8 *)contents, cut), ==, KEY_ERROR_TRUNCATED);
    }
    g_assert_cmpint(code_of(self, (guint8 *)contents, length), ==, -1);
}

/* Changes every byte, once without and once with an updated checksum. */
static void test_changed(fixture *self, gconstpointer unused)
{
    g_autoptr(key_store) keys = make(self, 1);
    g_autofree char *contents = NULL;
    gsize length;
    g_assert_nonnull(keys);
    g_assert_true(g_file_get_contents(self->path, &contents, &length, NULL));
    for (gsize i = 0; i < length; i++) {
        g_autofree guint8 *changed = g_memdup2(contents, length);
        changed[i] ^= 0x10;
        int plain = code_of(self, changed, length);
        gboolean header = i >= 16 && i < 28; /* version and length are checked first */
        g_assert_true(plain == KEY_ERROR_DAMAGED ||
                      (header && (plain == KEY_ERROR_NEWER || plain == KEY_ERROR_TRUNCATED)));
        if (i >= length - KEY_STORE_HASH)
            continue;
        sum(changed, length);
        int forged = code_of(self, changed, length);
        g_assert_true(header || forged == KEY_ERROR_DAMAGED || forged == KEY_ERROR_TAMPERED ||
                      (forged == KEY_ERROR_PASSWORD && i < KEY_STORE_HEAD + KEY_STORE_HASH));
        g_assert_true(!header || forged == plain);
    }
}

/* The cost that a file asks for is checked before a key is derived. */
static void test_cost(fixture *self, gconstpointer unused)
{
    static const kdf_cost bad[] = {
        {0, KDF_MEMORY_MIN},        {KDF_PASSES_MAX + 1, KDF_MEMORY_MIN},
        {1, KDF_MEMORY_MIN - 1024}, {1, KDF_MEMORY_MAX + 1024},
        {G_MAXUINT64, G_MAXUINT64}, {1, KDF_MEMORY_MIN + 1},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(kdf_cost_valid(&bad[i]));
    kdf_cost measured = kdf_measure();
    g_assert_true(kdf_cost_valid(&measured));
    g_assert_cmpuint(measured.passes, >=, crypto_pwhash_OPSLIMIT_INTERACTIVE);
    g_assert_cmpuint(measured.memory, >=, crypto_pwhash_MEMLIMIT_INTERACTIVE);

    g_autoptr(key_store) keys = make(self, 0);
    g_autofree char *contents = NULL;
    gsize length;
    g_assert_nonnull(keys);
    g_assert_true(g_file_get_contents(self->path, &contents, &length, NULL));
    /* The offsets of passes and memory. */
    for (int at = 28; at <= 36; at += 8) {
        g_autofree char *changed = g_memdup2(contents, length);
        memset(changed + at, 0xff, 8);
        sum((guint8 *)changed, length);
        g_assert_cmpint(code_of(self, (guint8 *)changed, length), ==, KEY_ERROR_DAMAGED);
    }
}

static void assert_refused(const fixture *self, int code)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(key_store_open(self->path, &error));
    g_assert_error(error, KEY_ERROR, code);
}

static void test_unsafe(fixture *self, gconstpointer unused)
{
    static const int modes[] = {0601, 0602, 0604, 0610, 0620, 0640, 0777};
    assert_refused(self, KEY_ERROR_MISSING);
    g_autoptr(key_store) keys = make(self, 1);
    g_autofree char *below = g_path_get_dirname(self->path);
    g_autofree char *other = g_build_filename(self->folder, "other", NULL);
    g_assert_nonnull(keys);

    for (gsize i = 0; i < G_N_ELEMENTS(modes); i++) {
        g_chmod(self->path, modes[i]);
        assert_refused(self, KEY_ERROR_UNSAFE);
    }
    g_chmod(self->path, 0600);
    g_chmod(below, 0770);
    assert_refused(self, KEY_ERROR_UNSAFE);
    g_chmod(below, 0700);
    g_assert_cmpint(g_rename(self->path, other), ==, 0);
    g_assert_cmpint(symlink(other, self->path), ==, 0);
    assert_refused(self, KEY_ERROR_UNSAFE);
    g_assert_cmpint(g_rename(other, self->path), ==, 0);
    g_autoptr(key_store) again = key_store_open(self->path, NULL);
    g_assert_nonnull(again);
}

static void test_names(void)
{
    static const char *const good[] = {"a", "0", "id_ed25519", "me@host", "a.b+c-d"};
    static const char *const bad[] = {"", "-a", ".a", "_a", "a b", "a/b", "a\n", "ü", "a:b", "'"};
    g_autofree char *longest = g_strnfill(KEY_STORE_NAME_MAX, 'x');
    g_autofree char *longer = g_strnfill(KEY_STORE_NAME_MAX + 1, 'x');
    for (gsize i = 0; i < G_N_ELEMENTS(good); i++)
        g_assert_true(key_store_name_is_valid(good[i]));
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(key_store_name_is_valid(bad[i]));
    g_assert_true(key_store_name_is_valid(longest));
    g_assert_false(key_store_name_is_valid(longer));
}

static void add(const char *path, void (*run)(fixture *, gconstpointer))
{
    g_test_add(path, fixture, NULL, set_up, run, tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(sodium_init(), >=, 0);
    add("/key-store/round-trip", test_round_trip);
    add("/key-store/rename-delete-passwd", test_changes);
    add("/key-store/wrong-password", test_password);
    add("/key-store/limits", test_full);
    add("/key-store/truncated-file", test_truncated);
    add("/key-store/changed-bytes", test_changed);
    add("/key-store/cost-is-limited", test_cost);
    add("/key-store/unsafe-files-are-refused", test_unsafe);
    g_test_add_func("/key-store/key-names", test_names);
    return g_test_run();
}
