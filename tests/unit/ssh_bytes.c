/*
 * Changing a byte never makes a request more trusted. Tries every recorded sign request with every
 * byte removed, every byte replaced by every value, every value inserted at every offset, and cut
 * at every offset. Deterministic, so that a failure can be reproduced.
 */
#include "ssh-agent/wire/session_bind.h"
#include "ssh-agent/wire/signature.h"
#include "ssh-agent/wire/signed_data.h"
#include "ssh_recorded.h"
#include "ssh_samples.h"

#define NOW 1700000000

/* All values of a byte, or under a sanitizer, which takes ten times as long, each fifth of them. */
#if defined __SANITIZE_ADDRESS__
#define VALUE_STEP 5
#else
#define VALUE_STEP 1
#endif

/* Checks one VARIANT of a text. */
typedef void (*judge)(struct ssh_span variant, gconstpointer data);

/* COPY is one byte larger than TEXT. */
static void insert_all(struct ssh_span text, guchar *copy, judge each, gconstpointer data)
{
    for (gsize at = 0; at < text.length; at++) {
        memcpy(copy, text.data, at);
        memcpy(copy + at + 1, text.data + at, text.length - at);
        for (int value = 0; value < 256; value += VALUE_STEP) {
            copy[at] = (guchar)value;
            each((struct ssh_span){copy, text.length + 1}, data);
        }
    }
}

static void append_all(struct ssh_span text, guchar *copy, judge each, gconstpointer data)
{
    memcpy(copy, text.data, text.length);
    for (int value = 0; value < 256; value += VALUE_STEP) {
        copy[text.length] = (guchar)value;
        each((struct ssh_span){copy, text.length + 1}, data);
    }
}

static void remove_all(struct ssh_span text, guchar *copy, judge each, gconstpointer data)
{
    for (gsize at = 0; at < text.length; at++) {
        memcpy(copy, text.data, at);
        memcpy(copy + at, text.data + at + 1, text.length - at - 1);
        each((struct ssh_span){copy, text.length - 1}, data);
    }
}

/* Every prefix and every suffix. */
static void cut_all(struct ssh_span text, judge each, gconstpointer data)
{
    for (gsize at = 0; at < text.length; at++) {
        each((struct ssh_span){text.data, at}, data);
        each((struct ssh_span){text.data + at + 1, text.length - at - 1}, data);
    }
}

static void change_all(struct ssh_span text, guchar *copy, judge each, gconstpointer data)
{
    memcpy(copy, text.data, text.length);
    for (gsize at = 0; at < text.length; at++) {
        for (int other = 1; other < 256; other += VALUE_STEP) {
            copy[at] = text.data[at] ^ (guchar)other;
            each((struct ssh_span){copy, text.length}, data);
        }
        copy[at] = text.data[at];
    }
}

static enum ssh_data_class class_of(struct ssh_span key, struct ssh_span data, guint32 flags)
{
    struct ssh_signed_data classified;
    ssh_signed_data_classify(&classified, key, data, flags);
    return classified.class;
}

typedef struct {
    struct ssh_request request;
    enum ssh_data_class before;
} sign_case;

/*
 * The class stays or becomes UNKNOWN, and the key stays the same. Other fields may differ: a byte
 * inserted into a length can make the session identifier or the user longer by the old length byte.
 */
static void same_or_unknown(struct ssh_span variant, gconstpointer data)
{
    const sign_case *self = data;
    struct ssh_signed_data classified;
    ssh_signed_data_classify(&classified, self->request.key, variant, self->request.flags);
    g_assert_true(classified.class == self->before ||
                  classified.class == MIN(self->before, SSH_CLASS_UNKNOWN));
    if (classified.class == SSH_CLASS_LOGIN)
        g_assert_true(ssh_key_same_base(&classified.login.key, &classified.key));
}

/* Data that is cut or has trailing bytes is UNKNOWN. */
static void unknown(struct ssh_span variant, gconstpointer data)
{
    const sign_case *self = data;
    g_assert_cmpint(class_of(self->request.key, variant, self->request.flags), ==,
                    MIN(self->before, SSH_CLASS_UNKNOWN));
}

/* For variants of the whole message: key, data and flags. */
static void message_not_more(struct ssh_span variant, gconstpointer data)
{
    const sign_case *self = data;
    struct ssh_request request;
    ssh_request_parse(&request, variant);
    if (request.kind != SSH_REQUEST_SIGN)
        return;
    enum ssh_data_class now = class_of(request.key, request.data, request.flags);
    g_assert_true(now == self->before || now <= SSH_CLASS_UNKNOWN);
}

/* A message with a byte more or less is malformed. */
static void message_malformed(struct ssh_span variant, gconstpointer data)
{
    struct ssh_request request;
    ssh_request_parse(&request, variant);
    g_assert_cmpint(request.kind, !=, SSH_REQUEST_SIGN);
}

