/* Requests to AWS that a box has signed with placeholders: they are signed anew, or must not be. */
#include <glib.h>
#include <string.h>

#include "host/secrets/aws_credentials.h"
#include "host/secrets/placeholder.h"
#include "host/secrets/request_rewrite.h"
#include "proto/http_message.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define FORM "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"

static struct http_text text_of(const char *text)
{
    return (struct http_text){text, strlen(text)};
}

#define ID "AKIAIOSFODNN7EXAMPLE"
#define KEY "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define TOKEN "IQoJb3JpZ2luX2VjEXAMPLE/token+of/a/session=="
#define NOW 1440938160 /* 20150830T123600Z */
#define SCOPE "20150830/us-east-1/service/aws4_request"

typedef struct {
    signing_credentials with;
    secret_definition definition;
    GPtrArray *here;
} fixture;

static const guint8 box_key[PLACEHOLDER_KEY] = "a key of one box";

static void hold(fixture *self, held_secret *part, const char *name, const char *value)
{
    *part = (held_secret){.definition = &self->definition};
    part->placeholder = placeholder_make(box_key, name, value, strlen(value));
    part->value = secret_copy((const guint8 *)value, strlen(value));
    g_ptr_array_add(self->here, part);
}

static void set_up(fixture *self, gconstpointer data)
{
    self->definition = (secret_definition){.name = (char *)"aws", .forms = SECRET_SIGV4};
    self->here = g_ptr_array_new();
    hold(self, &self->with.id, "id", ID);
    hold(self, &self->with.key, "key", KEY);
    hold(self, &self->with.token, "token", TOKEN);
    self->with.id.signs = &self->with;
}

static void drop_token(fixture *self)
{
    g_clear_pointer(&self->with.token.value, secret_free);
    g_ptr_array_remove(self->here, &self->with.token);
}

static void tear_down(fixture *self, gconstpointer data)
{
    for (held_secret *part = &self->with.id; part <= &self->with.token; part++) {
        secret_free(part->value);
        g_free(part->placeholder);
    }
    g_ptr_array_unref(self->here);
}

/* HEAD, "METHOD TARGET" and fields with "\r\n" behind each, with the signature of a box that signs
 * FIELDS; KEY is that of the box. */
static char *signed_head(const fixture *self, const char *head, const char *fields,
                         const char *body)
{
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, body, -1);
    g_auto(GStrv) names = g_strsplit(fields, ";", -1);
    const char *payload = strstr(head, "X-Amz-Content-Sha256: ");
    g_auto(GStrv) declared = g_strsplit(payload ? strchr(payload, ' ') + 1 : hash, "\r", 2);
    g_autofree char *text =
        sigv4_canonical(head, strlen(head), names, text_of(declared[0]), SIGV4_ONCE);
    const sigv4_request request = {.scope = text_of(SCOPE),
                                   .date = text_of("20150830"),
                                   .region = text_of("us-east-1"),
                                   .service = text_of("service"),
                                   .time = text_of("20150830T123600Z")};
    g_autoptr(secret) key = secret_copy((const guint8 *)self->with.key.placeholder, strlen(KEY));
    char hex[SIGV4_HEX + 1];
    g_assert_nonnull(text);
    sigv4_sign(&request, key, text, hex);
    return g_strdup_printf("%sAuthorization: AWS4-HMAC-SHA256 Credential=%s/" SCOPE
                           ", SignedHeaders=%s, Signature=%s\r\n\r\n",
                           head, self->with.id.placeholder, fields, hex);
}

/* The new head of HEAD with BODY; or "refused: WHY". */
static char *sign_anew(const fixture *self, const char *head, const char *body)
{
    struct http_message read;
    const char *why;
    g_auto(request_signature) signature = {0};
    g_auto(rewritten) new = {0};
    gsize length = strlen(head);
    g_assert_cmpint(http_read_request(head, length, 443, &read, &why), ==, HEAD_COMPLETE);
    why = request_signature_read(self->here, head, length, NOW, &signature);
    why = why ? why : request_signature_check(&signature, head, length, body, strlen(body));
    if (why)
        return g_strconcat("refused: ", why, NULL);
    const rewrite_rules rules = {
        .all = self->here, .here = self->here, .signature = signature.with ? &signature : NULL};
    request_rewrite(&rules, head, length, &new);
    if (new.wrong)
        return g_strconcat("refused: placeholder of ", new.wrong->definition->name, NULL);
    g_assert_true(!signature.with || (new.used == &self->with.id &&new.coded));
    return g_strndup((const char *)new.head->data, new.head->len);
}

