#include "host/secrets/phantom.h"

#include <jansson.h>
#include <sodium.h>
#include <string.h>

#define BASE64URL sodium_base64_VARIANT_URLSAFE_NO_PADDING

/* Behind the tag: a letter of these, and the generation in hexadecimal digits. */
static const char letters[LOGIN_TOKENS_COUNT] = {
    [TOKEN_ACCESS] = 'a', [TOKEN_REFRESH] = 'r', [TOKEN_ID] = 'i'};
#define DIGITS 8
#define MARK (PHANTOM_TAG + 1 + DIGITS)

void phantom_maker_init(phantom_maker *self, const login_service *service, const char *name,
                        const guint8 key[PLACEHOLDER_KEY])
{
    g_autofree char *what = g_strconcat(name, " login", NULL);
    g_autofree char *like = g_strnfill(PHANTOM_TAG, 'x');
    g_autofree char *tag = placeholder_make(key, what, like, PHANTOM_TAG);
    *self = (phantom_maker){.name = name, .service = service};
    memcpy(self->key, key, sizeof self->key);
    memcpy(self->tag, tag, sizeof self->tag);
}

const char *phantom_refusal(const char *token, gsize length)
{
    if (length < TOKEN_MIN)
        return "it is too short";
    if (length > TOKEN_MAX)
        return "it is too long";
    if (memchr(token, '"', length) || memchr(token, '\\', length))
        return "it has what JSON would write in another way";
    return secret_text_refusal(token, length);
}

static char *make_opaque(const phantom_maker *self, enum login_token which, guint32 generation,
                         const char *token)
{
    gsize length = strlen(token), prefix = placeholder_prefix(token, length);
    char mark[MARK + 1];
    g_autofree char *what =
        g_strdup_printf("%s %s %u", self->name, login_token_names[which], (unsigned)generation);
    if (length - prefix < MARK)
        return NULL;
    char *made = placeholder_make(self->key, what, token, length);
    g_snprintf(mark, sizeof mark, "%s%c%08x", self->tag, letters[which], (unsigned)generation);
    memcpy(made + prefix, mark, MARK);
    return made;
}

/* JWTs. */

static char *encode(const char *text)
{
    gsize size = sodium_base64_ENCODED_LEN(strlen(text), BASE64URL);
    char *coded = g_malloc(size);
    return sodium_bin2base64(coded, size, (const guint8 *)text, strlen(text), BASE64URL);
}

/* The object that PART, of LENGTH bytes, is the code of; NULL. */
static json_t *decode_part(const char *part, gsize length)
{
    g_autofree char *text = g_malloc(length + 1);
    gsize size = 0;
    const char *end = NULL;
    if (sodium_base642bin((guint8 *)text, length, part, length, NULL, &size, &end, BASE64URL) !=
            0 ||
        end != part + length)
        return NULL;
    json_t *tree = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(tree))
        return tree;
    json_decref(tree);
    return NULL;
}

/* "HEADER.CLAIMS.SIGNATURE": where the claims and the signature begin. */
static gboolean split(const char *token, const char **claims, const char **signature)
{
    const char *first = strchr(token, '.');
    const char *second = first ? strchr(first + 1, '.') : NULL;
    if (!second || strchr(second + 1, '.'))
        return FALSE;
    *claims = first + 1;
    *signature = second + 1;
    return TRUE;
}

json_t *phantom_claims(const char *token)
{
    const char *claims, *signature;
    return split(token, &claims, &signature) ? decode_part(claims, (gsize)(signature - 1 - claims))
                                             : NULL;
}

/* Removes from OBJECT, and from those in it, what has another name than the client reads. */
static void keep_known(json_t *object, const char *const *names)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, name, value)
    {
        if (!g_strv_contains(names, name))
            json_object_del(object, name);
        else if (json_is_object(value))
            keep_known(value, names);
    }
}

static char *encode_tree(json_t *tree)
{
    char *text = json_dumps(tree, JSON_COMPACT);
    char *coded = encode(text);
    free(text);
    return coded;
}

/* NULL: TOKEN is no JWT, or its signature has no room. */
static char *make_jwt(const phantom_maker *self, enum login_token which, guint32 generation,
                      const char *token)
{
    static const char *const fields[] = {"alg", "typ", "kid", NULL};
    const char *claims_at, *signature;
    if (!split(token, &claims_at, &signature))
        return NULL;
    json_t *header = decode_part(token, (gsize)(claims_at - 1 - token));
    json_t *claims = decode_part(claims_at, (gsize)(signature - 1 - claims_at));
    char *made = NULL;
    if (header && claims) {
        keep_known(header, fields);
        keep_known(claims, self->service->claims);
        g_autofree char *first = encode_tree(header), *second = encode_tree(claims);
        g_autofree char *third = make_opaque(self, which, generation, signature);
        made = third ? g_strjoin(".", first, second, third, NULL) : NULL;
    }
    json_decref(header);
    json_decref(claims);
    return made;
}

char *phantom_make(const phantom_maker *self, enum login_token which, guint32 generation,
                   const char *token)
{
    char *made = make_jwt(self, which, generation, token);
    return made ? made : make_opaque(self, which, generation, token);
}

gboolean phantom_read(const phantom_maker *self, const char *text, gsize length,
                      enum login_token *which, guint32 *generation)
{
    const char *found = memmem(text, length, self->tag, PHANTOM_TAG);
    if (!found || (gsize)(text + length - found) < MARK)
        return FALSE;
    const char *letter = memchr(letters, found[PHANTOM_TAG], sizeof letters);
    *generation = 0;
    for (gsize i = 0; i < DIGITS; i++) {
        int digit = g_ascii_xdigit_value(found[PHANTOM_TAG + 1 + i]);
        if (digit < 0)
            return FALSE;
        *generation = *generation << 4 | (guint32)digit;
    }
    if (letter)
        *which = (enum login_token)(letter - letters);
    return letter != NULL;
}
