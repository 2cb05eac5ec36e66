/* The reader and the writer of tar archives. */
#include <string.h>

#include "common/error.h"
#include "common/tar.h"

/* What the reader said, as text. */
typedef struct {
    GString *seen;
} listener;

static gboolean on_entry(const tar_entry *entry, gpointer user_data, GError **error)
{
    listener *self = user_data;
    (void)error;
    g_string_append_printf(self->seen,
                           "%c %o %" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                           " %" G_GINT64_FORMAT " %s>%s%s\n",
                           entry->type, entry->mode, entry->uid, entry->gid, entry->size,
                           entry->mtime, entry->name, entry->target,
                           entry->has_capability ? " capability" : "");
    return TRUE;
}

static gboolean on_contents(const char *data, gsize length, gpointer user_data, GError **error)
{
    listener *self = user_data;
    (void)error;
    g_string_append_len(self->seen, data, (gssize)length);
    return TRUE;
}

static const tar_handler handler = {.entry = on_entry, .contents = on_contents};

/* Feeds PIECE bytes at a time. What was seen; NULL when the archive was refused. */
static char *read_archive(const char *data, gsize length, gsize piece)
{
    listener to = {g_string_new(NULL)};
    g_autoptr(tar_reader) reader = tar_reader_new(&handler, &to);
    g_autoptr(GError) error = NULL;
    gboolean read = TRUE;
    for (gsize at = 0; read && at < length; at += piece)
        read = tar_reader_feed(reader, data + at, MIN(piece, length - at), &error);
    read = read && tar_reader_end(reader, &error);
    g_assert_true(read || g_error_matches(error, BOX_ERROR, BOX_ERROR_PROTOCOL));
    return g_string_free(to.seen, !read);
}

static void add(GString *out, const tar_entry *entry, const char *contents)
{
    tar_write_header(out, entry);
    g_string_append(out, contents);
    tar_write_padding(out, strlen(contents));
}

static void assert_same(const tar_entry *entry, const char *contents, const char *expected)
{
    static const gsize pieces[] = {1, 7, 512, 513, 100000};
    g_autoptr(GString) tar = g_string_new(NULL);
    add(tar, entry, contents);
    tar_write_end(tar);
    for (gsize i = 0; i < G_N_ELEMENTS(pieces); i++) {
        g_autofree char *seen = read_archive(tar->str, tar->len, pieces[i]);
        g_assert_cmpstr(seen, ==, expected);
    }
}

static void test_round_trip(void)
{
    g_autofree char *name = g_strnfill(300, 'n'), *target = g_strnfill(101, 't');
    g_autofree char *far = g_strdup_printf("2 777 0:0 0 -5 %s>%s\n", name, target);
    assert_same(&(tar_entry){.type = TAR_FILE,
                             .mode = 06755,
                             .uid = 1000,
                             .gid = 33,
                             .size = 5,
                             .mtime = 1700000000,
                             .name = "etc/new",
                             .target = ""},
                "hello", "0 6755 1000:33 5 1700000000 etc/new>\nhello");
    assert_same(&(tar_entry){.type = TAR_FOLDER, .mode = 0700, .name = "a/", .target = ""}, "",
                "5 700 0:0 0 0 a/>\n");
    assert_same(
        &(tar_entry){
            .type = TAR_SYMLINK, .mode = 0777, .mtime = -5, .name = name, .target = target},
        "", far);
    /* Numbers that no octal field holds. */
    assert_same(&(tar_entry){.type = TAR_HARD_LINK,
                             .uid = 4294967294u,
                             .gid = 2097152,
                             .mtime = (gint64)1 << 40,
                             .name = "x",
                             .target = "\n=1 "},
                "", "1 0 4294967294:2097152 0 1099511627776 x>\n=1 \n");
}

/* The length of a pax record counts its own digits. */
static void test_record_lengths(void)
{
    for (gsize length = 101; length < 1100; length++) {
        g_autofree char *name = g_strnfill(length, 'x');
        g_autofree char *expected = g_strdup_printf("5 0 0:0 0 0 %s>\n", name);
        g_autoptr(GString) tar = g_string_new(NULL);
        add(tar, &(tar_entry){.type = TAR_FOLDER, .name = name, .target = ""}, "");
        tar_write_end(tar);
        g_autofree char *seen = read_archive(tar->str, tar->len, tar->len);
        g_assert_cmpstr(seen, ==, expected);
    }
}