#define HEAD "POST /a%20b?x=y HTTP/1.1\r\nHost: a.test\r\nX-Amz-Date: 20150830T123600Z\r\n"

/* Checks GOT by another implementation of HMAC: that of GLib. */
static void check_signature(const char *got, const char *canonical, const char *fields)
{
    static const char *const scope[] = {"20150830", "us-east-1", "service", "aws4_request"};
    guint8 key[32];
    gsize size = sizeof key;
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, canonical, -1);
    g_autofree char *text =
        g_strdup_printf("AWS4-HMAC-SHA256\n20150830T123600Z\n" SCOPE "\n%s", hash);
    GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA256, (const guint8 *)"AWS4" KEY, strlen("AWS4" KEY));
    for (gsize i = 0; i < G_N_ELEMENTS(scope); i++) {
        g_hmac_update(hmac, (const guint8 *)scope[i], -1);
        g_hmac_get_digest(hmac, key, &size);
        g_hmac_unref(hmac);
        hmac = g_hmac_new(G_CHECKSUM_SHA256, key, size);
    }
    g_hmac_update(hmac, (const guint8 *)text, -1);
    g_autofree char *line = g_strdup_printf("Authorization: AWS4-HMAC-SHA256 Credential=" ID
                                            "/" SCOPE ", SignedHeaders=%s, Signature=%s\r\n\r\n",
                                            fields, g_hmac_get_string(hmac));
    g_hmac_unref(hmac);
    g_assert_true(g_str_has_suffix(got, line));
}

static void signs_anew(fixture *self, gconstpointer data)
{
    g_autofree char *token =
        g_strconcat(HEAD "X-Amz-Security-Token: ", self->with.token.placeholder, "\r\n", NULL);
    g_autofree char *head =
        signed_head(self, token, "host;x-amz-date;x-amz-security-token", "body");
    g_autofree char *got = sign_anew(self, head, "body");
    g_assert_true(g_str_has_prefix(got, HEAD "Accept-Encoding: identity\r\n"
                                             "x-amz-security-token: " TOKEN "\r\n"
                                             "Authorization: "));
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, "body", -1);
    g_autofree char *canonical = g_strconcat(
        "POST\n/a%20b\nx=y\nhost:a.test\nx-amz-date:20150830T123600Z\nx-amz-security-token:" TOKEN
        "\n\nhost;x-amz-date;x-amz-security-token\n",
        hash, NULL);
    check_signature(got, canonical, "host;x-amz-date;x-amz-security-token");
    /* A box that has begun before there was a token. */
    g_autofree char *without = signed_head(self, HEAD, "host;x-amz-date", "body");
    g_autofree char *added = sign_anew(self, without, "body");
    g_assert_cmpstr(added, ==, got);
    /* And one that goes on when there is none any more. */
    drop_token(self);
    g_autofree char *left_out = sign_anew(self, head, "body");
    g_autofree char *plain = g_strconcat(
        "POST\n/a%20b\nx=y\nhost:a.test\nx-amz-date:20150830T123600Z\n\nhost;x-amz-date\n", hash,
        NULL);
    check_signature(left_out, plain, "host;x-amz-date");
    g_assert_null(strstr(left_out, "oken"));
}

