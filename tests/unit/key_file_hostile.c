/* Key files that ask for excessive work, or with labels that contradict their contents. */
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <string.h>
#include <time.h>

#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/key_file.h"

/* Of processor time: refusing a file takes as long as parsing it, far less than deriving a key. */
#define LIMIT (CLOCKS_PER_SEC / 2)

/* The error code of importing TEXT, which is freed. */
static void assert_refused(BIO *text, const secret *passphrase, int code)
{
    g_autoptr(GError) error = NULL;
    char *data;
    gsize length = (gsize)BIO_get_mem_data(text, &data);
    clock_t start = clock();
    g_assert_null(key_file_import((const guint8 *)data, length, passphrase, NULL, &error));
    g_assert_error(error, KEY_ERROR, code);
    g_assert_cmpint(clock() - start, <, LIMIT);
    BIO_free(text);
}

/* A file that claims to be encrypted with ENCRYPTION, which is freed. */
static BIO *encrypted_file(X509_ALGOR *encryption)
{
    BIO *file = BIO_new(BIO_s_mem());
    X509_SIG *sealed = X509_SIG_new();
    X509_ALGOR *to;
    ASN1_OCTET_STRING *bytes;
    g_assert_nonnull(encryption);
    X509_SIG_getm(sealed, &to, &bytes);
    g_assert_cmpint(X509_ALGOR_copy(to, encryption), ==, 1);
    g_assert_cmpint(ASN1_OCTET_STRING_set(bytes, (const guint8 *)"sixteen bytes...", 16), ==, 1);
    g_assert_cmpint(PEM_write_bio_PKCS8(file, sealed), ==, 1);
    X509_ALGOR_free(encryption);
    X509_SIG_free(sealed);
    return file;
}

static X509_ALGOR *pbkdf2(int iterations)
{
    return PKCS5_pbe2_set_iv(EVP_aes_256_cbc(), iterations, NULL, 0, NULL, NID_hmacWithSHA256);
}

static X509_ALGOR *older(int iterations)
{
    return PKCS5_pbe_set(NID_pbe_WithSHA1And3_Key_TripleDES_CBC, iterations, NULL, 0);
}

static X509_ALGOR *scrypt(guint64 n, guint64 r, guint64 p)
{
    return PKCS5_pbe2_set_scrypt(EVP_aes_256_cbc(), NULL, 0, NULL, n, r, p);
}

/* Imports with a passphrase, so that a key would be derived if the cost were within the limits. */
static void test_pkcs8(void)
{
    g_autoptr(secret) passphrase = secret_copy((const guint8 *)"words", 5);
    assert_refused(encrypted_file(pbkdf2(KEY_FILE_PEM_ITERATIONS_MAX + 1)), passphrase,
                   KEY_ERROR_FORMAT);
    assert_refused(encrypted_file(pbkdf2(G_MAXINT32)), passphrase, KEY_ERROR_FORMAT);
    assert_refused(encrypted_file(older(KEY_FILE_PEM_ITERATIONS_MAX + 1)), passphrase,
                   KEY_ERROR_FORMAT);
    assert_refused(encrypted_file(older(G_MAXINT32)), passphrase, KEY_ERROR_FORMAT);
    assert_refused(encrypted_file(scrypt(1 << 14, 1, 512)), passphrase, KEY_ERROR_FORMAT);
    assert_refused(encrypted_file(scrypt(2, 8, 1 << 14)), NULL, KEY_ERROR_PASSPHRASE);
    assert_refused(encrypted_file(pbkdf2(KEY_FILE_PEM_ITERATIONS_MAX)), NULL, KEY_ERROR_PASSPHRASE);
    assert_refused(encrypted_file(older(KEY_FILE_PEM_ITERATIONS_MAX)), NULL, KEY_ERROR_PASSPHRASE);
    assert_refused(encrypted_file(pbkdf2(1000)), passphrase, KEY_ERROR_PASSWORD);
    assert_refused(encrypted_file(older(1000)), passphrase, KEY_ERROR_PASSWORD);
    assert_refused(encrypted_file(scrypt(1 << 10, 8, 1)), passphrase, KEY_ERROR_PASSWORD);
}

