#include "host/secrets/tls_line.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "host/secrets/alpn.h"

#define READ_SIZE ((size_t)16 << 10)

/* What SSL_read() or SSL_write() returned, when it is not a number of bytes. */
static void take_result(struct tls_line *self, int result)
{
    switch (SSL_get_error(self->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        self->wants |= EPOLLIN;
        return;
    case SSL_ERROR_WANT_WRITE:
        self->wants |= EPOLLOUT;
        return;
    case SSL_ERROR_WANT_CLIENT_HELLO_CB: /* for a choice */
        return;
    case SSL_ERROR_ZERO_RETURN:
        self->has_ended = true;
        return;
    default:
        if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING &&
            SSL_is_init_finished(self->ssl))
            self->has_ended = self->was_cut = true;
        else
            self->is_broken = true;
    }
}

static ssize_t socket_result(struct tls_line *self, ssize_t result, uint32_t event)
{
    if (result < 0 && (errno == EAGAIN || errno == EINTR))
        self->wants |= event;
    else if (result < 0)
        self->is_broken = true;
    return result;
}

static ssize_t read_some(struct tls_line *self, void *room, size_t size)
{
    if (!self->ssl) {
        ssize_t got = socket_result(self, recv(self->watch.fd, room, size, MSG_DONTWAIT), EPOLLIN);
        self->has_ended |= got == 0;
        return got;
    }
    ERR_clear_error();
    int got = SSL_read(self->ssl, room, (int)size);
    if (got <= 0)
        take_result(self, got);
    return got;
}

bool tls_line_read(struct tls_line *self)
{
    bool moved = false;
    size_t full = self->in_full ? self->in_full : LINE_QUEUE_FULL;
    while (!self->is_broken && !self->has_ended && self->in.length < full) {
        unsigned char *room = byte_queue_reserve(&self->in, READ_SIZE);
        ssize_t got = room ? read_some(self, room, READ_SIZE) : -1;
        self->is_broken |= !room;
        if (got <= 0)
            break;
        self->in.length += (size_t)got;
        moved = true;
    }
    return moved || self->has_ended || self->is_broken;
}

static ssize_t write_some(struct tls_line *self, size_t from)
{
    const unsigned char *data = self->out.data + from;
    size_t size = self->ready - from;
    if (!self->ssl)
        return socket_result(self, send(self->watch.fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL),
                             EPOLLOUT);
    ERR_clear_error();
    int sent = SSL_write(self->ssl, data, (int)size);
    if (sent <= 0)
        take_result(self, sent);
    return sent;
}

bool tls_line_write(struct tls_line *self)
{
    size_t done = 0;
    while (!self->is_broken && done < self->ready) {
        ssize_t sent = write_some(self, done);
        if (sent <= 0)
            break;
        done += (size_t)sent;
    }
    if (done > 0)
        OPENSSL_cleanse(self->out.data, done);
    byte_queue_consume(&self->out, done);
    self->ready -= done;
    return done > 0;
}

bool tls_line_is_full(const struct tls_line *self)
{
    return self->ready >= LINE_OUT_FULL;
}

static void rest(struct byte_queue *queue)
{
    if (queue->length > 0)
        return;
    size_t limit = queue->limit;
    byte_queue_clear(queue);
    queue->limit = limit;
}

void tls_line_rest(struct tls_line *self)
{
    rest(&self->in);
    rest(&self->out);
}

void tls_line_finish(struct tls_line *self)
{
    ERR_clear_error();
    if (self->ssl && SSL_is_init_finished(self->ssl) && !self->is_broken)
        SSL_shutdown(self->ssl);
    shutdown(self->watch.fd, SHUT_WR);
}

static void clear_queue(struct byte_queue *queue)
{
    if (queue->data)
        OPENSSL_cleanse(queue->data, queue->length);
    byte_queue_clear(queue);
}