/* What is changed on the way out is signed as it is sent. */
static void signs_what_is_sent(fixture *self, gconstpointer data)
{
    drop_token(self);
    g_autofree char *head =
        signed_head(self, HEAD "Accept-Encoding: gzip\r\n", "accept-encoding;host;x-amz-date", "");
    g_autofree char *got = sign_anew(self, head, "");
    check_signature(got,
                    "POST\n/a%20b\nx=y\naccept-encoding:identity\nhost:a.test\n"
                    "x-amz-date:20150830T123600Z\n\naccept-encoding;host;x-amz-date\n" EMPTY,
                    "accept-encoding;host;x-amz-date");
    static const char *const payloads[] = {"UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                                           FORM};
    for (gsize i = 0; i < G_N_ELEMENTS(payloads); i++) {
        g_autofree char *fields =
            g_strconcat(HEAD "X-Amz-Content-Sha256: ", payloads[i], "\r\n", NULL);
        g_autofree char *one =
            signed_head(self, fields, "host;x-amz-content-sha256;x-amz-date", "");
        g_autofree char *signed_one = sign_anew(self, one, "whatever");
        g_autofree char *canonical =
            g_strconcat("POST\n/a%20b\nx=y\nhost:a.test\nx-amz-content-sha256:", payloads[i],
                        "\nx-amz-date:20150830T123600Z\n\nhost;x-amz-content-sha256;x-amz-date\n",
                        payloads[i], NULL);
        check_signature(signed_one, canonical, "host;x-amz-content-sha256;x-amz-date");
    }
}

static char *replaced(const char *text, const char *what, const char *with)
{
    g_auto(GStrv) parts = g_strsplit(text, what, 2);
    g_assert_nonnull(parts[1]);
    return g_strconcat(parts[0], with, parts[1], NULL);
}

/* A request that was signed for one thing, and says another. */
static void refuses_changes(fixture *self, gconstpointer data)
{
    static const struct {
        const char *what, *with;
    } changes[] = {
        {"POST", "DELETE"},
        {"/a%20b", "/a%20c"},
        {"x=y", "x=z"},
        {"Host: a.test", "Host: b.test"},
        {"123600Z\r\n", "123601Z\r\n"},
        {"X-Other: 1", "X-Other: 2"},
        {"X-Other: 1", "X-Other: 1\r\nX-Other: 1"},
        {"X-Other: 1", "X-Othe: 1"},
        {"X-Other: 1", "X-Amz-Meta-New: 1\r\nX-Other: 1"},
        {"X-Other: 1", "X-Other: 1\r\nx-amz-date: 20150830T123600Z"},
        {"X-Other: 1", "X-Other: 1\r\nAuthorization: Basic eDp5"},
        {"X-Other: 1", "X-Other: 1\r\nX-Amz-Security-Token: mine"},
        {"X-Other: 1", "X-Other: 1\r\nX-Amz-Content-Sha256: UNSIGNED-PAYLOAD"},
        {"Credential=", "Credential=x"},
        {"/us-east-1/", "/us-west-1/"},
        {"/us-east-1/", "/us-east-1/x/"},
        {"/us-east-1/", "//"},
        {"/20150830/", "/20150831/"},
        {"/20150830/", "/2015083/"},
        {"/service/", "/iam/"},
        {"aws4_request", "aws4_requests"},
        {"AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"},
        {"AWS4-HMAC-SHA256", "Bearer"},
        {"SignedHeaders=host;", "SignedHeaders="},
        {"SignedHeaders=host;", "SignedHeaders=host;host;"},
        {"SignedHeaders=host;", "SignedHeaders=authorization;host;"},
        {"SignedHeaders=host;", "SignedHeaders=Host;"},
        {"SignedHeaders=host;", "SignedHeaders=;host;"},
        {"SignedHeaders=host;", "Signature=0, SignedHeaders=host;"},
        {";x-other", ""},
        {";x-amz-date", ""},
        {"Signature=", "Signature=0"},
        {", Signature=", ", Signature"},
        {", Signature=", ",, Signature="},
    };
    g_autofree char *good =
        signed_head(self, HEAD "X-Other: 1\r\n", "host;x-amz-date;x-other", "body");
    g_autofree char *control = sign_anew(self, good, "body");
    g_assert_true(g_str_has_prefix(control, "POST "));
    for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autofree char *head = replaced(good, changes[i].what, changes[i].with);
        g_autofree char *got = sign_anew(self, head, "body");
        g_test_message("%s -> %s: %s", changes[i].what, changes[i].with, got);
        g_assert_true(g_str_has_prefix(got, "refused: "));
    }
    g_autofree char *other_body = sign_anew(self, good, "bodY");
    g_assert_true(g_str_has_prefix(other_body, "refused: its signature does not fit"));
}

