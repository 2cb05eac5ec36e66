#include <openssl/core_names.h>
#include <string.h>

#include "common/text.h"
#include "ssh-agent/store/error.h"
#include "ssh-agent/store/evp.h"
#include "ssh-agent/store/evp_number.h"

#define NUMBER_MAX (SSH_RSA_BITS_MAX / 8)
#define NAME_MAX_BYTES 64

/* The key's number NAME, big endian, padded with zeros in front to SIZE bytes. Read by way of our
 * memory: EVP_PKEY_get_bn_param leaves copies on the stack. */
static secret *number_of(EVP_PKEY *from, const char *name, gsize size)
{
    g_autoptr(secret) native = secret_new(NUMBER_MAX), result = secret_new(size);
    OSSL_PARAM params[] = {OSSL_PARAM_construct_BN(name, native->data, native->length),
                           OSSL_PARAM_construct_end()};
    g_autoptr(BIGNUM) number = BN_secure_new();

    if (!number || EVP_PKEY_get_params(from, params) != 1 || !OSSL_PARAM_modified(params))
        return NULL;
    params[0].data_size = params[0].return_size;
    if (!OSSL_PARAM_get_BN(params, &number) ||
        BN_bn2binpad(number, result->data, (int)size) != (int)size)
        return NULL;
    return g_steal_pointer(&result);
}

static struct ssh_span span_of(const secret *bytes)
{
    return (struct ssh_span){bytes->data, bytes->length};
}

static secret *write_form(const struct private_form *form)
{
    g_autoptr(secret) result = secret_new(PRIVATE_MAX);
    struct ssh_writer writer;

    ssh_writer_init_over(&writer, result->data, result->length);
    private_write(form, &writer);
    if (writer.failed)
        return NULL;
    result->length = writer.length;
    return g_steal_pointer(&result);
}

static secret *read_rsa(EVP_PKEY *from)
{
    static const char *const names[] = {
        OSSL_PKEY_PARAM_RSA_N,       OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,       OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
        OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2,
    };
    struct private_form form = {.type = SSH_KEY_RSA};
    struct ssh_span *const to[] = {&form.n, &form.e, &form.d, &form.iqmp, &form.p, &form.q};
    g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func((GDestroyNotify)secret_free);

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        secret *number = number_of(from, names[i], NUMBER_MAX);
        if (!number)
            return NULL;
        g_ptr_array_add(owned, number);
        *to[i] = span_of(number);
    }
    return write_form(&form);
}

static secret *read_ecdsa(EVP_PKEY *from, enum ssh_key_type type)
{
    gsize field = private_field(type);
    g_autoptr(secret) x = number_of(from, OSSL_PKEY_PARAM_EC_PUB_X, field);
    g_autoptr(secret) y = number_of(from, OSSL_PKEY_PARAM_EC_PUB_Y, field);
    g_autoptr(secret) d = number_of(from, OSSL_PKEY_PARAM_PRIV_KEY, field);
    g_autoptr(secret) point = secret_new(1 + 2 * field);

    if (!x || !y || !d)
        return NULL;
    point->data[0] = 4; /* uncompressed */
    memcpy(point->data + 1, x->data, field);
    memcpy(point->data + 1 + field, y->data, field);
    struct private_form form = {.type = type, .point = span_of(point), .scalar = span_of(d)};
    return write_form(&form);
}

static secret *read_ed25519(EVP_PKEY *from)
{
    g_autoptr(secret) pair = secret_new(64);
    size_t seed = 32, public = 32;
    if (EVP_PKEY_get_raw_private_key(from, pair->data, &seed) != 1 ||
        EVP_PKEY_get_raw_public_key(from, pair->data + 32, &public) != 1 || seed != 32 ||
        public != 32)
        return NULL;
    struct private_form form = {
        .type = SSH_KEY_ED25519,
        .point = {pair->data + 32, 32},
        .scalar = span_of(pair),
    };
    return write_form(&form);
}

static gboolean curve_of(EVP_PKEY *from, enum ssh_key_type *type)
{
    char name[NAME_MAX_BYTES];
    if (EVP_PKEY_get_group_name(from, name, sizeof name, NULL) != 1)
        return FALSE;
    for (*type = SSH_KEY_ECDSA_256; *type <= SSH_KEY_ECDSA_521; ++*type) {
        if (strcmp(name, private_curve_openssl(*type)) == 0)
            return TRUE;
    }
    return FALSE;
}

gpointer evp_refuse_kind(const char *kind, GError **error)
{
    g_autofree char *safe = text_safe_max(kind ? kind : "?", -1, NAME_MAX_BYTES);
    g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                "%s keys of this kind are not taken: ed25519, ECDSA on nistp256, nistp384 or "
                "nistp521, and RSA are",
                safe);
    return NULL;
}

secret *evp_to_private(EVP_PKEY *from, GError **error)
{
    enum ssh_key_type curve;
    secret *result = NULL;

    if (EVP_PKEY_is_a(from, "ED25519"))
        result = read_ed25519(from);
    else if (EVP_PKEY_is_a(from, "RSA") && EVP_PKEY_get_bits(from) <= SSH_RSA_BITS_MAX)
        result = read_rsa(from);
    else if (EVP_PKEY_is_a(from, "EC") && curve_of(from, &curve))
        result = read_ecdsa(from, curve);
    else
        return evp_refuse_kind(EVP_PKEY_get0_type_name(from), error);
    if (!result)
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "parts of this private key are missing");
    return result;
}