void tls_line_close(struct tls_line *self, bool reset)
{
    const struct linger at_once = {.l_onoff = 1};
    if (reset && self->watch.fd >= 0)
        setsockopt(self->watch.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    SSL_free(self->ssl);
    self->ssl = NULL;
    event_watch_close(&self->watch);
    clear_queue(&self->in);
    clear_queue(&self->out);
    self->ready = 0;
}

SSL_CTX *tls_line_client(void)
{
    SSL_CTX *self = SSL_CTX_new(TLS_client_method());
    if (self && SSL_CTX_set_min_proto_version(self, TLS1_2_VERSION) == 1 &&
        SSL_CTX_set_default_verify_paths(self) == 1) {
        SSL_CTX_set_verify(self, SSL_VERIFY_PEER, NULL);
        return self;
    }
    fprintf(stderr, "the certificates of this system cannot be read\n");
    SSL_CTX_free(self);
    return NULL;
}

static bool begin_tls(struct tls_line *self, SSL_CTX *context)
{
    self->ssl = SSL_new(context);
    if (!self->ssl)
        return false;
    SSL_set_mode(self->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
    /* Else a call goes on as long as there are records without data, such as changes of the key: an
     * end that sends nothing else would keep it for ever, and all others waiting. */
    SSL_clear_mode(self->ssl, SSL_MODE_AUTO_RETRY);
    SSL_set_app_data(self->ssl, self);
    return SSL_set_fd(self->ssl, self->watch.fd) == 1;
}

bool tls_line_accept(struct tls_line *self, SSL_CTX *context)
{
    if (!begin_tls(self, context))
        return false;
    SSL_set_accept_state(self->ssl);
    return true;
}

bool tls_line_connect(struct tls_line *self, SSL_CTX *context, const char *name)
{
    if (!begin_tls(self, context) || SSL_set_tlsext_host_name(self->ssl, name) != 1 ||
        SSL_set1_host(self->ssl, name) != 1)
        return false;
    SSL_set_hostflags(self->ssl,
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    SSL_set_connect_state(self->ssl);
    return true;
}

bool tls_line_handshake(struct tls_line *self)
{
    if (self->is_broken || SSL_is_init_finished(self->ssl))
        return true;
    ERR_clear_error();
    int result = SSL_do_handshake(self->ssl);
    if (result != 1)
        take_result(self, result);
    self->is_broken |= self->has_ended;
    return result == 1 || self->is_broken;
}

/* Which protocol is spoken with TLS: what the client at one end offers is known before the server
 * at the other end is asked, and what that one chooses before the client gets an answer. */

static const struct {
    unsigned protocol;
    const char *name; /* behind a byte with its length */
} names[] = {{TLS_HTTP2, "\x02h2"}, {TLS_HTTP1, "\x08http/1.1"}};
#define N_NAMES (sizeof names / sizeof *names)

static const char *name_of(unsigned protocol)
{
    return names[protocol == TLS_HTTP2 ? 0 : 1].name;
}

static int read_hello(SSL *ssl, int *alert, void *data)
{
    const unsigned char *list;
    size_t length;
    struct tls_line *self = SSL_get_app_data(ssl);
    if (!self->has_hello &&
        SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &list,
                                  &length) == 1) {
        for (size_t i = 0; i < N_NAMES; i++)
            if (alpn_offers(list, length, names[i].name + 1))
                self->offered |= names[i].protocol;
    }
    self->has_hello = true;
    return self->chosen ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_RETRY;
}

/* Not called for a client that offers nothing: that speaks HTTP/1. */
static int choose(SSL *ssl, const unsigned char **out, unsigned char *length,
                  const unsigned char *offered, unsigned n_offered, void *data)
{
    const struct tls_line *self = SSL_get_app_data(ssl);
    const unsigned char *name = (const unsigned char *)name_of(self->chosen);
    return SSL_select_next_proto((unsigned char **)out, length, name, 1u + name[0], offered,
                                 n_offered) == OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

void tls_line_prepare(SSL_CTX *context)
{
    /* A box could fill the memory with sessions; clients keep them themselves, in tickets. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_client_hello_cb(context, read_hello, NULL);
    SSL_CTX_set_alpn_select_cb(context, choose, NULL);
}

bool tls_line_offer(struct tls_line *self, unsigned protocols)
{
    unsigned char list[16];
    unsigned length = 0;
    for (size_t i = 0; i < N_NAMES; i++) {
        size_t size = strlen(names[i].name);
        if (!(names[i].protocol & protocols))
            continue;
        memcpy(list + length, names[i].name, size);
        length += (unsigned)size;
    }
    self->offered = protocols;
    return SSL_set_alpn_protos(self->ssl, list, length) == 0;
}

unsigned tls_line_protocol(const struct tls_line *self)
{
    const unsigned char *name = NULL;
    unsigned length = 0;
    SSL_get0_alpn_selected(self->ssl, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0 ? TLS_HTTP2 : TLS_HTTP1;
}
