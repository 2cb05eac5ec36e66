/*
 * Secrets are only in locked memory that core dumps exclude, and nowhere after they were freed. A
 * child process reads the secrets from files and uses them. The parent, which made them, searches
 * all of the child's memory for them.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory_scan.h"
#include "proto/question_answer.h"
#include "ssh-agent/store/key_file.h"
#include "ssh-agent/store/key_store.h"
#include "ssh-agent/store/openssl_key.h"

/* More than the child ever has in locked memory at once, in bytes. */
#define LOCKS (2 << 20)

static const kdf_cost cheap = {KDF_PASSES_MIN, KDF_MEMORY_MIN};
static const char *const files[] = {"ed25519", "rsa", "rsa-encrypted", "ecdsa", "ecdsa-encrypted"};

/* Parent and child take turns by sending each other one byte. */
static int to_child[2], to_parent[2];
static char *folder;

static void tell(int fd)
{
    g_assert_cmpint(write(fd, "x", 1), ==, 1);
}

static void hear(int fd)
{
    char c;
    g_assert_cmpint(read(fd, &c, 1), ==, 1);
}

/* The child waits while the parent searches its memory. */
static void show(void)
{
    tell(to_parent[1]);
    hear(to_child[0]);
}

static secret *read_secret(const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(secret) contents = secret_new(KEY_FILE_MAX);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    gssize length = read(fd, contents->data, contents->length);
    g_assert_cmpint(length, >, 0);
    close(fd);
    contents->length = (gsize)length;
    return g_steal_pointer(&contents);
}

static void sign_with(const private_key *self)
{
    struct ssh_writer signature;
    ssh_writer_init(&signature);
    g_assert_true(private_key_sign(self, SSH_SPAN("data"), SSH_FLAG_SHA512, &signature, NULL));
    ssh_writer_clear(&signature);
}

static void use_all(const char *path, const secret *password)
{
    g_autoptr(key_store) keys = key_store_create(path, password, &cheap, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(secret) file = read_secret(files[i]);
        g_autoptr(secret) passphrase = read_secret("passphrase");
        g_autoptr(private_key) found =
            key_file_import(file->data, file->length, passphrase, NULL, NULL);
        g_assert_nonnull(found);
        g_assert_true(key_store_add(keys, files[i], found, NULL));
    }
    g_assert_true(key_store_save(keys, NULL));
    show();
    key_store_lock(keys);
    g_assert_true(key_store_unlock(keys, password, NULL));
    for (guint i = 0; i < key_store_count(keys); i++) {
        g_autoptr(private_key) loaded = key_store_load_key(keys, i, NULL);
        g_autoptr(secret) passphrase = read_secret("passphrase");
        g_autoptr(secret) text = key_file_export(loaded, "comment", passphrase, NULL);
        g_assert_nonnull(text);
        sign_with(loaded);
        if (i + 1 == key_store_count(keys))
            show();
    }
}

/* The password, as it arrives from a prompt. */
static void read_answer(const secret *password)
{
    static const char begin[] = "{\"answer\":\"password\",\"password\":\"", end[] = "\"}\n\0";
    gsize before = sizeof begin - 1;
    g_autoptr(secret) text = secret_new(before + password->length + sizeof end);
    g_auto(question_reply) reply;
    memcpy(text->data, begin, before);
    memcpy(text->data + before, password->data, password->length);
    memcpy(text->data + before + password->length, end, sizeof end);
    question_reply_parse_output(&reply, (const char *)text->data, text->length);
    g_assert_cmpint(reply.answer, ==, QUESTION_ANSWER_PASSWORD);
    g_assert_cmpuint(strlen(reply.password), ==, password->length);
}

