/* What comes through 'box apply --keep-files', and what does not. */
#include <string.h>

#include "box/lifecycle/keep_filter.h"
#include "common/error.h"
#include "common/tar.h"

static gboolean collect(const char *data, gsize length, gpointer user_data, GError **error)
{
    (void)error;
    g_string_append_len(user_data, data, (gssize)length);
    return TRUE;
}

static gboolean list_entry(const tar_entry *entry, gpointer user_data, GError **error)
{
    (void)error;
    g_string_append_printf(user_data, "%c %o %" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT " %s>%s\n",
                           entry->type, entry->mode, entry->uid, entry->gid, entry->name,
                           entry->target);
    return TRUE;
}

/* A filter, the tar that goes in, and the one that comes out. */
typedef struct {
    GString *in, *out;
    keep_filter *filter;
} fixture;

static const char *const uids[] = {"0:1:1000", "1000:0:1", "1001:1001:64536", NULL};

static void set_up(fixture *self, gconstpointer data)
{
    (void)data;
    self->in = g_string_new(NULL);
    self->out = g_string_new(NULL);
    self->filter = keep_filter_new(uids, uids, collect, self->out, NULL);
    g_assert_nonnull(self->filter);
}

static void tear_down(fixture *self, gconstpointer data)
{
    (void)data;
    g_string_free(self->in, TRUE);
    g_string_free(self->out, TRUE);
    keep_filter_free(self->filter);
}

/* An entry of root of the box. */
static tar_entry make(char type, const char *name, const char *target)
{
    return (tar_entry){
        .type = type, .mode = 0644, .uid = 1, .gid = 1, .name = name, .target = target};
}

static void put(fixture *self, const tar_entry *entry)
{
    tar_write_header(self->in, entry);
    for (guint64 i = 0; i < entry->size; i++)
        g_string_append_c(self->in, 'x');
    tar_write_padding(self->in, entry->size);
}

static void put_plain(fixture *self, char type, const char *name, const char *target)
{
    tar_entry entry = make(type, name, target);
    put(self, &entry);
}

