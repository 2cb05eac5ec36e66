/* Signature Version 4 of AWS: the examples that AWS has published, and the forms of a path. */
#include <glib.h>
#include <string.h>

#include "host/secrets/sigv4.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define FORM "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"

/* Of the test suite for Signature Version 4, and of the guides of IAM and S3. */
static const struct {
    const char *name, *scope, *time, *head, *fields, *payload, *signature;
    enum sigv4_form form;
} vectors[] = {
#define SUITE(name, head, fields, payload, signature, form)                                 \
    {                                                                                       \
        name, "20150830/us-east-1/service/aws4_request", "20150830T123600Z",                \
            head "Host: example.amazonaws.com\r\nX-Amz-Date: 20150830T123600Z\r\n", fields, \
            payload, signature, form                                                        \
    }
    SUITE("get-vanilla", "GET / HTTP/1.1\r\n", "host;x-amz-date", EMPTY,
          "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", SIGV4_ONCE),
    SUITE("post-vanilla", "POST / HTTP/1.1\r\n", "host;x-amz-date", EMPTY,
          "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b", SIGV4_TWICE),
    SUITE("get-vanilla-query-order-key-case", "GET /?Param2=value2&Param1=value1 HTTP/1.1\r\n",
          "host;x-amz-date", EMPTY,
          "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500", SIGV4_AS_SENT),
    SUITE("get-vanilla-query-order-encoded",
          "GET /?Param-3=Value3&Param=Value2&%E1%88%B4=Value1 HTTP/1.1\r\n", "host;x-amz-date",
          EMPTY, "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac", SIGV4_ONCE),
    SUITE("get-vanilla-query-unreserved",
          "GET /?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789"
          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz HTTP/1.1\r\n",
          "host;x-amz-date", EMPTY,
          "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197", SIGV4_ONCE),
    SUITE("get-header-key-duplicate",
          "GET / HTTP/1.1\r\nMy-Header1: value2\r\nmy-header1:value2\r\nMY-HEADER1:  value1\r\n",
          "host;my-header1;x-amz-date", EMPTY,
          "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea", SIGV4_ONCE),
    SUITE("get-header-value-trim",
          "GET / HTTP/1.1\r\nMy-Header1: value1 \r\nMy-Header2: \"a   b   c\"\r\n",
          "host;my-header1;my-header2;x-amz-date", EMPTY,
          "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736", SIGV4_ONCE),
    SUITE("get-utf8", "GET /%e1%88%b4 HTTP/1.1\r\n", "host;x-amz-date", EMPTY,
          "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85", SIGV4_ONCE),
    SUITE("get-space", "GET /example%20space/ HTTP/1.1\r\n", "host;x-amz-date", EMPTY,
          "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741", SIGV4_AS_SENT),
    SUITE("post-x-www-form-urlencoded",
          "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n",
          "content-type;host;x-amz-date", FORM,
          "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a", SIGV4_ONCE),
    {"iam", "20150830/us-east-1/iam/aws4_request", "20150830T123600Z",
     "GET /?Action=ListUsers&Version=2010-05-08 HTTP/1.1\r\nHost: iam.amazonaws.com\r\n"
     "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n"
     "X-Amz-Date: 20150830T123600Z\r\n",
     "content-type;host;x-amz-date", EMPTY,
     "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7", SIGV4_ONCE},
#define S3(name, head, fields, payload, signature)                                          \
    {                                                                                       \
        name, "20130524/us-east-1/s3/aws4_request", "20130524T000000Z",                     \
            head "Host: examplebucket.s3.amazonaws.com\r\nx-amz-date: 20130524T000000Z\r\n" \
                 "x-amz-content-sha256: " payload "\r\n",                                   \
            fields, payload, signature, SIGV4_ONCE                                          \
    }
    S3("s3-get", "GET /test.txt HTTP/1.1\r\nRange: bytes=0-9\r\n",
       "host;range;x-amz-content-sha256;x-amz-date", EMPTY,
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    S3("s3-put",
       "PUT /test$file.text HTTP/1.1\r\nDate: Fri, 24 May 2013 00:00:00 GMT\r\n"
       "x-amz-storage-class: REDUCED_REDUNDANCY\r\n",
       "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
       "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    S3("s3-lifecycle", "GET /?lifecycle HTTP/1.1\r\n", "host;x-amz-content-sha256;x-amz-date",
       EMPTY, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    S3("s3-list", "GET /?max-keys=2&prefix=J HTTP/1.1\r\n", "host;x-amz-content-sha256;x-amz-date",
       EMPTY, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
};

static struct http_text text_of(const char *text)
{
    return (struct http_text){text, strlen(text)};
}

static void sign_vector(gsize i, char hex[SIGV4_HEX + 1])
{
    gboolean is_s3 = strstr(vectors[i].scope, "/s3/") != NULL;
    g_autoptr(secret) key =
        secret_copy((const guint8 *)(is_s3 ? "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
                                           : "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
                    40);
    g_auto(GStrv) fields = g_strsplit(vectors[i].fields, ";", -1);
    g_auto(GStrv) scope = g_strsplit(vectors[i].scope, "/", -1);
    const sigv4_request request = {.scope = text_of(vectors[i].scope),
                                   .date = text_of(scope[0]),
                                   .region = text_of(scope[1]),
                                   .service = text_of(scope[2]),
                                   .time = text_of(vectors[i].time)};
    g_autofree char *text = sigv4_canonical(vectors[i].head, strlen(vectors[i].head), fields,
                                            text_of(vectors[i].payload), vectors[i].form);
    g_assert_nonnull(text);
    sigv4_sign(&request, key, text, hex);
}

static void published(void)
{
    char hex[SIGV4_HEX + 1];
    for (gsize i = 0; i < G_N_ELEMENTS(vectors); i++) {
        g_test_message("%s", vectors[i].name);
        sign_vector(i, hex);
        g_assert_cmpstr(hex, ==, vectors[i].signature);
    }
}

/* A path that is coded in the request is coded once more, but for S3. */
static void forms(void)
{
    static const char head[] = "GET /a%20b(c)/%2F?x=a%20b&x&a=+&%41=(%2f HTTP/1.1\r\n"
                               "Host: a.test\r\n\r\n";
    static const char *const wanted[SIGV4_FORMS] = {
        [SIGV4_ONCE] = "GET\n/a%20b%28c%29//\nA=%28%2F&a=%2B&x=&x=a%20b\n",
        [SIGV4_TWICE] = "GET\n/a%2520b%28c%29/%252F\nA=%28%2F&a=%2B&x=&x=a%20b\n",
        [SIGV4_AS_SENT] = "GET\n/a%20b(c)/%2F\n%41=(%2f&a=+&x=&x=a%20b\n",
    };
    static char *fields[] = {(char *)"host", NULL}, *missing[] = {(char *)"x-y", NULL};
    for (enum sigv4_form form = 0; form < SIGV4_FORMS; form++) {
        g_autofree char *text =
            sigv4_canonical(head, strlen(head), fields, text_of("UNSIGNED-PAYLOAD"), form);
        g_autofree char *whole =
            g_strconcat(wanted[form], "host:a.test\n\nhost\nUNSIGNED-PAYLOAD", NULL);
        g_assert_cmpstr(text, ==, whole);
    }
    g_assert_null(sigv4_canonical(head, strlen(head), missing, text_of("x"), SIGV4_ONCE));
    static const char *const wrong[] = {"GET /%", "GET /%4", "GET /%zz", "GET /?a=%4g",
                                        "GET /?%=x"};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *bad = g_strconcat(wrong[i], " HTTP/1.1\r\nHost: a.test\r\n\r\n", NULL);
        g_assert_null(sigv4_canonical(bad, strlen(bad), fields, text_of("x"), SIGV4_ONCE));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sigv4/published", published);
    g_test_add_func("/sigv4/forms", forms);
    return g_test_run();
}
