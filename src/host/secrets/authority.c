#include "host/secrets/authority.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/secrets/tls_line.h"
#include "proto/network_rules.h"
#include "proto/secret_files.h"

#define CA_DAYS 3650
#define LEAF_DAYS 365
/* Clocks of a box are those of the host, but a certificate that is valid from now on is not yet
 * valid after the clock was set back. */
#define EARLIER_SECONDS (-24L * 60 * 60)
#define DAY_SECONDS (24L * 60 * 60)
#define SERIAL_BITS 127

static EVP_PKEY *ca_key, *leaf_key;
static X509 *ca;

static int failed(const char *what)
{
    char text[256];
    ERR_error_string_n(ERR_get_error(), text, sizeof text);
    fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : text);
    return -1;
}

static bool add_extension(X509 *to, const X509 *issuer, int kind, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, (X509 *)issuer, to, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool done = extension && X509_add_ext(to, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return done;
}

static bool set_serial(X509 *self)
{
    BIGNUM *number = BN_new();
    bool done = number && BN_rand(number, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
                BN_to_ASN1_INTEGER(number, X509_get_serialNumber(self));
    BN_free(number);
    return done;
}

/* A certificate of KEY, called NAME, without extensions. */
static X509 *new_certificate(EVP_PKEY *key, const char *name, int days)
{
    X509 *self = X509_new();
    X509_NAME *subject = self ? X509_get_subject_name(self) : NULL;
    if (subject && X509_set_version(self, X509_VERSION_3) == 1 && set_serial(self) &&
        X509_gmtime_adj(X509_getm_notBefore(self), EARLIER_SECONDS) &&
        X509_gmtime_adj(X509_getm_notAfter(self), days * DAY_SECONDS) &&
        X509_set_pubkey(self, key) == 1 &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
                                   0) == 1)
        return self;
    X509_free(self);
    return NULL;
}

/* The limit of a CN is 64 characters (RFC 5280); the number tells authorities of one box apart. */
static X509 *make_ca(const char *box)
{
    char name[64], random[9];
    unsigned number = 0;
    RAND_bytes((unsigned char *)&number, sizeof number);
    snprintf(random, sizeof random, "%08x", number);
    snprintf(name, sizeof name, "Litterbox %s %.40s", random, box);
    X509 *self = new_certificate(ca_key, name, CA_DAYS);
    if (self && X509_set_issuer_name(self, X509_get_subject_name(self)) == 1 &&
        add_extension(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
        add_extension(self, self, NID_key_usage, "critical,keyCertSign,cRLSign") &&
        add_extension(self, self, NID_subject_key_identifier, "hash") &&
        X509_sign(self, ca_key, EVP_sha256()) > 0)
        return self;
    X509_free(self);
    return NULL;
}

static FILE *open_file(int folder, const char *name, int flags, const char *mode)
{
    int fd = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, mode);
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

static bool load_authority(int folder)
{
    FILE *file = open_file(folder, AUTHORITY_FILE, O_RDONLY, "r");
    if (!file)
        return false;
    ca_key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    ca = ca_key ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;
    fclose(file);
    return ca && X509_check_private_key(ca, ca_key) == 1;
}

/* A file that was cut off is not valid, and is made anew. */
static int write_file(int folder, const char *name, bool with_key)
{
    unlinkat(folder, name, 0);
    FILE *file = open_file(folder, name, O_WRONLY | O_CREAT | O_EXCL, "w");
    bool done = file &&
                (with_key ? PEM_write_PKCS8PrivateKey(file, ca_key, NULL, NULL, 0, NULL, NULL) == 1
                          : fprintf(file, "# %08lx\n", X509_subject_name_hash(ca)) > 0) &&
                PEM_write_X509(file, ca);
    if (file && fclose(file) != 0)
        done = false;
    return done ? 0 : failed(name);
}

int authority_open(int folder, const char *name)
{
    errno = 0;
    bool loaded = load_authority(folder);
    ERR_clear_error();
    errno = 0;
    if (!loaded) {
        ca_key = EVP_EC_gen("P-256");
        ca = ca_key ? make_ca(name) : NULL;
    }
    leaf_key = EVP_EC_gen("P-256");
    if (!ca || !leaf_key)
        return failed("the certificate authority cannot be made");
    if (!loaded && write_file(folder, AUTHORITY_FILE, true) < 0)
        return -1;
    return write_file(folder, SECRETS_CERTIFICATE, false);
}

static X509 *make_leaf(const char *host)
{
    char names[HOST_NAME_SIZE + 8];
    snprintf(names, sizeof names, "DNS:%s", host);
    /* A name may be longer than a CN; nobody reads it where there is a subjectAltName. */
    X509 *self = new_certificate(leaf_key, "Litterbox", LEAF_DAYS);
    if (self && X509_set_issuer_name(self, X509_get_subject_name(ca)) == 1 &&
        add_extension(self, ca, NID_basic_constraints, "critical,CA:FALSE") &&
        add_extension(self, ca, NID_key_usage, "critical,digitalSignature") &&
        add_extension(self, ca, NID_ext_key_usage, "serverAuth") &&
        add_extension(self, ca, NID_subject_alt_name, names) &&
        add_extension(self, ca, NID_subject_key_identifier, "hash") &&
        add_extension(self, ca, NID_authority_key_identifier, "keyid:always") &&
        X509_sign(self, ca_key, EVP_sha256()) > 0)
        return self;
    X509_free(self);
    return NULL;
}

/* Without the name, or with another one, the client would not take the certificate anyway. */
static int check_name(SSL *line, int *alert, void *host)
{
    const char *name = SSL_get_servername(line, TLSEXT_NAMETYPE_host_name);
    *alert = SSL_AD_UNRECOGNIZED_NAME;
    return name && strcasecmp(name, host) == 0 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

SSL_CTX *authority_server(const char *host)
{
    errno = 0;
    SSL_CTX *self = SSL_CTX_new(TLS_server_method());
    X509 *leaf = self ? make_leaf(host) : NULL;
    if (leaf && SSL_CTX_set_min_proto_version(self, TLS1_2_VERSION) == 1 &&
        SSL_CTX_use_certificate(self, leaf) == 1 && SSL_CTX_use_PrivateKey(self, leaf_key) == 1) {
        X509_free(leaf);
        tls_line_prepare(self);
        SSL_CTX_set_tlsext_servername_callback(self, check_name);
        SSL_CTX_set_tlsext_servername_arg(self, (void *)host);
        return self;
    }
    X509_free(leaf);
    SSL_CTX_free(self);
    failed(host);
    return NULL;
}
