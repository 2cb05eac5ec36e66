/*
 * Fuzzes the import of private keys. The first byte selects the input: a file, the container inside
 * OpenSSH's format, or a private key blob. There is no passphrase, because deriving a key takes as
 * long as the file says. A key that is accepted must survive export and import.
 */
#include <stdint.h>
#include <string.h>

#include "ssh-agent/store/key_file.h"
#include "ssh-agent/store/private_blob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_taken(const private_key *taken)
{
    g_autoptr(secret) text = key_file_export(taken, "fuzz", NULL, NULL);
    g_assert_nonnull(text);
    g_autoptr(private_key) again = key_file_import(text->data, text->length, NULL, NULL, NULL);
    g_assert_nonnull(again);
    g_assert_true(ssh_span_equal(private_key_blob(taken), private_key_blob(again)));
}

static void fuzz_file(const uint8_t *data, size_t size)
{
    g_autofree char *comment = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(private_key) found = key_file_import(data, size, NULL, &comment, &error);
    g_assert_true(!found == !!error);
    if (found)
        check_taken(found);
}

static void fuzz_container(const uint8_t *data, size_t size)
{
    g_autofree char *comment = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(private_key) found =
        key_file_read_openssh((struct ssh_span){data, size}, NULL, &comment, &error);
    g_assert_true(!found == !!error);
    if (found && private_key_check(found, NULL))
        check_taken(found);
}

static void fuzz_private(const uint8_t *data, size_t size)
{
    struct ssh_reader reader = ssh_reader_of((struct ssh_span){data, size});
    struct private_blob form;
    g_autoptr(GError) error = NULL;
    if (!private_blob_read(&form, &reader, &error)) {
        g_assert_nonnull(error);
        return;
    }
    g_autoptr(private_key) found = private_key_from_blob(form.all, NULL);
    if (found && private_key_check(found, NULL))
        check_taken(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    /* A separate allocation, so that the sanitizer notices any read beyond it. */
    g_autofree guint8 *copy = g_memdup2(data + 1, size - 1);
    switch (data[0] % 3) {
    case 0:
        fuzz_file(copy, size - 1);
        break;
    case 1:
        fuzz_container(copy, size - 1);
        break;
    default:
        fuzz_private(copy, size - 1);
    }
    return 0;
}