/* Runs the filter. What comes out must be EXPECTED. */
static void assert_out(fixture *self, const char *expected)
{
    static const tar_handler handler = {.entry = list_entry, .contents = collect};
    g_autoptr(GString) listed = g_string_new(NULL);
    g_autoptr(tar_reader) reader = tar_reader_new(&handler, listed);
    g_autoptr(GError) error = NULL;
    tar_write_end(self->in);
    for (gsize at = 0; at < self->in->len; at += 100)
        keep_filter_feed(self->filter, self->in->str + at, MIN(100, self->in->len - at), &error);
    g_assert_no_error(error);
    keep_filter_end(self->filter, &error);
    g_assert_no_error(error);
    tar_reader_feed(reader, self->out->str, self->out->len, &error);
    g_assert_no_error(error);
    tar_reader_end(reader, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(listed->str, ==, expected);
}

static void assert_tally(const fixture *self, keep_fate fate, guint count, const char *example)
{
    const keep_tally *tally = keep_filter_tally(self->filter, fate);
    g_assert_cmpuint(tally->count, ==, count);
    g_assert_cmpstr(tally->example, ==, example);
}

static void test_wanted(fixture *self, gconstpointer data)
{
    (void)data;
    tar_entry file = make(TAR_FILE, "opt/a", "");
    file.size = 3;
    keep_filter_want(self->filter, "/opt");
    keep_filter_want(self->filter, "/opt/a");
    g_assert_true(keep_filter_is_waiting(self->filter));
    put_plain(self, TAR_FOLDER, "opt/", "");
    put(self, &file);
    file.name = "opt/b";
    put(self, &file);
    assert_out(self, "5 644 0:0 opt>\n0 644 0:0 opt/a>\nxxx");
    g_assert_false(keep_filter_is_waiting(self->filter));
    assert_tally(self, KEEP_KEPT, 1, "/opt/a");
    g_assert_cmpuint(keep_filter_bytes(self->filter), ==, 3);
}

static void test_modes(fixture *self, gconstpointer data)
{
    (void)data;
    tar_entry entry = make(TAR_FILE, "a", "");
    keep_filter_want(self->filter, "/a");
    keep_filter_want(self->filter, "/b");
    keep_filter_want(self->filter, "/c");
    entry.mode = 04755;
    put(self, &entry);
    entry.mode = 02711;
    entry.name = "b";
    put(self, &entry);
    entry.mode = 07777;
    entry.type = TAR_FOLDER;
    entry.name = "c";
    put(self, &entry);
    assert_out(self, "0 755 0:0 a>\n0 711 0:0 b>\n5 3777 0:0 c>\n");
    assert_tally(self, KEEP_STRIPPED, 2, "/a");
}

/* Extended attributes are in the pax header, of which nothing comes through. */
static void test_capability(fixture *self, gconstpointer data)
{
    (void)data;
    const char *record = "41 SCHILY.xattr.security.capability=evil\n";
    tar_entry pax = make('x', "p", "");
    pax.size = strlen(record);
    keep_filter_want(self->filter, "/a");
    tar_write_header(self->in, &pax);
    g_string_append(self->in, record);
    tar_write_padding(self->in, pax.size);
    put_plain(self, TAR_FILE, "a", "");
    assert_out(self, "0 644 0:0 a>\n");
    g_assert_null(memmem(self->out->str, self->out->len, "evil", 4));
    assert_tally(self, KEEP_STRIPPED, 1, "/a");
}

static void test_owners(fixture *self, gconstpointer data)
{
    (void)data;
    static const guint64 outside[] = {0, 1000, 1001, 65537, 4294967294};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (gsize i = 0; i < G_N_ELEMENTS(outside); i++) {
        tar_entry entry = make(TAR_FILE, names[i], "");
        g_autofree char *path = g_strconcat("/", names[i], NULL);
        entry.uid = outside[i];
        keep_filter_want(self->filter, path);
        put(self, &entry);
    }
    assert_out(self, "0 644 1000:0 a>\n0 644 999:0 b>\n0 644 1001:0 c>\n");
    assert_tally(self, KEEP_OWNER, 2, "/d");
}

static void test_mappings(void)
{
    static const char *const broken[][2] = {
        {"", NULL},      {"0:1", NULL},    {"0:1:2:3", NULL},        {"-1:0:1", NULL},
        {"a:b:c", NULL}, {"0:0:1 ", NULL}, {"0:0:99999999999", NULL}};
    for (gsize i = 0; i < G_N_ELEMENTS(broken); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(keep_filter_new(broken[i], uids, collect, NULL, &error));
        g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
    }
}

static void test_special(fixture *self, gconstpointer data)
{
    (void)data;
    static const char types[] = {TAR_CHARACTER_DEVICE, TAR_BLOCK_DEVICE, TAR_FIFO};
    static const char *const names[] = {"a", "b", "c"};
    for (gsize i = 0; i < sizeof types; i++) {
        g_autofree char *path = g_strconcat("/", names[i], NULL);
        keep_filter_want(self->filter, path);
        put_plain(self, types[i], names[i], "");
    }
    assert_out(self, "");
    assert_tally(self, KEEP_SPECIAL, 3, "/a");
}

/* Names that lead elsewhere are neither wanted nor found. */
static void test_names(fixture *self, gconstpointer data)
{
    (void)data;
    static const char *const paths[] = {
        "/../a", "/a/../b", "/a/.", "/a//b", "a", "", "/", "//", "/a/", "/..", "/a/..", "..",
    };
    static const char *const names[] = {"../a", "a/../b", "a/.", "a//b", "/a",      "./a",   "/",
                                        "//",   "..",     ".",   "a/..", "../../a", "./../a"};
    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++)
        keep_filter_want(self->filter, paths[i]);
    keep_filter_want(self->filter, "/a");
    keep_filter_want(self->filter, "/b");
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        put_plain(self, TAR_FILE, names[i], "");
    put_plain(self, TAR_FILE, "b", "");
    assert_out(self, "0 644 0:0 b>\n");
    /* "/a" as well. */
    assert_tally(self, KEEP_MISSING, G_N_ELEMENTS(paths) + 1, "/../a");
}

