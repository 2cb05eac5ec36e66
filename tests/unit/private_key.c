/* Private keys: signatures, export and import, refused and altered keys, bcrypt_pbkdf(). */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>

#include "ssh-agent/store/bcrypt_pbkdf.h"
#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/key_file.h"
#include "ssh-agent/store/openssl_key.h"
#include "ssh-agent/wire/signature.h"

static private_key *from_openssl(EVP_PKEY *pkey)
{
    g_autoptr(secret) form = openssl_key_to_blob(pkey, NULL);
    g_assert_nonnull(form);
    return private_key_from_blob((struct ssh_span){form->data, form->length}, NULL);
}

static private_key *make(enum ssh_key_type type)
{
    if (type == SSH_KEY_ED25519)
        return private_key_generate();
    g_autoptr(EVP_PKEY) pkey =
        type == SSH_KEY_RSA ? EVP_RSA_gen(2048) : EVP_EC_gen(private_blob_openssl_curve(type));
    return from_openssl(pkey);
}

/* The algorithm that a signature with FLAGS names; "" if signing failed. */
static char *signed_as(const private_key *self, guint32 flags)
{
    struct ssh_writer signature;
    struct ssh_span data = SSH_SPAN("some data"), name;
    g_autoptr(GError) error = NULL;
    ssh_writer_init(&signature);
    if (!private_key_sign(self, data, flags, &signature, &error)) {
        g_assert_error(error, KEY_ERROR, KEY_ERROR_KIND);
        g_assert_cmpuint(signature.length, ==, 0);
        return g_strdup("");
    }
    struct ssh_span blob = ssh_writer_span(&signature);
    struct ssh_reader reader = ssh_reader_of(blob);
    g_assert_true(ssh_signature_verify(private_key_public(self), blob, data));
    g_assert_false(ssh_signature_verify(private_key_public(self), blob, SSH_SPAN("some datb")));
    g_assert_true(ssh_read_string(&reader, &name));
    char *text = g_strndup((const char *)name.data, name.length);
    ssh_writer_clear(&signature);
    return text;
}

static void test_sign(void)
{
    static const struct {
        enum ssh_key_type type;
        guint32 flags;
        const char *algorithm;
    } cases[] = {
        {SSH_KEY_ED25519, 0, "ssh-ed25519"},
        {SSH_KEY_ECDSA_256, 0, "ecdsa-sha2-nistp256"},
        {SSH_KEY_ECDSA_384, 0, "ecdsa-sha2-nistp384"},
        {SSH_KEY_ECDSA_521, 0, "ecdsa-sha2-nistp521"},
        {SSH_KEY_RSA, SSH_FLAG_SHA256, "rsa-sha2-256"},
        {SSH_KEY_RSA, SSH_FLAG_SHA512, "rsa-sha2-512"},
        {SSH_KEY_RSA, SSH_FLAG_SHA256 | SSH_FLAG_SHA512, "rsa-sha2-256"},
        {SSH_KEY_RSA, 0, ""},
        {SSH_KEY_RSA, 1, ""},
        {SSH_KEY_ED25519, 0x80000000, ""},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(private_key) self = make(cases[i].type);
        g_autofree char *algorithm = signed_as(self, cases[i].flags);
        g_assert_cmpstr(algorithm, ==, cases[i].algorithm);
        g_assert_true(private_key_check(self, NULL));
    }
}

static void assert_round_trip_encrypted(const private_key *self)
{
    g_autoptr(secret) passphrase = secret_copy((const guint8 *)"words", 5);
    g_autoptr(secret) wrong = secret_copy((const guint8 *)"Words", 5);
    g_autoptr(secret) locked = key_file_export(self, "a comment", passphrase, NULL);
    g_autofree char *comment = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(private_key) found =
        key_file_import(locked->data, locked->length, passphrase, &comment, NULL);
    g_assert_true(ssh_span_equal(private_key_blob(found), private_key_blob(self)));
    g_assert_cmpstr(comment, ==, "a comment");
    g_assert_null(key_file_import(locked->data, locked->length, NULL, NULL, &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_PASSPHRASE);
    g_clear_error(&error);
    g_assert_null(key_file_import(locked->data, locked->length, wrong, NULL, &error));
    g_assert_error(error, KEY_ERROR, KEY_ERROR_PASSWORD);
}

static void test_round_trip(void)
{
    for (int type = SSH_KEY_ED25519; type <= SSH_KEY_RSA; type++) {
        g_autoptr(private_key) self = make(type);
        g_autoptr(secret) plain = key_file_export(self, "", NULL, NULL);
        g_autoptr(private_key) found =
            key_file_import(plain->data, plain->length, NULL, NULL, NULL);
        g_assert_true(ssh_span_equal(private_key_blob(found), private_key_blob(self)));
        /* The shortest and the longest: bcrypt takes most of the time of this test. */
        if (type == SSH_KEY_ED25519 || type == SSH_KEY_RSA)
            assert_round_trip_encrypted(self);
    }
    g_autoptr(private_key) self = private_key_generate();
    g_autoptr(secret) empty = secret_new(0);
    g_assert_null(key_file_export(self, "", empty, NULL));
}

/* An unencrypted file with any change does not crash the import, and a key that is accepted works.
 */
static void test_changed_files(void)
{
    for (int type = SSH_KEY_ED25519; type <= SSH_KEY_RSA; type++) {
        g_autoptr(private_key) self = make(type);
        g_autoptr(secret) plain = key_file_export(self, "c", NULL, NULL);
        gsize step = type == SSH_KEY_RSA ? 41 : 1; /* each check of an RSA key takes long */
        for (gsize i = 0; i < plain->length; i += step) {
            g_autoptr(secret) changed = secret_copy(plain->data, plain->length);
            changed->data[i] ^= 1;
            g_autoptr(private_key) found =
                key_file_import(changed->data, changed->length, NULL, NULL, NULL);
            g_assert_true(!found || private_key_check(found, NULL));
            g_autoptr(private_key) cut = key_file_import(plain->data, i, NULL, NULL, NULL);
            g_assert_true(!cut || i + 2 >= plain->length);
        }
    }
}

static void assert_refused(EVP_PKEY *pkey, int code)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(secret) form = openssl_key_to_blob(pkey, &error);
    g_autoptr(private_key) found =
        form ? private_key_from_blob((struct ssh_span){form->data, form->length}, &error) : NULL;
    g_assert_null(found);
    g_assert_error(error, KEY_ERROR, code);
}

