/*
 * A byte more, less or other never makes a request more trusted: every recorded sign request, with
 * every byte left out, replaced by and preceded by every value, and cut at every place. Nothing is
 * left to chance, so a failure is the same each time.
 */
#include "ssh-agent/wire/bind.h"
#include "ssh-agent/wire/classify.h"
#include "ssh-agent/wire/verify.h"
#include "ssh-madeup.h"
#include "ssh-recorded.h"

#define NOW 1700000000

/* Called with each variant of a text. */
typedef void (*judge)(struct ssh_span variant, gconstpointer data);

/* COPY has room for one byte more than TEXT. */
static void insert_all(struct ssh_span text, guchar *copy, judge each, gconstpointer data)
{
    for (gsize at = 0; at < text.length; at++) {
        memcpy(copy, text.data, at);
        memcpy(copy + at + 1, text.data + at, text.length - at);
        for (int value = 0; value < 256; value++) {
            copy[at] = (guchar)value;
            each((struct ssh_span){copy, text.length + 1}, data);
        }
    }
}

static void append_all(struct ssh_span text, guchar *copy, judge each, gconstpointer data)
{
    memcpy(copy, text.data, text.length);
    for (int value = 0; value < 256; value++) {
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

/* All from a place on is missing, or all up to a place. */
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
        for (int other = 1; other < 256; other++) {
            copy[at] = text.data[at] ^ (guchar)other;
            each((struct ssh_span){copy, text.length}, data);
        }
        copy[at] = text.data[at];
    }
}

static enum ssh_class class_of(struct ssh_span key, struct ssh_span data, guint32 flags)
{
    struct ssh_facts facts;
    ssh_classify(&facts, key, data, flags);
    return facts.class;
}

typedef struct {
    struct ssh_request request;
    enum ssh_class before;
} sign_case;

/*
 * It may be another fact: a byte put into a length makes the session id, or the user, longer by the
 * byte that was the length. Never another class, but unknown, and never for another key.
 */
static void same_or_unknown(struct ssh_span variant, gconstpointer data)
{
    const sign_case *self = data;
    struct ssh_facts facts;
    ssh_classify(&facts, self->request.key, variant, self->request.flags);
    g_assert_true(facts.class == self->before ||
                  facts.class == MIN(self->before, SSH_CLASS_UNKNOWN));
    if (facts.class == SSH_CLASS_LOGIN)
        g_assert_true(ssh_key_same_base(&facts.login.key, &facts.key));
}

/* What is cut, or has something behind it, is no class at all. */
static void unknown(struct ssh_span variant, gconstpointer data)
{
    const sign_case *self = data;
    g_assert_cmpint(class_of(self->request.key, variant, self->request.flags), ==,
                    MIN(self->before, SSH_CLASS_UNKNOWN));
}

/* Of the whole message: key, data and flags. */
static void message_not_more(struct ssh_span variant, gconstpointer data)
{
    const sign_case *self = data;
    struct ssh_request request;
    ssh_request_parse(&request, variant);
    if (request.kind != SSH_REQUEST_SIGN)
        return;
    enum ssh_class now = class_of(request.key, request.data, request.flags);
    g_assert_true(now == self->before || now <= SSH_CLASS_UNKNOWN);
}

/* No length in a message leaves room for a byte more or less. */
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
        if (one->who != 'C' || one->data[0] != SSH_AGENT_SIGN)
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

/* A certificate may be another one of the key that signed the session, then its CA did not sign it;
 * DATA is the host key. */
static void bind_refused(struct ssh_span variant, gconstpointer data)
{
    const struct ssh_key *host = data;
    struct ssh_bindings bindings = {0};
    struct ssh_key key;
    enum ssh_bind_result result = ssh_bindings_add(&bindings, variant);
    g_assert_true(bindings.attempted);
    if (host->is_certificate && result == SSH_BIND_OK) {
        g_assert_true(ssh_key_parse(&key, bindings.list[0].host_key));
        g_assert_true(ssh_key_same_base(&key, host));
        g_assert_false(ssh_verify_certificate(&key, SSH_CERTIFICATE_HOST, NOW));
    } else {
        g_assert_cmpint(result, >, SSH_BIND_AGAIN);
        g_assert_true(bindings.lied && bindings.count == 0);
    }
    ssh_bindings_clear(&bindings);
}

/* One bit of each byte but the claim of forwarding: the other values take too long to verify. */
static void change_bits(struct ssh_span text, guchar *copy, const struct ssh_key *host)
{
    memcpy(copy, text.data, text.length);
    for (gsize at = 0; at + 1 < text.length; at++) {
        copy[at] ^= (guchar)(1u << at % 8);
        bind_refused((struct ssh_span){copy, text.length}, host);
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
                    ssh_verify_certificate(&host, SSH_CERTIFICATE_HOST, NOW));
    insert_all(contents, copy, bind_refused, &host);
    append_all(contents, copy, bind_refused, &host);
    remove_all(contents, copy, bind_refused, &host);
    cut_all(contents, bind_refused, &host);
    change_bits(contents, copy, &host);
}

static void bind_bytes(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    guint seen = 0;
    for (guint i = 0; i < all->len; i++) {
        const recorded *one = all->pdata[i];
        struct ssh_request request;
        if (one->who != 'C' || one->data[0] != SSH_AGENT_EXTENSION ||
            !g_str_has_prefix(one->scenario, "host-"))
            continue;
        ssh_request_parse(&request, recorded_span(one));
        g_assert_cmpint(request.kind, ==, SSH_REQUEST_BIND);
        run_bind(request.contents);
        seen++;
    }
    g_assert_cmpuint(seen, ==, 6);
}

/* Bytes at random, the same ones each time, are unknown. */
static void noise(void)
{
    g_auto(madeup_key) key;
    guchar data[512];
    g_autoptr(GRand) random = g_rand_new_with_seed(9987);
    madeup_key_init(&key);
    for (int i = 0; i < 20000; i++) {
        gsize length = (gsize)g_rand_int_range(random, 0, sizeof data + 1);
        for (gsize at = 0; at < length; at++)
            data[at] = (guchar)g_rand_int_range(random, 0, 256);
        g_assert_cmpint(class_of(madeup_blob(&key), (struct ssh_span){data, length}, 0), ==,
                        SSH_CLASS_UNKNOWN);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-bytes/data", data_bytes);
    g_test_add_func("/ssh-bytes/message", message_bytes);
    g_test_add_func("/ssh-bytes/bind", bind_bytes);
    g_test_add_func("/ssh-bytes/noise", noise);
    return g_test_run();
}