/* One that is signed as it says, and must not be signed anew. */
static void refuses_what_cannot_be_signed(fixture *self, gconstpointer data)
{
    static const struct {
        const char *fields, *names, *why;
    } table[] = {
        {"X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n",
         "host;x-amz-content-sha256;x-amz-date", "parts of the body are signed"},
        {"X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER\r\n",
         "host;x-amz-content-sha256;x-amz-date", "parts of the body are signed"},
        {"X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-EVENTS\r\n",
         "host;x-amz-content-sha256;x-amz-date", "parts of the body are signed"},
        {"", "x-amz-date", "leaves out Host"},
        {"X-Amz-Acl: public-read\r\n", "host;x-amz-date", "leaves out Host or a field of AWS"},
        {"x-amz-meta-a: b\r\n", "host;x-amz-date", "leaves out Host or a field of AWS"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autofree char *fields = g_strconcat(HEAD, table[i].fields, NULL);
        g_autofree char *head = signed_head(self, fields, table[i].names, "");
        g_autofree char *got = sign_anew(self, head, "");
        g_test_message("%s", got);
        g_assert_nonnull(strstr(got, table[i].why));
    }
}

static void refuses_by_time(fixture *self, gconstpointer data)
{
    static const struct {
        gint64 now;
        gboolean passes;
    } table[] = {{NOW, TRUE},        {NOW - 900, TRUE},  {NOW + 900, TRUE},
                 {NOW - 901, FALSE}, {NOW + 901, FALSE}, {NOW + 86400, FALSE}};
    g_autofree char *head = signed_head(self, HEAD, "host;x-amz-date", "");
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        g_auto(request_signature) signature = {0};
        const char *why =
            request_signature_read(self->here, head, strlen(head), table[i].now, &signature);
        g_assert_true(table[i].passes ? !why : strstr(why, "15 minutes") != NULL);
    }
    static const char *const wrong[] = {"20150830T123600",        "20150830T123600z",
                                        "2015-08-30T12:36Z",      "20150830T1236000",
                                        "20150830T12360\xd9\xa0", ""};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *changed = replaced(head, "20150830T123600Z", wrong[i]);
        g_autofree char *got = sign_anew(self, changed, "");
        g_assert_true(g_str_has_prefix(got, "refused: it has no X-Amz-Date"));
    }
}

/* A placeholder is put in nowhere else, and other credentials are the box's business. */
static void placeholders_elsewhere(fixture *self, gconstpointer data)
{
    const char *id = self->with.id.placeholder, *key = self->with.key.placeholder;
    g_autofree char *presigned =
        g_strdup_printf("GET /a?X-Amz-Credential=%s%%2F20150830&X-Amz-Signature=0 HTTP/1.1\r\n"
                        "Host: a.test\r\n\r\n",
                        id);
    g_autofree char *got = sign_anew(self, presigned, "");
    g_assert_nonnull(strstr(got, "refused: a presigned URL"));
    const char *const heads[] = {
        "GET /?a=%s HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nX-Note: %s\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer %s\r\n\r\n"};
    for (gsize i = 0; i < G_N_ELEMENTS(heads); i++) {
        g_auto(GStrv) parts = g_strsplit(heads[i], "%s", 2);
        g_autofree char *with_id = g_strconcat(parts[0], id, parts[1], NULL);
        g_autofree char *with_key = g_strconcat(parts[0], key, parts[1], NULL);
        g_autofree char *one = sign_anew(self, with_id, "");
        g_autofree char *other = sign_anew(self, with_key, "");
        g_assert_true(g_str_has_prefix(one, "refused: ") && g_str_has_prefix(other, "refused: "));
    }
    g_autofree char *head = signed_head(self, HEAD "X-Other: 1\r\n", "host;x-amz-date", "");
    g_autofree char *leak = replaced(head, "X-Other: 1", "X-Other: @");
    g_autofree char *with_key = replaced(leak, "@", key);
    g_autofree char *refused = sign_anew(self, with_key, "");
    g_assert_cmpstr(refused, ==, "refused: placeholder of aws");
    static const char foreign[] = "GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization: "
                                  "AWS4-HMAC-SHA256 Credential=ASIAOTHER/x\r\n\r\n";
    g_autofree char *own = sign_anew(self, foreign, "");
    g_assert_true(g_str_has_prefix(own, "GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization: "
                                        "AWS4-HMAC-SHA256 Credential=ASIAOTHER/x\r\n"));
}

