/* What litterbox-secrets reads of TLS: no client or server may keep it in one call. */
#include <fcntl.h>
#include <glib.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/secrets/tls_line.h"

#define UPDATES 1000

static SSL_CTX *server_context(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    g_assert_cmpint(X509_sign(certificate, key, EVP_sha256()), >, 0);
    g_assert_cmpint(SSL_CTX_use_certificate(context, certificate), ==, 1);
    g_assert_cmpint(SSL_CTX_use_PrivateKey(context, key), ==, 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return context;
}

static SSL *client_of(SSL_CTX *context, int fd)
{
    SSL *client = SSL_new(context);
    SSL_set_fd(client, fd);
    SSL_set_connect_state(client);
    return client;
}

static int unread(int fd)
{
    int bytes = 0;
    g_assert_cmpint(ioctl(fd, FIONREAD, &bytes), ==, 0);
    return bytes;
}

/* Sends UPDATES changes of its key, each of which takes its reader longer than many bytes, and a
 * word behind them. */
static void flood(SSL *client, int fd)
{
    char *data;
    BIO *out = BIO_new(BIO_s_mem());
    SSL_set0_wbio(client, out);
    for (int i = 0; i < UPDATES; i++) {
        g_assert_cmpint(SSL_key_update(client, SSL_KEY_UPDATE_NOT_REQUESTED), ==, 1);
        g_assert_cmpint(SSL_do_handshake(client), ==, 1);
    }
    g_assert_cmpint(SSL_write(client, "hello", 5), ==, 5);
    long size = BIO_get_mem_data(out, &data);
    g_assert_cmpint(send(fd, data, (size_t)size, 0), ==, size);
}

typedef struct {
    SSL_CTX *context, *client_context;
    struct tls_line line; /* the end of litterbox-secrets */
    SSL *client;
    int client_fd;
} fixture;

static void set_up(fixture *self, gconstpointer data)
{
    int ends[2];
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), ==, 0);
    self->context = server_context();
    self->client_context = SSL_CTX_new(TLS_client_method());
    self->line.watch.fd = ends[0];
    self->client_fd = ends[1];
    self->client = client_of(self->client_context, ends[1]);
}

static void tear_down(fixture *self, gconstpointer data)
{
    SSL_free(self->client);
    close(self->client_fd);
    tls_line_close(&self->line, false);
    SSL_CTX_free(self->client_context);
    SSL_CTX_free(self->context);
}

static void shake_hands(fixture *self)
{
    g_assert_true(tls_line_accept(&self->line, self->context));
    while (SSL_do_handshake(self->client) != 1)
        tls_line_read(&self->line);
}

static void a_call_reads_no_more_than_a_few_records(fixture *self, gconstpointer data)
{
    int fd = self->line.watch.fd, turns = 0;
    shake_hands(self);
    tls_line_read(&self->line);
    flood(self->client, self->client_fd);
    int before = unread(fd);
    tls_line_read(&self->line);
    g_assert_cmpint(unread(fd), >, before / 2);
    g_assert_cmpuint(self->line.wants, ==, EPOLLIN);
    for (; self->line.in.length == 0 && turns < 2 * UPDATES; turns++)
        tls_line_read(&self->line);
    g_assert_cmpmem(self->line.in.data, self->line.in.length, "hello", 5);
    g_assert_false(self->line.is_broken);
}

/* A client of TLS 1.2 that takes no ticket leaves a session of a KiB with each connection. */
static void sessions_are_not_kept(fixture *self, gconstpointer data)
{
    self->line.chosen = TLS_HTTP1;
    tls_line_prepare(self->context);
    SSL_set_max_proto_version(self->client, TLS1_2_VERSION);
    SSL_set_options(self->client, SSL_OP_NO_TICKET);
    shake_hands(self);
    g_assert_cmpint(SSL_version(self->client), ==, TLS1_2_VERSION);
    g_assert_true(SSL_is_init_finished(self->line.ssl));
    g_assert_cmpint(SSL_CTX_sess_number(self->context), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/secrets_tls/floods", fixture, NULL, set_up,
               a_call_reads_no_more_than_a_few_records, tear_down);
    g_test_add("/secrets_tls/sessions", fixture, NULL, set_up, sessions_are_not_kept, tear_down);
    return g_test_run();
}