/* Nothing goes through a link or a file of the same tar, however deep. */
static void test_below_links(fixture *self, gconstpointer data)
{
    (void)data;
    keep_filter_want(self->filter, "/l");
    keep_filter_want(self->filter, "/l/a");
    keep_filter_want(self->filter, "/l/b/c");
    keep_filter_want(self->filter, "/f");
    keep_filter_want(self->filter, "/f/a");
    put_plain(self, TAR_SYMLINK, "l", "../../home");
    put_plain(self, TAR_FILE, "l/a", "");
    put_plain(self, TAR_FILE, "l/b/c", "");
    put_plain(self, TAR_FILE, "f", "");
    put_plain(self, TAR_FOLDER, "f/a", "");
    assert_out(self, "2 644 0:0 l>../../home\n0 644 0:0 f>\n");
    assert_tally(self, KEEP_MISSING, 3, "/l/a");
}

static void test_hard_links(fixture *self, gconstpointer data)
{
    (void)data;
    static const char *const wanted[] = {"/a", "/b", "/c", "/d", "/e", "/f", "/l", "/g"};
    for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
        keep_filter_want(self->filter, wanted[i]);
    put_plain(self, TAR_HARD_LINK, "c", "a"); /* too early */
    put_plain(self, TAR_FILE, "a", "");
    put_plain(self, TAR_HARD_LINK, "b", "a");
    put_plain(self, TAR_HARD_LINK, "d", "etc/shadow"); /* not kept */
    put_plain(self, TAR_HARD_LINK, "e", "../a");
    put_plain(self, TAR_HARD_LINK, "f", "/a");
    put_plain(self, TAR_SYMLINK, "l", "/etc/shadow");
    put_plain(self, TAR_HARD_LINK, "g", "l"); /* to a link */
    assert_out(self, "0 644 0:0 a>\n1 644 0:0 b>a\n2 644 0:0 l>/etc/shadow\n");
    assert_tally(self, KEEP_LINKED, 5, "/c");
}

static void test_twice(fixture *self, gconstpointer data)
{
    (void)data;
    keep_filter_want(self->filter, "/a");
    put_plain(self, TAR_FOLDER, "a", "");
    put_plain(self, TAR_SYMLINK, "a", "/etc");
    put_plain(self, TAR_FILE, "a", "");
    assert_out(self, "5 644 0:0 a>\n");
}

/* A file that is said to be huge ends all at its header. */
static void test_huge(fixture *self, gconstpointer data)
{
    (void)data;
    g_autoptr(GError) error = NULL;
    tar_entry entry = make(TAR_FILE, "a", "");
    entry.size = KEEP_BYTES_MAX + 1;
    keep_filter_want(self->filter, "/a");
    tar_write_header(self->in, &entry);
    g_assert_false(keep_filter_feed(self->filter, self->in->str, self->in->len, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_FAILED);
    g_assert_nonnull(strstr(error->message, "'/a'"));
    g_assert_cmpuint(self->out->len, ==, 0);
}

static void test_missing(fixture *self, gconstpointer data)
{
    (void)data;
    keep_filter_want(self->filter, "/socket");
    keep_filter_tell(self->filter, "/usr/bin/x", KEEP_IMAGE);
    assert_out(self, "");
    assert_tally(self, KEEP_MISSING, 1, "/socket");
    assert_tally(self, KEEP_IMAGE, 1, "/usr/bin/x");
}

static void test_cut(fixture *self, gconstpointer data)
{
    (void)data;
    g_autoptr(GError) error = NULL;
    keep_filter_want(self->filter, "/a");
    put_plain(self, TAR_FILE, "a", "");
    g_assert_true(keep_filter_feed(self->filter, self->in->str, self->in->len, NULL));
    g_assert_false(keep_filter_end(self->filter, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
}

#define ADD(name, test) g_test_add("/keep-filter/" name, fixture, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("wanted", test_wanted);
    ADD("modes", test_modes);
    ADD("capability", test_capability);
    ADD("owners", test_owners);
    g_test_add_func("/keep-filter/mappings", test_mappings);
    ADD("special", test_special);
    ADD("names", test_names);
    ADD("below-links", test_below_links);
    ADD("hard-links", test_hard_links);
    ADD("twice", test_twice);
    ADD("huge", test_huge);
    ADD("missing", test_missing);
    ADD("cut", test_cut);
    return g_test_run();
}