/* Values. */

static void values(void)
{
    static const struct {
        const char *text, *id, *key, *token; /* ID NULL: refused */
    } table[] = {
        {ID ":" KEY, ID, KEY, NULL},
        {ID ":" KEY ":" TOKEN, ID, KEY, TOKEN},
        {"{\n \"Version\": 1,\n \"AccessKeyId\": \"" ID "\",\n \"SecretAccessKey\": \"" KEY
         "\",\n \"SessionToken\": \"" TOKEN "\", \"Expiration\": \"2026-01-01T00:00:00Z\"\n}",
         ID, KEY, TOKEN},
        {"{\"AccessKeyId\": \"" ID "\", \"SecretAccessKey\": \"" KEY "\"}", ID, KEY, NULL},
        {ID},
        {ID ":"},
        {":" KEY},
        {ID ":" KEY ":"},
        {ID " :" KEY},
        {ID "/x:" KEY},
        {ID ":with a blank in it 0123456789"},
        {"{\"AccessKeyId\": \"" ID "\"}"},
        {"{\"AccessKeyId\": 1, \"SecretAccessKey\": \"" KEY "\"}"},
        {"{\"AccessKeyId\": \"" ID "\", \"AccessKeyId\": \"" ID "\", \"SecretAccessKey\": \"" KEY
         "\"}"},
        {"{\"AccessKeyId\": \"AKIA\\nXXXXXXXXXXXXXXXX\", \"SecretAccessKey\": \"" KEY "\"}"},
        {"{"},
        {""},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        g_auto(aws_credentials) read = {0};
        g_autoptr(GError) problem = NULL;
        g_autoptr(secret) text = secret_copy((const guint8 *)table[i].text, strlen(table[i].text));
        gboolean done = aws_credentials_read(text, &read, &problem);
        g_test_message("%s: %s", table[i].text, problem ? problem->message : "taken");
        g_assert_cmpint(done, ==, table[i].id != NULL);
        g_assert_cmpint(done, ==, problem == NULL);
        if (!done) {
            g_assert_true(!read.id && !read.key && !read.token);
            g_assert_null(strstr(problem->message, KEY));
            continue;
        }
        g_assert_cmpmem(read.id->data, read.id->length, table[i].id, strlen(table[i].id));
        g_assert_cmpmem(read.key->data, read.key->length, table[i].key, strlen(table[i].key));
        g_assert_cmpint(read.token != NULL, ==, table[i].token != NULL);
        if (read.token)
            g_assert_cmpmem(read.token->data, read.token->length, table[i].token,
                            strlen(table[i].token));
    }
}

#define WITH_CREDENTIALS(name, test) g_test_add(name, fixture, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secrets/sigv4/values", values);
    WITH_CREDENTIALS("/secrets/sigv4/signs-anew", signs_anew);
    WITH_CREDENTIALS("/secrets/sigv4/signs-what-is-sent", signs_what_is_sent);
    WITH_CREDENTIALS("/secrets/sigv4/refuses-changes", refuses_changes);
    WITH_CREDENTIALS("/secrets/sigv4/refuses-what-cannot-be-signed", refuses_what_cannot_be_signed);
    WITH_CREDENTIALS("/secrets/sigv4/refuses-by-time", refuses_by_time);
    WITH_CREDENTIALS("/secrets/sigv4/placeholders-elsewhere", placeholders_elsewhere);
    return g_test_run();
}
