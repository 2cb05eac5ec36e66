/* Keys: signatures, what is refused, files that are changed, and bcrypt_pbkdf's known answers. */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>

#include "ssh-agent/store/bcrypt_pbkdf.h"
#include "ssh-agent/store/error.h"
#include "ssh-agent/store/evp.h"
#include "ssh-agent/store/evp_number.h"
#include "ssh-agent/store/export.h"
#include "ssh-agent/store/import.h"
#include "ssh-agent/wire/verify.h"

static store_key *from_openssl(EVP_PKEY *pkey)
{
    g_autoptr(secret) form = evp_to_private(pkey, NULL);
    g_assert_nonnull(form);
    return store_key_from_private((struct ssh_span){form->data, form->length}, NULL);
}

static store_key *make(enum ssh_key_type type)
{
    if (type == SSH_KEY_ED25519)
        return store_key_generate();
    g_autoptr(EVP_PKEY) pkey =
        type == SSH_KEY_RSA ? EVP_RSA_gen(2048) : EVP_EC_gen(private_curve_openssl(type));
    return from_openssl(pkey);
}

/* What a signature with FLAGS says its algorithm is; "" when there is none. */
static char *signed_as(const store_key *self, guint32 flags)
{
    struct ssh_writer signature;
    struct ssh_span data = SSH_SPAN("some data"), name;
    g_autoptr(GError) error = NULL;
    ssh_writer_init(&signature);
    if (!store_key_sign(self, data, flags, &signature, &error)) {
        g_assert_error(error, KEY_ERROR, KEY_ERROR_KIND);
        g_assert_cmpuint(signature.length, ==, 0);
        return g_strdup("");
    }
    struct ssh_span blob = ssh_writer_span(&signature);
    struct ssh_reader reader = ssh_reader_of(blob);
    g_assert_true(ssh_verify(store_key_public(self), blob, data));
    g_assert_false(ssh_verify(store_key_public(self), blob, SSH_SPAN("some datb")));
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
        g_autoptr(store_key) self = make(cases[i].type);
        g_autofree char *algorithm = signed_as(self, cases[i].flags);
        g_assert_cmpstr(algorithm, ==, cases[i].algorithm);
        g_assert_true(store_key_check(self, NULL));
    }
}

static void test_round_trip(void)
{
    g_autoptr(secret) passphrase = secret_copy((const guint8 *)"words", 5);
    g_autoptr(secret) wrong = secret_copy((const guint8 *)"Words", 5);
    for (int type = SSH_KEY_ED25519; type <= SSH_KEY_RSA; type++) {
        g_autoptr(store_key) self = make(type);
        g_autoptr(secret) locked = export_key(self, "a comment", passphrase, NULL);
        g_autoptr(secret) plain = export_key(self, "", NULL, NULL);
        g_autofree char *comment = NULL;
        g_autoptr(GError) error = NULL;
        g_autoptr(store_key) one =
            import_key(locked->data, locked->length, passphrase, &comment, NULL);
        g_autoptr(store_key) two = import_key(plain->data, plain->length, NULL, NULL, NULL);
        g_assert_true(ssh_span_equal(store_key_private(one), store_key_private(self)));
        g_assert_true(ssh_span_equal(store_key_private(two), store_key_private(self)));
        g_assert_cmpstr(comment, ==, "a comment");
        g_assert_null(import_key(locked->data, locked->length, NULL, NULL, &error));
        g_assert_error(error, KEY_ERROR, KEY_ERROR_PASSPHRASE);
        g_clear_error(&error);
        g_assert_null(import_key(locked->data, locked->length, wrong, NULL, &error));
        g_assert_error(error, KEY_ERROR, KEY_ERROR_PASSWORD);
    }
    g_autoptr(store_key) self = store_key_generate();
    g_autoptr(secret) empty = secret_new(0);
    g_assert_null(export_key(self, "", empty, NULL));
}

/* Whatever is changed in a plain file: no crash, and what is taken is sound. */
static void test_changed_files(void)
{
    for (int type = SSH_KEY_ED25519; type <= SSH_KEY_RSA; type++) {
        g_autoptr(store_key) self = make(type);
        g_autoptr(secret) plain = export_key(self, "c", NULL, NULL);
        gsize step = type == SSH_KEY_RSA ? 13 : 1;
        for (gsize i = 0; i < plain->length; i += step) {
            g_autoptr(secret) changed = secret_copy(plain->data, plain->length);
            changed->data[i] ^= 1;
            g_autoptr(store_key) found =
                import_key(changed->data, changed->length, NULL, NULL, NULL);
            g_assert_true(!found || store_key_check(found, NULL));
            g_autoptr(store_key) cut = import_key(plain->data, i, NULL, NULL, NULL);
            g_assert_true(!cut || i + 2 >= plain->length);
        }
    }
}

static void assert_refused(EVP_PKEY *pkey, int code)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(secret) form = evp_to_private(pkey, &error);
    g_autoptr(store_key) found =
        form ? store_key_from_private((struct ssh_span){form->data, form->length}, &error) : NULL;
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

/* Two RSA keys whose halves are mixed: each number is in order, the key is not. */
static void test_mixed(void)
{
    guint8 memory[PRIVATE_MAX];
    g_autoptr(store_key) one = make(SSH_KEY_RSA), two = make(SSH_KEY_RSA);
    struct ssh_reader a = ssh_reader_of(store_key_private(one));
    struct ssh_reader b = ssh_reader_of(store_key_private(two));
    struct private_form first, second;
    struct ssh_writer writer;
    g_assert_true(private_read(&first, &a, NULL) && private_read(&second, &b, NULL));
    struct ssh_span *const from[] = {&second.n, &second.d, &second.p, &second.q};
    struct ssh_span *const to[] = {&first.n, &first.d, &first.p, &first.q};
    for (gsize i = 0; i < G_N_ELEMENTS(to); i++) {
        struct ssh_span was = *to[i];
        *to[i] = *from[i];
        ssh_writer_init_over(&writer, memory, sizeof memory);
        private_write(&first, &writer);
        g_autoptr(store_key) mixed = store_key_from_private(ssh_writer_span(&writer), NULL);
        g_assert_nonnull(mixed);
        g_assert_false(store_key_check(mixed, NULL));
        *to[i] = was;
    }
}

/* From OpenBSD's regress/lib/libutil/bcrypt_pbkdf. */
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
    g_test_add_func("/store-key/sign", test_sign);
    g_test_add_func("/store-key/round-trip", test_round_trip);
    g_test_add_func("/store-key/changed-files", test_changed_files);
    g_test_add_func("/store-key/refused", test_refused);
    g_test_add_func("/store-key/mixed", test_mixed);
    g_test_add_func("/store-key/bcrypt", test_bcrypt);
    return g_test_run();
}
