/* Locales of a box: names as glibc files them, and its locale-archive, valid and damaged. */
#include <glib.h>
#include <string.h>

#include "guest/init/locale.h"

static void names_are_normalised(void)
{
    static const char *const names[][2] = {
        {"de_DE.UTF-8", "de_DE.utf8"},           {"de_DE.utf8", "de_DE.utf8"},
        {"de_DE.UTF-8@euro", "de_DE.utf8@euro"}, {"de_DE", "de_DE"},
        {"de_DE.8859-1", "de_DE.iso88591"},      {"de_DE.ISO-8859-15", "de_DE.iso885915"},
        {"ca_ES@valencia", "ca_ES@valencia"},    {"C.UTF-8", "C.utf8"},
    };
    static const char *const wrong[] = {"",      "/etc", "../x",        ".UTF-8",
                                        "de DE", "a\nb", "de_DE/LC_ALL"};
    char out[LOCALE_NAME_MAX];

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_assert_cmpint(locale_normalise(names[i][0], out), ==, 0);
        g_assert_cmpstr(out, ==, names[i][1]);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_cmpint(locale_normalise(wrong[i], out), ==, -1);
    g_autofree char *longest = g_strnfill(LOCALE_NAME_MAX - 4, '1');
    longest[0] = 'a', longest[1] = '.';
    g_assert_cmpint(locale_normalise(longest, out), ==, 0);
    g_autofree char *longer = g_strnfill(LOCALE_NAME_MAX - 3, 'a');
    g_assert_cmpint(locale_normalise(longer, out), ==, -1);
}

/* An archive with one name, in a hash table of 5 slots. */
typedef struct {
    guint32 head[5];
    guint32 names[5][3];
    char text[16];
} small_archive;

static guint32 glibc_hash(const char *name)
{
    guint32 hash = (guint32)strlen(name);
    for (; *name; name++)
        hash = ((hash << 9) | (hash >> 23)) + (guchar)*name;
    return hash;
}

static small_archive archive_of(const char *name)
{
    small_archive self = {.head = {0xde020109u, 1, 20, 1, 5}};
    guint32 hash = glibc_hash(name), *place = self.names[hash % 5];

    place[0] = hash, place[1] = G_STRUCT_OFFSET(small_archive, text), place[2] = 1;
    g_strlcpy(self.text, name, sizeof self.text);
    return self;
}

static void archive_contains_its_names_only(void)
{
    small_archive self = archive_of("de_DE.utf8");

    g_assert_true(locale_archive_has((char *)&self, sizeof self, "de_DE.utf8"));
    g_assert_false(locale_archive_has((char *)&self, sizeof self, "de_DE"));
    g_assert_false(locale_archive_has((char *)&self, sizeof self, "fr_FR.utf8"));
    g_assert_false(locale_archive_has((char *)&self, 0, "de_DE.utf8"));
}

static void damaged_archive_is_read_within_its_bounds(void)
{
    small_archive whole = archive_of("de_DE.utf8");

    for (gsize length = 0; length <= sizeof whole; length++) {
        g_autofree char *copy = g_memdup2(&whole, length);
        locale_archive_has(copy, length, "de_DE.utf8");
    }
    for (gsize i = 0; i < sizeof whole; i++)
        for (int bit = 0; bit < 8; bit++) {
            g_autofree char *copy = g_memdup2(&whole, sizeof whole);
            copy[i] = (char)(copy[i] ^ (1 << bit));
            locale_archive_has(copy, sizeof whole, "de_DE.utf8");
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/locale/names", names_are_normalised);
    g_test_add_func("/locale/archive", archive_contains_its_names_only);
    g_test_add_func("/locale/damaged", damaged_archive_is_read_within_its_bounds);
    return g_test_run();
}