static void be_child(void)
{
    g_autofree char *path = g_build_filename(folder, "store", "keys", NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    hear(to_child[0]);
    secret_protect_process();
    /* So that the parent may read the memory. */
    prctl(PR_SET_DUMPABLE, 1);
    json_set_alloc_funcs(malloc, secret_wipe_and_free);
    secret *password = read_secret("password");
    read_answer(password);
    show();
    use_all(path, password);
    secret_free(password);
    show();
    _exit(0);
}

/* Adds the bytes, and the bytes in reverse, which is how OpenSSL stores numbers on little-endian
 * machines. */
static void add_needle(GPtrArray *needles, const guint8 *bytes)
{
    guint8 back[NEEDLE];
    for (int i = 0; i < NEEDLE; i++)
        back[i] = bytes[NEEDLE - 1 - i];
    g_ptr_array_add(needles, g_memdup2(bytes, NEEDLE));
    g_ptr_array_add(needles, g_memdup2(back, NEEDLE));
}

static char *in_folder(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static void add_number(GPtrArray *needles, EVP_PKEY *pkey, const char *name)
{
    guint8 bytes[512] = {0};
    BIGNUM *number = NULL;
    g_assert_true(EVP_PKEY_get_bn_param(pkey, name, &number));
    BN_bn2bin(number, bytes);
    BN_free(number);
    add_needle(needles, bytes + 4);
}

/* Writes PKEY to a file, encrypted if PASSPHRASE is not NULL. */
static void write_openssl(EVP_PKEY *pkey, const char *name, const char *passphrase)
{
    g_autofree char *path = in_folder(name);
    FILE *file = fopen(path, "we");
    g_assert_true(PEM_write_PKCS8PrivateKey(file, pkey, passphrase ? EVP_aes_256_cbc() : NULL, NULL,
                                            0, NULL, (void *)passphrase));
    fclose(file);
}

static void write_text(const char *name, const char *text, gsize length)
{
    g_autofree char *path = in_folder(name);
    g_assert_true(g_file_set_contents(path, text, (gssize)length, NULL));
}

static void write_ed25519(GPtrArray *needles)
{
    g_autoptr(private_key) made = private_key_generate();
    g_autoptr(secret) text = key_file_export(made, "", NULL, NULL);
    struct ssh_span form = private_key_blob(made);
    write_text("ed25519", (const char *)text->data, text->length);
    add_needle(needles, form.data + form.length - 64); /* the seed */
    add_needle(needles, text->data + text->length / 2);
}

static void write_password(const char *name, char text[2 * NEEDLE + 1], GPtrArray *needles)
{
    for (int i = 0; i < NEEDLE; i++)
        g_snprintf(text + (gsize)2 * i, 3, "%02x", g_random_int() & 0xff);
    write_text(name, text, strlen(text));
    /* Freed memory may still contain the end of a needle. */
    add_needle(needles, (const guint8 *)text);
    add_needle(needles, (const guint8 *)text + NEEDLE);
}

static GPtrArray *make_secrets(void)
{
    static const char *const of_rsa[] = {OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
                                         OSSL_PKEY_PARAM_RSA_FACTOR2,
                                         OSSL_PKEY_PARAM_RSA_EXPONENT1};
    GPtrArray *needles = g_ptr_array_new_with_free_func(g_free);
    char password[2 * NEEDLE + 1], passphrase[2 * NEEDLE + 1];

    write_password("password", password, needles);
    write_password("passphrase", passphrase, needles);
    write_ed25519(needles);
    /* Two of each type, because the store accepts each key only once. */
    for (int i = 0; i < 2; i++) {
        g_autoptr(EVP_PKEY) rsa = EVP_RSA_gen(2048), ecdsa = EVP_EC_gen("P-256");
        write_openssl(rsa, i ? "rsa-encrypted" : "rsa", i ? passphrase : NULL);
        write_openssl(ecdsa, i ? "ecdsa-encrypted" : "ecdsa", i ? passphrase : NULL);
        for (gsize k = 0; k < G_N_ELEMENTS(of_rsa); k++)
            add_number(needles, rsa, of_rsa[k]);
        add_number(needles, ecdsa, OSSL_PKEY_PARAM_PRIV_KEY);
    }
    return needles;
}

/* With a sanitizer mlock() does nothing. */
static gboolean may_lock(void)
{
    struct rlimit limit;
    g_autofree char *status = NULL;
    secret *page = secret_new(1);
    g_assert_true(g_file_get_contents("/proc/self/status", &status, NULL, NULL));
    secret_free(page);
    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur >= LOCKS &&
           !strstr(status, "VmLck:\t       0 kB");
}

static void test_memory(void)
{
    g_autoptr(GPtrArray) needles = NULL;
    int status;
    g_assert_true(pipe(to_child) == 0 && pipe(to_parent) == 0);
    /* Before the secrets exist, so that the child does not inherit them. */
    pid_t pid = fork();
    if (pid == 0)
        be_child();
    needles = make_secrets();
    for (int step = 0; step < 4; step++) {
        tell(to_child[1]);
        hear(to_parent[0]);
        scan_result seen = memory_scan(pid, needles);
        g_test_message("step %d: %u found, %u dumped, %u not locked", step, seen.found, seen.dumped,
                       seen.not_locked);
        g_assert_cmpuint(seen.dumped, ==, 0);
        if (may_lock())
            g_assert_cmpuint(seen.not_locked, ==, 0);
        /* In all but the last stage the password must be found, which shows that the search works.
         */
        g_assert_cmpint(seen.found > 0, ==, step < 3);
    }
    tell(to_child[1]);
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
}

static void remove_folder(void)
{
    g_autofree char *command = g_strdup_printf("rm -rf '%s'", folder);
    g_assert_true(g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("key-memory-XXXXXX", NULL);
    g_test_add_func("/key-store/secrets-stay-in-locked-memory", test_memory);
    int result = g_test_run();
    remove_folder();
    g_free(folder);
    return result;
}
