/* The index of a git repository: made by hand in each version, and cut at each byte. */
#include "box/registry/git_index.h"

#include <string.h>

static void add_number(GByteArray *to, guint32 number)
{
    guint32 big = GUINT32_TO_BE(number);
    g_byte_array_append(to, (const guint8 *)&big, sizeof big);
}

static void add_text(GByteArray *to, const char *text, gsize length)
{
    g_byte_array_append(to, (const guint8 *)text, (guint)length);
}

/* An entry's fields are 1, 2, 3…; its object is 20 times FILL. EXTENDED: with the flags of
 * version 3. */
static void add_fixed(GByteArray *to, guint8 fill, unsigned flags, gboolean extended)
{
    guint8 object[20];
    memset(object, fill, sizeof object);
    for (guint32 i = 1; i <= 10; i++)
        add_number(to, i == 7 ? 0100644 : i);
    g_byte_array_append(to, object, sizeof object);
    guint8 bytes[] = {(guint8)(flags >> 8), (guint8)flags, 0, 0};
    g_byte_array_append(to, bytes, extended ? 4 : 2);
}

static GByteArray *start(guint32 version, guint32 count)
{
    GByteArray *index = g_byte_array_new();
    add_text(index, "DIRC", 4);
    add_number(index, version);
    add_number(index, count);
    return index;
}

/* Up to version 3: NULs up to a multiple of 8. */
static void add_padded(GByteArray *to, const char *path, gboolean extended)
{
    gsize length = 62 + (extended ? 2u : 0u) + strlen(path);
    add_text(to, path, strlen(path));
    add_text(to, "\0\0\0\0\0\0\0\0", 8 - length % 8);
}

static void end(GByteArray *to)
{
    guint8 sum[20] = {0};
    g_byte_array_append(to, sum, sizeof sum);
}

static void note(const git_index_entry *entry, void *data)
{
    g_string_append_printf(data, "%s %.2s %o %u.%u %u %u %u;", entry->path, entry->object,
                           entry->mode, entry->mtime, entry->mtime_ns, entry->inode, entry->size,
                           entry->stage);
}

static void expect(const GByteArray *index, gboolean good, const char *wanted)
{
    g_autoptr(GString) found = g_string_new(NULL);
    g_assert_cmpint(git_index_parse((const char *)index->data, index->len, note, found), ==, good);
    if (wanted)
        g_assert_cmpstr(found->str, ==, wanted);
}

/* No beginning of it is an index, and none is read beyond its end: each is in memory of its own. */
static void cut(const GByteArray *index)
{
    g_autoptr(GString) found = g_string_new(NULL);
    for (guint i = 0; i < index->len; i++) {
        g_autofree char *part = g_memdup2(index->data, i);
        g_assert_false(git_index_parse(part, i, note, found));
    }
}

static GByteArray *make_old(gboolean extension)
{
    GByteArray *index = start(3, 2);
    add_fixed(index, 0xaa, 3, FALSE);
    add_padded(index, "a/b", FALSE);
    add_fixed(index, 0xbb, 0x6000 | 8, TRUE);
    add_padded(index, "longer-c", TRUE);
    if (extension)
        add_text(index, "TREE\0\0\0\1x", 9);
    end(index);
    return index;
}

static void test_old(void)
{
    g_autoptr(GByteArray) index = make_old(TRUE), bare = make_old(FALSE);
    expect(index, TRUE, "a/b aa 100644 3.4 6 10 0;longer-c bb 100644 3.4 6 10 2;");
    cut(bare);
    /* Version 2 has no such flags. */
    index->data[7] = 2;
    expect(index, FALSE, NULL);
}

static void test_compressed(void)
{
    g_autoptr(GByteArray) index = start(4, 2);
    add_fixed(index, 0xaa, 3, FALSE);
    add_text(index, "\0folder/name", 13);
    add_fixed(index, 0xbb, 3, FALSE);
    add_text(index, "\3other", 7); /* "folder/n" stays */
    end(index);
    expect(index, TRUE, "folder/name aa 100644 3.4 6 10 0;folder/nother bb 100644 3.4 6 10 0;");
    cut(index);
}

static void test_refused(void)
{
    g_autoptr(GByteArray) more = start(4, 1), version = start(5, 0), link = start(2, 0);
    add_fixed(more, 0xaa, 3, FALSE);
    add_text(more, "\1x", 3); /* takes more away than there is */
    end(more);
    expect(more, FALSE, "");
    end(version);
    expect(version, FALSE, "");
    add_text(link, "link\0\0\0\0", 8);
    end(link);
    expect(link, FALSE, "");
    g_autoptr(GByteArray) huge = start(2, G_MAXUINT32);
    end(huge);
    expect(huge, FALSE, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/git_index/old", test_old);
    g_test_add_func("/git_index/compressed", test_compressed);
    g_test_add_func("/git_index/refused", test_refused);
    return g_test_run();
}
