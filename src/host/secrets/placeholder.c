#include "host/secrets/placeholder.h"

#include <sodium.h>
#include <string.h>

/* Letters and digits of a value that stay unknown, whatever of it a placeholder shows. */
#define UNKNOWN_MIN 12

/* The longest that fits counts, so it comes first. */
static const char *const prefixes[] = {
    "sk-ant-api03-", "sk-ant-oat01-", "sk-ant-ort01-", "sk-ant-", "sk-proj-", "sk-svcacct-",
    "sk-or-v1-",     "sk-",           "github_pat_",   "ghp_",    "gho_",     "ghu_",
    "ghs_",          "ghr_",          "glpat-",        "npm_",    "pypi-",    "hf_",
    "AIza",          "xoxb-",         "xoxp-",         "gsk_",    "dop_v1_",  "rt_",
    "eyJ",           "AKIA",          "ASIA",
};

static gboolean is_printable(const char *value, gsize length)
{
    for (gsize i = 0; i < length; i++)
        if (value[i] < '!' || value[i] > '~')
            return FALSE;
    return TRUE;
}

static gsize count_unknown(const char *value, gsize length)
{
    gsize count = 0;
    for (gsize i = 0; i < length; i++)
        count += g_ascii_isalnum(value[i]);
    return count;
}

const char *secret_value_refusal(const char *value, gsize length)
{
    if (length < SECRET_VALUE_MIN)
        return "it has less than 16 characters";
    if (length > SECRET_VALUE_MAX)
        return "it has more than 4096 characters";
    return secret_text_refusal(value, length);
}

const char *secret_text_refusal(const char *value, gsize length)
{
    if (!is_printable(value, length))
        return "it has a blank, a line break, or a character beyond ASCII";
    return count_unknown(value, length) < UNKNOWN_MIN ? "it has less than 12 letters and digits"
                                                      : NULL;
}

gsize placeholder_prefix(const char *value, gsize length)
{
    for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        gsize size = strlen(prefixes[i]);
        if (size < length && memcmp(value, prefixes[i], size) == 0 &&
            count_unknown(value + size, length - size) >= UNKNOWN_MIN)
            return size;
    }
    return 0;
}

/* So that what must be hexadecimal is, or in capitals, as the id of an access key. */
static const char *alphabet_of(const char *value, gsize length, gboolean is_key_id)
{
    gboolean is_hex = TRUE;
    for (gsize i = 0; i < length; i++)
        is_hex &= !g_ascii_isalnum(value[i]) || strchr("0123456789abcdef", value[i]) != NULL;
    if (is_key_id)
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    return is_hex ? "0123456789abcdef"
                  : "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
}

char *placeholder_make(const guint8 key[PLACEHOLDER_KEY], const char *name, const char *value,
                       gsize length)
{
    gsize fixed = placeholder_prefix(value, length);
    gboolean is_key_id = fixed == strlen("AKIA") &&
                         (memcmp(value, "AKIA", fixed) == 0 || memcmp(value, "ASIA", fixed) == 0);
    const char *alphabet = alphabet_of(value + fixed, length - fixed, is_key_id);
    gsize choices = strlen(alphabet);
    g_autofree guint32 *random = g_new(guint32, length);
    guint8 seed[randombytes_SEEDBYTES];
    crypto_generichash(seed, sizeof seed, (const guint8 *)name, strlen(name), key, PLACEHOLDER_KEY);
    randombytes_buf_deterministic(random, length * sizeof *random, seed);
    char *made = g_strndup(value, length);
    for (gsize i = fixed; i < length; i++)
        if (g_ascii_isalnum(made[i]))
            made[i] = alphabet[random[i] % choices];
    return made;
}
