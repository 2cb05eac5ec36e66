/* The authority of a box in a PKCS12 of Java. */
#include "box/helpers/java_pkcs12.h"

#include <string.h>

#include "box/helpers/der.h"
#include "box/helpers/java_store.h"

/* Made by keytool of Java 25: without a password; with one. */
#define OPEN                                                                                     \
    "MIICDgIBAzCCAgcGCSqGSIb3DQEHAaCCAfgEggH0MIIB8DCCAewGCSqGSIb3DQEHAaCCAd0EggHZMIIB1TCCAdEGCy" \
    "qGSIb3DQEMCgEDoIIBizCCAYcGCiqGSIb3DQEJFgGgggF3BIIBczCCAW8wggEVoAMCAQICFA6uMOFDti5nLg6rgwy9" \
    "UJvFgERKMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwIBcNMjYxMTI3MTM0MDA2WhgPMjEyNjExMDMxMzQwMDZaMA" \
    "wxCjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATBMkogMKJz1mThDCTwpfj4CDmVGTFePaUMe0TN" \
    "G/qWQmJ+0o/vWGl3xy3E1SOPOzjP6LlrxJNP5t9F8L9dRvyRo1MwUTAdBgNVHQ4EFgQUeVdHJj5C+dO1HjAUNX1hMx" \
    "Bkz4kwHwYDVR0jBBgwFoAUeVdHJj5C+dO1HjAUNX1hMxBkz4kwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNI" \
    "ADBFAiEAiNw/m9DJWMienq6nB0pvKewjMNkv6TJhwA2E2qYtUOICIFANBxRvlnfIqNebkkqoX6+t0oFf56hnhhnpna" \
    "SQYtwiMTMwGQYJKoZIhvcNAQkUMQweCgBvAHQAaABlAHIwFgYMYIZIAYb5Zq3KewEBMQYGBFUdJQA="
#define ENCRYPTED                                                                                \
    "MIIC4gIBAzCCAowGCSqGSIb3DQEHAaCCAn0EggJ5MIICdTCCAnEGCSqGSIb3DQEHBqCCAmIwggJeAgEAMIICVwYJKo" \
    "ZIhvcNAQcBMGYGCSqGSIb3DQEFDTBZMDgGCSqGSIb3DQEFDDArBBSRg15bOz5TqTbB93UFQGJIGbFjUwICJxACASAw" \
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGEzVN9s2Knt6+zuddr6Os+AggHgcQ38scbpoXkK1ENt1d4FV7pEUq" \
    "JJy5/CGtNw8PX2y1I5bigegGqq7vDkM3tCgwWRmg3ea1AMdYe28OdF/uzgvm8Nh1x6fVxT3ijed+xjiQKn4lWGXGCs" \
    "Ah9ur2jBke1jUwUkaAThGF/p/omQLJdCY6J87Cvi62Ih+4VeV+5gZvEaIYok+dzDMaGIucxraSnGNsIGXVM7F/fOFg" \
    "mrB+mJ4ujm7IICwZxRWnCs9c9HRSPHDt+AswN0xDgj/QJ7JZMibyEndIFonZLTcCECMmAfcMlb5rMJ5ewhJNYCzHd9" \
    "59+R/z2K/GyKY+V/9zoEy1ywbkJ0XxmqgySZd55q5WNq8qL58uWfxhemtrnGT+0NfZ6PS7xnZfTpQOj1iwjO0jQj9e" \
    "E0epdf7+wl2u7UVTVS5iG7vI6zu6HSWjNzVRFSLPOkZCAslEfDxnlsj8Y8LOJp0GZoqT2LYn0Z6AzYuBuVv2sq01y/" \
    "0zgLbNZpB9H+CqZ/23QrdTFfWUxe4PG36cBRR4OTPnXpEujcy34L7gi9wJOxiNpeSCwX9xLDF4/TBGKK/PBRh5YUKi" \
    "lehqqlfW7NUPcSAP97eO4ULJTgAdumTaoX1HvCkAwCUmMUM230HXJ7k1r79iHrzUAwiYvmXX8LME0wMTANBglghkgB" \
    "ZQMEAgEFAAQgflpe1joktvMujrWqtQw6b0jkYE6i0S7mAyBXwiRK0bgEFL54uC3CtfYmkqNxgj0LqX9mklEkAgInEA" \
    "=="

