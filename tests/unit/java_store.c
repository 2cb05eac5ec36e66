/* The authority of a box in the file of certificates that Java trusts. */
#include "box/helpers/java_store.h"

#include <string.h>

/* Made by keytool of Java 17: one certificate; one key. */
#define TRUSTED                                                                                  \
    "/u3+7QAAAAIAAAABAAAAAgAFb3RoZXIAAAGiG6BUIwAFWC41MDkAAAFzMIIBbzCCARWgAwIBAgIUWeIHGg9YPyXNcT" \
    "6vLKsyXBK2JSgwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAgFw0yNjExMjcwNjEwMjFaGA8yMTI2MTEwMzA2MTAy" \
    "MVowDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCMoE05Wg9rJxsw3VyZpXtx0SO6t50B0qa" \
    "dJk4bsDWAGJbBpbi6eGaGKX/j6XOiDxpAsPC2DzNwyzVwSHCycV4GjUzBRMB0GA1UdDgQWBBQjSm10CTyJqJfDUBs3" \
    "pK/8FaFm9DAfBgNVHSMEGDAWgBQjSm10CTyJqJfDUBs3pK/8FaFm9DAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BA" \
    "MCA0gAMEUCIQD6LVTl9WJ9moWpsIMIPa38ypDESdUTJTyRtIDeW/AUPwIgBI6x1OxDh7+epUDrksTOXoP70MQNulQ9" \
    "GgLbQD/7fSrgg0f1tpfB5fbJNuaHiWAjacvB3g=="
#define KEY                                                                                      \
    "/u3+7QAAAAIAAAABAAAAAQADa2V5AAABohugVXkAAAB/MH0wDgYKKwYBBAEqAhEBAQUABGs8KT7s3/M3ikeYgMal1r" \
    "GR1H/ftLBkI+tZNmdvdmyY6vXEHVT2dlI+YaCR4Rep/yfHhIUsVfYbFuSpgR9a8o6j9vxRjw7yZJU5f6Sj1IUYM3Wx" \
    "SpDrtTefTcYdHMNTb2PRaRUFMf9HqBktFwAAAAEABVguNTA5AAABMzCCAS8wgdagAwIBAgIJAJuGAsMoK4OCMAoGCC" \
    "qGSM49BAMCMAwxCjAIBgNVBAMTAWIwHhcNMjYxMTI3MDYxMDIyWhcNMjYxMTI4MDYxMDIyWjAMMQowCAYDVQQDEwFi" \
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZd0uPmHBsCpP3wVtGIbiCYc5h89RTn101K3WEqGTP99HaTnYAVAI/r" \
    "LBiIIyVPxjWxPQpVQvsvCDFGVz+60W1qMhMB8wHQYDVR0OBBYEFGOotU6qYzQfVQXSgVOMS77GAqR9MAoGCCqGSM49" \
    "BAMCA0gAMEUCIQC27T37e284bzL4CWz4Ypaj1d2XSxJQ8SBq7C1NZ1sv2QIgEcbVdfoUMh1SUaaLDLA7lcBYLLGVpB" \
    "Mi1ciAPLBtCbmnOtsil9GIPzvnY+ojS91Ss7tbQg=="

/* That certificate. */
#define PEM                                                              \
    "-----BEGIN CERTIFICATE-----\n"                                      \
    "MIIBbzCCARWgAwIBAgIUWeIHGg9YPyXNcT6vLKsyXBK2JSgwCgYIKoZIzj0EAwIw\n" \
    "DDEKMAgGA1UEAwwBYTAgFw0yNjExMjcwNjEwMjFaGA8yMTI2MTEwMzA2MTAyMVow\n" \
    "DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCMoE05Wg9rJ\n" \
    "xsw3VyZpXtx0SO6t50B0qadJk4bsDWAGJbBpbi6eGaGKX/j6XOiDxpAsPC2DzNwy\n" \
    "zVwSHCycV4GjUzBRMB0GA1UdDgQWBBQjSm10CTyJqJfDUBs3pK/8FaFm9DAfBgNV\n" \
    "HSMEGDAWgBQjSm10CTyJqJfDUBs3pK/8FaFm9DAPBgNVHRMBAf8EBTADAQH/MAoG\n" \
    "CCqGSM49BAMCA0gAMEUCIQD6LVTl9WJ9moWpsIMIPa38ypDESdUTJTyRtIDeW/AU\n" \
    "PwIgBI6x1OxDh7+epUDrksTOXoP70MQNulQ9GgLbQD/7fSo=\n"                 \
    "-----END CERTIFICATE-----\n"

static void check_back(const char *encoded)
{
    gsize length;
    g_autofree char *data = (char *)g_base64_decode(encoded, &length);
    g_autoptr(GString) store = java_store_without(data, length, NULL);
    g_assert_cmpmem(store->str, store->len, data, length);
    for (int i = 0; i < 2; i++) {
        g_assert_true(java_store_add(store, PEM));
        g_assert_cmpuint(store->len, >, length);
    }
    g_autoptr(GString) again = java_store_without(store->str, store->len, NULL);
    g_assert_cmpmem(again->str, again->len, data, length);
}

/* Whatever the image's file is, it is the same again. */
static void test_back(void)
{
    check_back(TRUSTED);
    check_back(KEY);
}

static void check_refused(const char *data, gsize length)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(java_store_without(data, length, &error));
    g_assert_nonnull(error);
}

static void test_broken(void)
{
    gsize length;
    g_autofree char *data = (char *)g_base64_decode(TRUSTED, &length);
    for (gsize i = 0; i < length; i++) {
        check_refused(data, i);
        data[i] ^= 1;
        check_refused(data, length);
        data[i] ^= 1;
    }
}

/* It has what is a certificate, and nothing of the rest. */
static void test_of_bundle(void)
{
    g_autoptr(GString) empty = java_store_of("");
    g_autoptr(GString) one =
        java_store_of("# text\n-----BEGIN CERTIFICATE-----\nMIIB\n"
                      "-----END CERTIFICATE-----\n" PEM "-----BEGIN CERTIFICATE-----\nMIIB");
    g_assert_cmpuint(empty->len, ==, 32);
    g_assert_cmpint(one->str[11], ==, 1);
    g_assert_false(java_store_add(one, ""));
    g_autoptr(GString) whole = java_store_without(one->str, one->len, NULL);
    g_assert_nonnull(whole);
    /* The end is in the beginning, found by the fuzzer. */
    g_autoptr(GString) overlap = java_store_of("-----BEGIN CERTIFICATE-------END CERTIFICATE-----");
    g_assert_cmpuint(overlap->len, ==, 32);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/java_store/back", test_back);
    g_test_add_func("/java_store/broken", test_broken);
    g_test_add_func("/java_store/of_bundle", test_of_bundle);
    return g_test_run();
}