/* OpenSSL would compute the public part of a DSA key with numbers of any size. */
static void test_kinds(void)
{
    static const int kinds[] = {NID_dsa, NID_dhKeyAgreement, NID_X25519, NID_rsassaPss};
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        BIO *file = BIO_new(BIO_s_mem());
        PKCS8_PRIV_KEY_INFO *info = PKCS8_PRIV_KEY_INFO_new();
        guint8 *bytes = OPENSSL_zalloc(8);
        g_assert_cmpint(
            PKCS8_pkey_set0(info, OBJ_nid2obj(kinds[i]), 0, V_ASN1_NULL, NULL, bytes, 8), ==, 1);
        g_assert_cmpint(PEM_write_bio_PKCS8_PRIV_KEY_INFO(file, info), ==, 1);
        PKCS8_PRIV_KEY_INFO_free(info);
        assert_refused(file, NULL, KEY_ERROR_KIND);
    }
}

/* A block with the contents of another type. */
static void test_labels(void)
{
    static const struct {
        const char *name;
        int code;
    } cases[] = {
        {"DSA PRIVATE KEY", KEY_ERROR_KIND},         {"ANY PRIVATE KEY", KEY_ERROR_KIND},
        {"RSA PRIVATE KEY", KEY_ERROR_FORMAT},       {"EC PRIVATE KEY", KEY_ERROR_FORMAT},
        {"ENCRYPTED PRIVATE KEY", KEY_ERROR_FORMAT},
    };
    EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    guint8 *der = NULL;
    int length = i2d_PrivateKey(pkey, &der);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        BIO *file = BIO_new(BIO_s_mem());
        g_assert_cmpint(PEM_write_bio(file, cases[i].name, "", der, length), >, 0);
        assert_refused(file, NULL, cases[i].code);
    }
    OPENSSL_free(der);
    EVP_PKEY_free(pkey);
}

static int read_container(guint32 rounds, const secret *passphrase)
{
    g_autoptr(GError) error = NULL;
    static const guint8 magic[] = "openssh-key-v1"; /* with its NUL */
    struct ssh_writer to;
    ssh_writer_init(&to);
    ssh_write_raw(&to, (struct ssh_span){magic, sizeof magic});
    ssh_write_text(&to, "aes256-ctr");
    ssh_write_text(&to, "bcrypt");
    size_t options = ssh_write_begin(&to);
    ssh_write_text(&to, "salt");
    ssh_write_u32(&to, rounds);
    ssh_write_end(&to, options);
    ssh_write_u32(&to, 1);
    ssh_write_text(&to, "public");
    ssh_write_text(&to, "sixteen bytes...");
    g_assert_null(key_file_read_openssh(ssh_writer_span(&to), passphrase, NULL, &error));
    g_assert_true(error->domain == KEY_ERROR);
    ssh_writer_clear(&to);
    return error->code;
}

static void test_rounds(void)
{
    g_autoptr(secret) passphrase = secret_copy((const guint8 *)"words", 5);
    clock_t start = clock();
    g_assert_cmpint(read_container(G_MAXUINT32, passphrase), ==, KEY_ERROR_FORMAT);
    g_assert_cmpint(read_container(65536, passphrase), ==, KEY_ERROR_FORMAT);
    g_assert_cmpint(read_container(KEY_FILE_OPENSSH_ROUNDS_MAX + 1, passphrase), ==,
                    KEY_ERROR_FORMAT);
    g_assert_cmpint(read_container(0, passphrase), ==, KEY_ERROR_FORMAT);
    g_assert_cmpint(read_container(KEY_FILE_OPENSSH_ROUNDS_MAX, NULL), ==, KEY_ERROR_PASSPHRASE);
    g_assert_cmpint(read_container(2, passphrase), ==, KEY_ERROR_PASSWORD);
    g_assert_cmpint(clock() - start, <, LIMIT);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/key-file/pkcs8-cost-is-limited", test_pkcs8);
    g_test_add_func("/key-file/dsa-is-not-decoded", test_kinds);
    g_test_add_func("/key-file/label-must-match-contents", test_labels);
    g_test_add_func("/key-file/bcrypt-cost-is-limited", test_rounds);
    return g_test_run();
}
