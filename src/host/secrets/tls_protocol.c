/* Which protocol is spoken with TLS: what the client at one end offers is known before the server
 * at the other end is asked, and what that one chooses before the client gets an answer. */
#include <openssl/ssl.h>
#include <string.h>

#include "host/secrets/alpn.h"
#include "host/secrets/tls_line.h"

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