/* The first, after java_store_add() and changes by keytool. */
#define MOVED                                                                                    \
    "MIIEMQIBAzCCBCoGCSqGSIb3DQEHAaCCBBsEggQXMIIEEzCCBA8GCSqGSIb3DQEHAaCCBAAEggP8MIID+DCCAdEGCy" \
    "qGSIb3DQEMCgEDoIIBizCCAYcGCiqGSIb3DQEJFgGgggF3BIIBczCCAW8wggEVoAMCAQICFA6uMOFDti5nLg6rgwy9" \
    "UJvFgERKMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwIBcNMjYxMTI3MTM0MDA2WhgPMjEyNjExMDMxMzQwMDZaMA" \
    "wxCjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATBMkogMKJz1mThDCTwpfj4CDmVGTFePaUMe0TN" \
    "G/qWQmJ+0o/vWGl3xy3E1SOPOzjP6LlrxJNP5t9F8L9dRvyRo1MwUTAdBgNVHQ4EFgQUeVdHJj5C+dO1HjAUNX1hMx" \
    "Bkz4kwHwYDVR0jBBgwFoAUeVdHJj5C+dO1HjAUNX1hMxBkz4kwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNI" \
    "ADBFAiEAiNw/m9DJWMienq6nB0pvKewjMNkv6TJhwA2E2qYtUOICIFANBxRvlnfIqNebkkqoX6+t0oFf56hnhhnpna" \
    "SQYtwiMTMwGQYJKoZIhvcNAQkUMQweCgBvAHQAaABlAHIwFgYMYIZIAYb5Zq3KewEBMQYGBFUdJQAwggIfBgsqhkiG" \
    "9w0BDAoBA6CCAY8wggGLBgoqhkiG9w0BCRYBoIIBewSCAXcwggFzMIIBGaADAgECAhQqIkyCbFhO2m0hERkrDDe6yb" \
    "PH7DAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARjb3JwMB4XDTI2MTEyNzEzMzUzMVoXDTI2MTIyNzEzMzUzMVowDzEN" \
    "MAsGA1UEAwwEY29ycDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDmpIKWWt533G7BEsFVSIweItAMH1Nqhyag1qc" \
    "RzQIcx9bf2yhZQM3jDGj3NEW7ROgr5FiU4ri8WfYe8vwGciMejUzBRMB0GA1UdDgQWBBSM+be2VmpvIic427CESlLB" \
    "Kj7U3DAfBgNVHSMEGDAWgBSM+be2VmpvIic427CESlLBKj7U3DAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0" \
    "gAMEUCIQDAj7dJUKL08pnn3AQu9wd2QWJob6GzGPn2+G6/lPkL0wIgEYTUT/fNwI1M4/RvbthMmPMJc+fyzHbRqudJ" \
    "/I5xPHMxfTBjBgkqhkiG9w0BCRQxVh5UAGwAaQB0AHQAZQByAGIAbwB4ADoAIAB0AGgAZQAgAGEAdQB0AGgAbwByAG" \
    "kAdAB5ACAAbwBmACAAdABoAGkAcwAgAGIAbwB4ACAAYQBsAG8AbgBlMBYGDGCGSAGG+WatynsBATEGBgRVHSUA"

