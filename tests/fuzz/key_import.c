/*
 * Bytes as a private key file. The first byte chooses: the file as it is; the container behind the
 * base64 of OpenSSH's format; or a private form. No passphrase: to derive a key takes as long as
 * the file says. A key that is taken must survive an export.
 */
#include <stdint.h>
#include <string.h>

#include "ssh-agent/store/export.h"
#include "ssh-agent/store/import.h"
#include "ssh-agent/store/openssh.h"
#include "ssh-agent/store/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_taken(const store_key *taken)
{
    g_autoptr(secret) text = export_key(taken, "fuzz", NULL, NULL);
    g_assert_nonnull(text);
    g_autoptr(store_key) again = import_key(text->data, text->length, NULL, NULL, NULL);
    g_assert_nonnull(again);
    g_assert_true(ssh_span_equal(store_key_private(taken), store_key_private(again)));
}

static void fuzz_file(const uint8_t *data, size_t size)
{
    g_autofree char *comment = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(store_key) found = import_key(data, size, NULL, &comment, &error);
    g_assert_true(!found == !!error);
    if (found)
        check_taken(found);
}

static void fuzz_container(const uint8_t *data, size_t size)
{
    g_autofree char *comment = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(store_key) found =
        openssh_read((struct ssh_span){data, size}, NULL, &comment, &error);
    g_assert_true(!found == !!error);
    if (found && store_key_check(found, NULL))
        check_taken(found);
}

static void fuzz_private(const uint8_t *data, size_t size)
{
    struct ssh_reader reader = ssh_reader_of((struct ssh_span){data, size});
    struct private_form form;
    g_autoptr(GError) error = NULL;
    if (!private_read(&form, &reader, &error)) {
        g_assert_nonnull(error);
        return;
    }
    g_autoptr(store_key) found = store_key_from_private(form.all, NULL);
    if (found && store_key_check(found, NULL))
        check_taken(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    /* An allocation of its own, so that a read beyond it shows. */
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