static guint each_sign_request(void (*run)(const sign_case *, struct ssh_span, guchar *))
{
    g_autoptr(GPtrArray) all = recorded_load();
    guint seen = 0;
    for (guint i = 0; i < all->len; i++) {
        const recorded *one = all->pdata[i];
        sign_case self;
        if (one->kind != 'C' || one->data[0] != SSH_AGENTC_SIGN_REQUEST)
            continue;
        g_autofree guchar *copy = g_malloc(one->length + 1);
        ssh_request_parse(&self.request, recorded_span(one));
        g_assert_cmpint(self.request.kind, ==, SSH_REQUEST_SIGN);
        self.before = class_of(self.request.key, self.request.data, self.request.flags);
        run(&self, recorded_span(one), copy);
        seen++;
    }
    return seen;
}

static void run_data(const sign_case *self, struct ssh_span message, guchar *copy)
{
    insert_all(self->request.data, copy, same_or_unknown, self);
    remove_all(self->request.data, copy, same_or_unknown, self);
    change_all(self->request.data, copy, same_or_unknown, self);
    append_all(self->request.data, copy, unknown, self);
    cut_all(self->request.data, unknown, self);
}

static void run_message(const sign_case *self, struct ssh_span message, guchar *copy)
{
    insert_all(message, copy, message_not_more, self);
    remove_all(message, copy, message_not_more, self);
    change_all(message, copy, message_not_more, self);
    append_all(message, copy, message_malformed, self);
    cut_all(message, message_malformed, self);
}

static void data_bytes(void)
{
    g_assert_cmpuint(each_sign_request(run_data), >, 25);
}

static void message_bytes(void)
{
    g_assert_cmpuint(each_sign_request(run_message), >, 25);
}

/* A changed bind is refused, or its host certificate (DATA is the host key) is a different one for
 * the same key, which the CA did not sign. */
static void check_refused(struct ssh_span variant, gconstpointer data)
{
    const struct ssh_key *host = data;
    struct ssh_bindings bindings = {0};
    struct ssh_key key;
    enum ssh_bind_result result = ssh_bindings_add(&bindings, variant);
    g_assert_true(bindings.attempted);
    if (host->is_certificate && result == SSH_BIND_OK) {
        g_assert_true(ssh_key_parse(&key, bindings.list[0].host_key));
        g_assert_true(ssh_key_same_base(&key, host));
        g_assert_false(ssh_certificate_verify(&key, SSH_CERTIFICATE_HOST, NOW));
    } else {
        g_assert_cmpint(result, >, SSH_BIND_DUPLICATE);
        g_assert_true(bindings.bind_refused && bindings.count == 0);
    }
    ssh_bindings_clear(&bindings);
}

/* Flips one bit of each byte except the forwarding flag. All values would take too long to verify.
 */
static void change_bits(struct ssh_span text, guchar *copy, const struct ssh_key *host)
{
    memcpy(copy, text.data, text.length);
    for (gsize at = 0; at + 1 < text.length; at++) {
        copy[at] ^= (guchar)(1u << at % 8);
        check_refused((struct ssh_span){copy, text.length}, host);
        copy[at] = text.data[at];
    }
}

static void run_bind(struct ssh_span contents)
{
    struct ssh_reader reader = ssh_reader_of(contents);
    struct ssh_span blob;
    struct ssh_key host;
    g_autofree guchar *copy = g_malloc(contents.length + 1);
    g_assert_true(ssh_read_string(&reader, &blob) && ssh_key_parse(&host, blob));
    g_assert_cmpint(host.is_certificate, ==,
                    ssh_certificate_verify(&host, SSH_CERTIFICATE_HOST, NOW));
    insert_all(contents, copy, check_refused, &host);
    append_all(contents, copy, check_refused, &host);
    remove_all(contents, copy, check_refused, &host);
    cut_all(contents, check_refused, &host);
    change_bits(contents, copy, &host);
}

static void bind_bytes(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    guint seen = 0;
    for (guint i = 0; i < all->len; i++) {
        const recorded *one = all->pdata[i];
        struct ssh_request request;
        if (one->kind != 'C' || one->data[0] != SSH_AGENTC_EXTENSION ||
            !g_str_has_prefix(one->scenario, "host-"))
            continue;
        ssh_request_parse(&request, recorded_span(one));
        g_assert_cmpint(request.kind, ==, SSH_REQUEST_BIND);
        run_bind(request.contents);
        seen++;
    }
    g_assert_cmpuint(seen, ==, 6);
}

/* Pseudo-random bytes, the same in each run, are UNKNOWN. */
static void noise(void)
{
    g_auto(sample_key) key;
    guchar data[512];
    g_autoptr(GRand) random = g_rand_new_with_seed(9987);
    sample_key_init(&key);
    for (int i = 0; i < 20000; i++) {
        gsize length = (gsize)g_rand_int_range(random, 0, sizeof data + 1);
        for (gsize at = 0; at < length; at++)
            data[at] = (guchar)g_rand_int_range(random, 0, 256);
        g_assert_cmpint(class_of(sample_blob(&key), (struct ssh_span){data, length}, 0), ==,
                        SSH_CLASS_UNKNOWN);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-bytes/changed-data-is-not-more-trusted", data_bytes);
    g_test_add_func("/ssh-bytes/changed-messages-are-not-more-trusted", message_bytes);
    g_test_add_func("/ssh-bytes/changed-binds-are-refused", bind_bytes);
    g_test_add_func("/ssh-bytes/random-data-is-unknown", noise);
    return g_test_run();
}