static void test_pax(void)
{
    static const struct {
        const char *records;
        gboolean valid;
    } cases[] = {
        {"", TRUE},
        {"11 path=/a\n", TRUE},
        {"16 mtime=-1.234\n", TRUE},
        {"37 SCHILY.xattr.security.capability=\n", TRUE},
        {"12 unknown=\n", TRUE},
        {"10 path=/a\n", FALSE},
        {"12 path=/a\n", FALSE},
        {"999 path=/a\n", FALSE},
        {"99999999999999999999 path=/a\n", FALSE},
        {"-5 path=/a\n", FALSE},
        {"8 path=\n", FALSE},
        {"6 =ab\n", FALSE},
        {"6 abc\n", FALSE},
        {"2 \n", FALSE},
        {"8 uid=1a\n", FALSE},
        {"8 uid=-1\n", FALSE},
        {"26 uid=999999999999999999\n", TRUE},
        {"27 uid=9999999999999999999\n", FALSE},
        {"9 mtime=\n", FALSE},
        {"11 mtime=.\n", FALSE},
        {"12 mtime=1.\n", FALSE},
        {"11 path=/a", FALSE},
        {" 11 path=/a\n", FALSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        tar_pax pax = {0};
        gboolean valid = tar_pax_parse(cases[i].records, strlen(cases[i].records), &pax);
        g_test_message("%s", cases[i].records);
        g_assert_cmpint(valid, ==, cases[i].valid);
        tar_pax_clear(&pax);
    }
    tar_pax pax = {0};
    g_assert_false(tar_pax_parse("11 path=/\0\n", 11, &pax)); /* a NUL ends no name */
    g_assert_true(tar_pax_parse("9 path=a\n9 path=b\n", 18, &pax));
    g_assert_cmpstr(pax.name, ==, "b");
    tar_pax_clear(&pax);
}

static GString *one_file(void)
{
    GString *tar = g_string_new(NULL);
    add(tar, &(tar_entry){.type = TAR_FILE, .size = 2, .name = "a", .target = ""}, "hi");
    tar_write_end(tar);
    return tar;
}

static void fix_checksum(char *block)
{
    guint sum = 0;
    memset(block + 148, ' ', 8);
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += (guchar)block[i];
    g_snprintf(block + 148, 8, "%06o", sum);
}

/* The archive of one file with VALUE at AT of its header. */
static char *read_changed(gsize at, const char *value, gsize length)
{
    g_autoptr(GString) tar = one_file();
    memcpy(tar->str + at, value, length);
    fix_checksum(tar->str);
    return read_archive(tar->str, tar->len, tar->len);
}

static void test_broken(void)
{
    static const struct {
        gsize at;
        const char *value;
        gsize length;
    } changes[] = {
        {0, "\0", 1},                     /* no name */
        {100, "8", 1},                    /* no octal number */
        {124, "\200\0\0\0\0\0\0\0\1", 9}, /* GNU's large numbers */
        {124, "77777777777", 11},         /* longer than the archive */
        {156, "L", 1},
        {156, "g", 1}, /* GNU's long names, global headers */
        {156, "7", 1},
        {156, "S", 1}, /* contiguous and sparse files */
        {156, "1", 1},
        {156, "2", 1},                /* a link without a target */
        {156, "5", 1},                /* a folder with contents */
        {257, "ustar  ", 7},          /* GNU's format */
        {257, "\0\0\0\0\0\0\0\0", 8}, /* the oldest one */
    };
    g_autofree char *control = read_changed(0, "b", 1);
    g_assert_cmpstr(control, ==, "0 0 0:0 2 0 b>\nhi");
    for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autofree char *seen = read_changed(changes[i].at, changes[i].value, changes[i].length);
        g_test_message("case %" G_GSIZE_FORMAT, i);
        g_assert_null(seen);
    }
}

/* An archive that ends early, wherever, and one with a wrong checksum. */
static void test_cut(void)
{
    g_autoptr(GString) tar = one_file();
    for (gsize length = 0; length < tar->len; length++)
        g_assert_null(read_archive(tar->str, length, 512));
    tar->str[0] = 'b';
    g_assert_null(read_archive(tar->str, tar->len, 512));
}

/* Contents that look like headers are none; what is behind the end means nothing. */
static void test_contents_are_not_headers(void)
{
    g_autoptr(GString) inner = one_file(), tar = g_string_new(NULL);
    tar_write_header(tar,
                     &(tar_entry){.type = TAR_FILE, .size = inner->len, .name = "o", .target = ""});
    g_string_append_len(tar, inner->str, (gssize)inner->len);
    tar_write_end(tar);
    g_string_append_len(tar, inner->str, (gssize)inner->len);
    g_autofree char *seen = read_archive(tar->str, tar->len, 100);
    g_assert_true(g_str_has_prefix(seen, "0 0 0:0 2048 0 o>\n"));
    g_assert_null(strstr(seen, "0 0 0:0 2 0 a>"));
}

/* Pax headers one after another, without an entry, empty and huge ones. */
static void test_pax_headers(void)
{
    g_autoptr(GString) twice = g_string_new(NULL), alone = g_string_new(NULL);
    add(twice, &(tar_entry){.type = 'x', .size = 9, .name = "p", .target = ""}, "9 path=a\n");
    g_string_append_len(twice, twice->str, (gssize)twice->len);
    tar_write_end(twice);
    g_assert_null(read_archive(twice->str, twice->len, 512));
    add(alone, &(tar_entry){.type = 'x', .size = 9, .name = "p", .target = ""}, "9 path=a\n");
    tar_write_end(alone);
    g_assert_null(read_archive(alone->str, alone->len, 512));
    for (int i = 0; i < 2; i++) {
        g_autoptr(GString) tar = g_string_new(NULL);
        guint64 size = i ? TAR_PAX_MAX + 1 : 0;
        tar_write_header(tar, &(tar_entry){.type = 'x', .size = size, .name = "p", .target = ""});
        tar_write_end(tar);
        g_assert_null(read_archive(tar->str, tar->len, 512));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tar/round-trip", test_round_trip);
    g_test_add_func("/tar/record-lengths", test_record_lengths);
    g_test_add_func("/tar/pax", test_pax);
    g_test_add_func("/tar/broken", test_broken);
    g_test_add_func("/tar/cut", test_cut);
    g_test_add_func("/tar/contents-are-not-headers", test_contents_are_not_headers);
    g_test_add_func("/tar/pax-headers", test_pax_headers);
    return g_test_run();
}