/* The certificate of the first. */
#define PEM                                                              \
    "-----BEGIN CERTIFICATE-----\n"                                      \
    "MIIBbzCCARWgAwIBAgIUDq4w4UO2LmcuDquDDL1Qm8WAREowCgYIKoZIzj0EAwIw\n" \
    "DDEKMAgGA1UEAwwBYTAgFw0yNjExMjcxMzQwMDZaGA8yMTI2MTEwMzEzNDAwNlow\n" \
    "DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMEySiAwonPW\n" \
    "ZOEMJPCl+PgIOZUZMV49pQx7RM0b+pZCYn7Sj+9YaXfHLcTVI487OM/ouWvEk0/m\n" \
    "30Xwv11G/JGjUzBRMB0GA1UdDgQWBBR5V0cmPkL507UeMBQ1fWEzEGTPiTAfBgNV\n" \
    "HSMEGDAWgBR5V0cmPkL507UeMBQ1fWEzEGTPiTAPBgNVHRMBAf8EBTADAQH/MAoG\n" \
    "CCqGSM49BAMCA0gAMEUCIQCI3D+b0MlYyJ6erqcHSm8p7CMw2S/pMmHADYTapi1Q\n" \
    "4gIgUA0HFG+Wd8io15uSSqhfr63SgV/nqGeGGemdpJBi3CI=\n"                 \
    "-----END CERTIFICATE-----\n"

static GString *decode(const char *encoded)
{
    gsize length;
    g_autofree guchar *data = g_base64_decode(encoded, &length);
    return g_string_new_len((const char *)data, (gssize)length);
}

static GString *without(const GString *data)
{
    g_autoptr(GError) error = NULL;
    GString *rest = java_store_without(data->str, data->len, &error);
    g_assert_true((rest == NULL) == (error != NULL));
    return rest;
}

static void check_is(const GString *text, const GString *expected)
{
    g_assert_nonnull(text);
    g_assert_cmpmem(text->str, text->len, expected->str, expected->len);
}

/* Whatever the image's file is, it is the same again. */
static void test_back(void)
{
    g_autoptr(GString) data = decode(OPEN);
    g_autoptr(GString) store = without(data);
    check_is(store, data);
    for (int i = 0; i < 2; i++) {
        gsize before = store->len;
        g_assert_true(java_store_add(store, PEM));
        g_assert_cmpuint(store->len, >, before);
    }
    g_autoptr(GString) again = without(store);
    check_is(again, data);
}

static void test_moved(void)
{
    g_autoptr(GString) data = decode(MOVED);
    g_autoptr(GString) expected = decode(OPEN);
    g_autoptr(GString) rest = without(data);
    check_is(rest, expected);
}

static void test_broken(void)
{
    g_autoptr(GString) data = decode(OPEN);
    g_autoptr(GString) encrypted = decode(ENCRYPTED);
    g_assert_null(without(encrypted));
    for (gsize i = 0; i < data->len; i++)
        g_assert_null(java_pkcs12_without(data->str, i, "a"));
    g_string_append_c(data, 0);
    g_assert_null(without(data));
}

static gboolean is_der(const char *bytes, gsize length)
{
    der_reader from = {(const guint8 *)bytes, (const guint8 *)bytes + length}, contents;
    return der_take(&from, DER_OCTETS, &contents) && from.at == from.end;
}

/* Lengths in their shortest form alone. */
static void test_lengths(void)
{
    g_assert_true(is_der("\x04\x00", 2));
    g_assert_true(is_der("\x04\x01.", 3));
    g_assert_false(is_der("\x05\x00", 2));
    g_assert_false(is_der("\x04", 1));
    g_assert_false(is_der("\x04\x02.", 3));
    g_assert_false(is_der("\x04\x80\x00\x00", 4));
    g_assert_false(is_der("\x04\x81\x01.", 4));
    g_assert_false(is_der("\x04\x82\x00", 3));
    g_assert_false(is_der("\x04\x84\xff\xff\xff\xff", 6));
    g_assert_false(is_der("\x04\x88\xff\xff\xff\xff\xff\xff\xff\xff", 10));
    g_assert_false(is_der("\x04\xff", 2));
    for (gsize length = 0; length < 70000; length += length < 300 ? 1 : 997) {
        g_autofree char *contents = g_malloc0(length + 1);
        g_autoptr(GString) text = g_string_new(NULL);
        der_put(text, DER_OCTETS, contents, length);
        g_assert_true(is_der(text->str, text->len));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/java_pkcs12/back", test_back);
    g_test_add_func("/java_pkcs12/moved", test_moved);
    g_test_add_func("/java_pkcs12/broken", test_broken);
    g_test_add_func("/java_pkcs12/lengths", test_lengths);
    return g_test_run();
}