static void test_refused(void)
{
    g_autoptr(EVP_PKEY) small = EVP_RSA_gen(1024), curve = EVP_EC_gen("secp256k1");
    g_autoptr(EVP_PKEY) other = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    assert_refused(small, KEY_ERROR_KIND);
    assert_refused(curve, KEY_ERROR_KIND);
    assert_refused(other, KEY_ERROR_KIND);
}

/* Mixed numbers of two RSA keys: each one is valid, but they do not belong together. */
static void test_mixed(void)
{
    guint8 memory[PRIVATE_BLOB_MAX];
    g_autoptr(private_key) one = make(SSH_KEY_RSA), two = make(SSH_KEY_RSA);
    struct ssh_reader a = ssh_reader_of(private_key_blob(one));
    struct ssh_reader b = ssh_reader_of(private_key_blob(two));
    struct private_blob first, second;
    struct ssh_writer writer;
    g_assert_true(private_blob_read(&first, &a, NULL) && private_blob_read(&second, &b, NULL));
    struct ssh_span *const from[] = {&second.n, &second.d, &second.p, &second.q};
    struct ssh_span *const to[] = {&first.n, &first.d, &first.p, &first.q};
    for (gsize i = 0; i < G_N_ELEMENTS(to); i++) {
        struct ssh_span was = *to[i];
        *to[i] = *from[i];
        ssh_writer_init_over(&writer, memory, sizeof memory);
        private_blob_write(&first, &writer);
        g_autoptr(private_key) mixed = private_key_from_blob(ssh_writer_span(&writer), NULL);
        g_assert_nonnull(mixed);
        g_assert_false(private_key_check(mixed, NULL));
        *to[i] = was;
    }
}

/* Known answers from OpenBSD's regression tests, regress/lib/libutil/bcrypt_pbkdf. */
static void test_bcrypt(void)
{
    static const struct {
        const char *password, *salt;
        guint32 rounds;
        const char *hex;
    } cases[] = {
        {"password", "salt", 4, "5bbf0cc293587f1c3635555c27796598d47e579071bf427e9d8fbe842aba34d9"},
        {"password", "salt", 8,
         "e1367ec5151a33faac4cc1c144cd23fa15d5548493ecc99b9b5d9c0d3b27bec7"
         "6227ea66088b849b20ab7aa478010246e74bba51723fefa9f9474d6508845e8d"},
        {"password", "salt", 42, "833cf0dcf56db65608e8f0dc0ce882bd"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        guint8 out[64];
        gsize length = strlen(cases[i].hex) / 2;
        g_autoptr(GString) hex = g_string_new(NULL);
        g_assert_true(bcrypt_pbkdf(cases[i].password, strlen(cases[i].password),
                                   (const guint8 *)cases[i].salt, strlen(cases[i].salt),
                                   cases[i].rounds, out, length));
        for (gsize j = 0; j < length; j++)
            g_string_append_printf(hex, "%02x", out[j]);
        g_assert_cmpstr(hex->str, ==, cases[i].hex);
    }
    guint8 out[1];
    g_assert_false(bcrypt_pbkdf("", 0, out, 1, 1, out, 1));
    g_assert_false(bcrypt_pbkdf("x", 1, out, 0, 1, out, 1));
    g_assert_false(bcrypt_pbkdf("x", 1, out, 1, 0, out, 1));
    g_assert_false(bcrypt_pbkdf("x", 1, out, 1, 1, out, BCRYPT_PBKDF_OUT_MAX + 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/private-key/sign", test_sign);
    g_test_add_func("/private-key/round-trip", test_round_trip);
    g_test_add_func("/private-key/altered-files", test_changed_files);
    g_test_add_func("/private-key/refused-types", test_refused);
    g_test_add_func("/private-key/mixed-rsa-numbers", test_mixed);
    g_test_add_func("/private-key/bcrypt-known-answers", test_bcrypt);
    return g_test_run();
}
