/* The authority of a box in the file of certificates that its image trusts. */
#include "box/helpers/trust_files.h"

#include <string.h>

#define PEM "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
#define OTHER "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----"

static void check_without(const GString *text, const char *expected, gsize length)
{
    GString *rest = trust_bundle_without(text->str, text->len);
    g_assert_cmpmem(rest->str, rest->len, expected, length);
    g_string_free(rest, TRUE);
}

/* Whatever the image's file is, it is the same again. */
static void test_back(void)
{
    static const struct {
        const char *text;
        gsize length;
    } cases[] = {{"", 0},     {OTHER, sizeof OTHER - 1},  {OTHER "\n", sizeof OTHER},
                 {"\n\n", 2}, {"# Litterbox: end\n", 17}, {"a\0b\n", 4}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *text = g_string_new_len(cases[i].text, (gssize)cases[i].length);
        check_without(text, cases[i].text, cases[i].length);
        trust_bundle_add(text, PEM);
        g_assert_nonnull(memmem(text->str, text->len, "\n" PEM, sizeof PEM));
        check_without(text, cases[i].text, cases[i].length);
        trust_bundle_add(text, PEM);
        check_without(text, cases[i].text, cases[i].length);
        g_string_free(text, TRUE);
    }
}

/* A program of the box has added something, or cut the file. */
static void test_changed(void)
{
    GString *text = g_string_new(OTHER);
    trust_bundle_add(text, PEM);
    g_string_truncate(text, text->len - 1);
    check_without(text, OTHER, strlen(OTHER));
    g_string_append(text, "\n" PEM);
    check_without(text, OTHER "\n" PEM, strlen(OTHER "\n" PEM));
    trust_bundle_add(text, PEM);
    check_without(text, OTHER "\n" PEM, strlen(OTHER "\n" PEM));
    /* Without its end, it cannot be told from certificates of the image. */
    g_string_assign(text, OTHER);
    trust_bundle_add(text, PEM);
    g_string_truncate(text, text->len - 4);
    check_without(text, text->str, text->len);
    g_string_free(text, TRUE);
}

/* p11-kit reads attributes before a certificate. */
static void test_p11_kit(void)
{
    static const char other[] = "[p11-kit-object-v1]\ntrusted: true\n" OTHER "\n";
    GString *text = g_string_new(other);
    trust_p11_kit_add(text, PEM);
    g_assert_nonnull(strstr(text->str + 1, "\n[p11-kit-object-v1]\ntrusted: true\n" PEM));
    check_without(text, other, sizeof other - 1);
    g_string_free(text, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trust_bundle/back", test_back);
    g_test_add_func("/trust_bundle/changed", test_changed);
    g_test_add_func("/trust_bundle/p11_kit", test_p11_kit);
    return g_test_run();
}
