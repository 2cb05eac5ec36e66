/* Snapshots: their file, the object store, files with holes, and the walk over a hostile folder. */
#include "box/snapshot/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "box/snapshot/file_contents.h"
#include "box/snapshot/object_store.h"
#include "box/snapshot/snapshot.h"
#include "box/snapshot/snapshot_scan.h"
#include "common/fs.h"
#include "common/paths.h"

/* The file. */

static snapshot_manifest *sample(void)
{
    snapshot_manifest *self = snapshot_manifest_new();
    self->header = (snapshot_header){.time = 1700000000,
                                     .settled = 5,
                                     .reason = SNAPSHOT_AUTO,
                                     .running = TRUE,
                                     .paused = TRUE,
                                     .has = {TRUE, TRUE, TRUE},
                                     .image = {{1, 2}},
                                     .base = {{3, 4}},
                                     .note = g_strdup("before the \xc3\xbc update")};
    self->header.sum[SNAPSHOT_HOME].bytes = 12;
    const snapshot_entry entries[] = {
        {.path = "b\n\xff", .target = "", .kind = SNAPSHOT_FILE, .mode = 0644, .size = 12},
        {.path = "a/x",
         .target = "",
         .kind = SNAPSHOT_FILE,
         .mode = 0600,
         .flags = SNAPSHOT_SPARSE},
        {.path = "a", .target = "", .kind = SNAPSHOT_FILE, .mode = 0700},
        {.path = "a", .target = "", .kind = SNAPSHOT_FOLDER, .mode = 0700},
        {.path = "l", .target = "/etc/passwd", .kind = SNAPSHOT_LINK, .part = SNAPSHOT_PROJECT},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(entries); i++)
        g_assert_true(snapshot_manifest_add(self, &entries[i]));
    snapshot_manifest_sort(self);
    return self;
}

static void test_file(void)
{
    snapshot_header header;
    g_autoptr(snapshot_manifest) made = sample();
    g_autoptr(GByteArray) data = snapshot_manifest_write(made);
    g_assert_true(snapshot_header_parse(data->data, MIN(data->len, SNAPSHOT_HEADER_MAX), &header));
    g_assert_cmpstr(header.note, ==, made->header.note);
    snapshot_header_clear(&header);
    g_autoptr(snapshot_manifest) read = snapshot_manifest_parse(data->data, data->len);
    g_assert_nonnull(read);
    g_assert_cmpint(read->header.time, ==, 1700000000);
    g_assert_true(read->header.running);
    g_assert_true(read->header.paused);
    g_assert_true(object_id_equal(&read->header.image, &made->header.image));
    g_assert_true(object_id_equal(&read->header.base, &made->header.base));
    /* Without a pause only one that did not run is of one time. */
    g_assert_true(snapshot_header_is_consistent(&read->header));
    g_assert_false(snapshot_header_is_consistent(&(snapshot_header){.running = TRUE}));
    g_assert_true(snapshot_header_is_consistent(&(snapshot_header){.running = FALSE}));
    g_assert_cmpuint(read->header.sum[SNAPSHOT_HOME].bytes, ==, 12);
    /* Of two entries with one name the folder stays. */
    g_assert_cmpuint(read->entries[SNAPSHOT_HOME]->len, ==, 3);
    g_assert_cmpint(snapshot_manifest_find(read, SNAPSHOT_HOME, "a")->kind, ==, SNAPSHOT_FOLDER);
    g_assert_cmpint(snapshot_manifest_find(read, SNAPSHOT_HOME, "a/x")->flags, ==, SNAPSHOT_SPARSE);
    g_assert_cmpstr(snapshot_manifest_find(read, SNAPSHOT_PROJECT, "l")->target, ==, "/etc/passwd");
    g_assert_null(snapshot_manifest_find(read, SNAPSHOT_PROJECT, "a"));
    g_autoptr(GByteArray) again = snapshot_manifest_write(read);
    g_assert_cmpmem(data->data, data->len, again->data, again->len);
}

/* Each byte counts, and so does each missing one. */
static void test_damaged_file(void)
{
    g_autoptr(snapshot_manifest) made = sample();
    g_autoptr(GByteArray) data = snapshot_manifest_write(made);
    for (guint i = 0; i < data->len; i++) {
        data->data[i] ^= 1;
        g_assert_null(snapshot_manifest_parse(data->data, data->len));
        data->data[i] ^= 1;
        g_assert_null(snapshot_manifest_parse(data->data, i));
    }
    g_assert_null(snapshot_manifest_parse((const guint8 *)"", 0));
}

/* What a file with a right checksum must not say. */
static void test_hostile_entries(void)
{
    const snapshot_entry hostile[] = {
        {.path = "../out", .target = "", .kind = SNAPSHOT_FILE},
        {.path = "/etc/passwd", .target = "", .kind = SNAPSHOT_FILE},
        {.path = "a/../../b", .target = "", .kind = SNAPSHOT_FILE},
        {.path = "a//b", .target = "", .kind = SNAPSHOT_FILE},
        {.path = "a/", .target = "", .kind = SNAPSHOT_FOLDER},
        {.path = "", .target = "", .kind = SNAPSHOT_FOLDER},
        {.path = ".", .target = "", .kind = SNAPSHOT_FOLDER},
        {.path = "suid", .target = "", .kind = SNAPSHOT_FILE, .mode = 04755},
        {.path = "file", .target = "target", .kind = SNAPSHOT_FILE},
        {.path = "link", .target = "", .kind = SNAPSHOT_LINK},
        {.path = "kind", .target = "", .kind = 9},
        {.path = "flags", .target = "", .kind = SNAPSHOT_FILE, .flags = 8},
        {.path = "part", .target = "", .kind = SNAPSHOT_FILE, .part = SNAPSHOT_PROJECT},
        {.path = "system", .target = "", .kind = SNAPSHOT_FILE, .part = SNAPSHOT_SYSTEM},
        {.path = "size", .target = "", .kind = SNAPSHOT_FILE, .size = G_MAXUINT64},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(hostile); i++) {
        g_autoptr(snapshot_manifest) made = snapshot_manifest_new();
        made->header = (snapshot_header){.has = {TRUE, FALSE, TRUE}, .note = g_strdup("")};
        g_assert_true(snapshot_manifest_add(made, &hostile[i]));
        g_autoptr(GByteArray) data = snapshot_manifest_write(made);
        if (snapshot_manifest_parse(data->data, data->len))
            g_error("accepted: %s", hostile[i].path);
    }
    /* Control: a harmless one. */
    g_autoptr(snapshot_manifest) made = snapshot_manifest_new();
    snapshot_entry fine = {.path = "..fine/x", .target = "", .kind = SNAPSHOT_FILE};
    made->header = (snapshot_header){.has = {TRUE, FALSE}, .note = g_strdup("")};
    g_assert_true(snapshot_manifest_add(made, &fine));
    g_autoptr(GByteArray) data = snapshot_manifest_write(made);
    g_autoptr(snapshot_manifest) read = snapshot_manifest_parse(data->data, data->len);
    g_assert_nonnull(read);
}

/* Which ones go. */

static void test_retention(void)
{
    /* Ascending numbers, each an hour after the other. */
    snapshot_age rows[] = {{1, 0, SNAPSHOT_AUTO},
                           {2, 3600, SNAPSHOT_BY_USER},
                           {3, 7200, SNAPSHOT_BEFORE_RESTORE},
                           {4, 10800, SNAPSHOT_AUTO},
                           {5, 14400, SNAPSHOT_AUTO}};
    static const struct {
        gint64 now, keep, keep_for;
        const char *gone;
    } cases[] = {{14400, 10, 86400, ""},       {14400, 4, 86400, ""},   {14400, 3, 86400, "1 "},
                 {14400, 1, 86400, "1 3 4 "},  {14400, 10, 7200, "1 "}, {14401, 10, 7200, "1 3 "},
                 {999999, 10, 7200, "1 3 4 "}, {0, 10, 7200, ""}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) gone = retention_choose(rows, G_N_ELEMENTS(rows), cases[i].now,
                                                  cases[i].keep, cases[i].keep_for);
        g_autoptr(GString) text = g_string_new(NULL);
        for (guint k = 0; k < gone->len; k++)
            g_string_append_printf(text, "%u ", g_array_index(gone, guint, k));
        g_assert_cmpstr(text->str, ==, cases[i].gone);
    }
}

/* Files with holes. */

static void test_sparse(void)
{
    guint8 object[64] = {0}, file[32] = {0}, want[32] = {0};
    const sparse_head heads[] = {{3, 4}, {10, 2}};
    memcpy(object, &heads[0], sizeof heads[0]);
    memcpy(object + 16, "abcd", 4);
    memcpy(object + 20, &heads[1], sizeof heads[1]);
    memcpy(object + 36, "xy", 2);
    memcpy(want + 3, "abcd", 4);
    memcpy(want + 10, "xy", 2);
    for (gsize step = 1; step <= 38; step++) {
        sparse_reader reader = {.size = sizeof file};
        memset(file, 0, sizeof file);
        for (gsize at = 0; at < 38; at += step) {
            const guint8 *piece = object + at, *data;
            gsize length = MIN(step, 38 - at), count;
            guint64 offset;
            while (length) {
                g_assert_true(sparse_next(&reader, &piece, &length, &offset, &data, &count));
                if (count)
                    memcpy(file + offset, data, count);
            }
        }
        g_assert_true(sparse_is_complete(&reader));
        g_assert_cmpmem(file, sizeof file, want, sizeof want);
    }
}

static void test_hostile_sparse(void)
{
    const sparse_head hostile[] = {{0, 0},  {0, 33},          {33, 1},
                                   {32, 1}, {G_MAXUINT64, 2}, {2, G_MAXUINT64}};
    for (gsize i = 0; i < G_N_ELEMENTS(hostile); i++) {
        sparse_reader reader = {.size = 32};
        const guint8 *piece = (const guint8 *)&hostile[i], *data;
        gsize length = sizeof hostile[i], count;
        guint64 offset;
        g_assert_false(sparse_next(&reader, &piece, &length, &offset, &data, &count));
    }
}

/* The store, and the walk. */

typedef struct {
    char *top, *tree;
    int folder;
} places;

static void set_up(places *self, gconstpointer unused)
{
    (void)unused;
    self->top = g_dir_make_tmp("snapshot-XXXXXX", NULL);
    self->tree = g_build_filename(self->top, "tree", NULL);
    g_assert_cmpint(mkdir(self->tree, 0700), ==, 0);
    self->folder = open(self->tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void tear_down(places *self, gconstpointer unused)
{
    (void)unused;
    close(self->folder);
    g_assert_true(fs_remove_tree(self->top, NULL));
    g_free(self->tree);
    g_free(self->top);
}

static gboolean append_to(void *data, const void *piece, gsize length, GError **error)
{
    (void)error;
    g_byte_array_append(data, piece, (guint)length);
    return TRUE;
}

static void add(object_store *store, const guint8 *data, gsize length, object_id *id)
{
    g_autoptr(object_writer) writer = object_writer_new(store);
    object_writer_begin(writer);
    for (gsize at = 0; at < length; at += 700001)
        g_assert_true(
            object_writer_append(writer, data + at, MIN((gsize)700001, length - at), NULL));
    g_assert_true(object_writer_end(writer, id, NULL));
}

static void expect(object_store *store, const guint8 *data, gsize length, const object_id *id)
{
    g_autoptr(GByteArray) found = g_byte_array_new();
    g_assert_true(object_store_read(store, id, append_to, found, NULL));
    g_assert_cmpmem(found->data, found->len, data, length);
}

static void test_store(places *self, gconstpointer unused)
{
    static const gsize sizes[] = {0, 1, 1 << 20, (1 << 20) + 1, 5 << 20};
    g_autofree guint8 *data = g_malloc(5 << 20);
    object_id ids[G_N_ELEMENTS(sizes)], again;
    (void)self, (void)unused;
    for (gsize i = 0; i < (5 << 20); i++)
        data[i] = (guint8)(i / 100 * 7919);
    g_autoptr(object_store) store = object_store_open(NULL);
    g_assert_nonnull(store);
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
        add(store, data, sizes[i], &ids[i]);
    guint64 added = object_store_added(store);
    g_assert_cmpuint(added, <, 5 << 20);
    g_assert_true(object_store_publish(store, NULL));
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        expect(store, data, sizes[i], &ids[i]);
        add(store, data, sizes[i], &again);
        g_assert_true(object_id_equal(&ids[i], &again));
    }
    g_assert_cmpuint(object_store_added(store), ==, added);
    /* What nobody names goes; what is named stays. */
    guint64 freed = 0;
    g_autoptr(GHashTable) used = g_hash_table_new(object_id_hash, object_id_equal);
    g_hash_table_add(used, &ids[4]);
    guint64 counted = 0;
    g_assert_true(object_store_collect(store, used, TRUE, &counted, NULL));
    g_assert_true(object_store_collect(store, used, FALSE, &freed, NULL));
    g_assert_cmpint(freed, ==, counted);
    expect(store, data, sizes[4], &ids[4]);
    g_autoptr(GByteArray) found = g_byte_array_new();
    g_assert_false(object_store_read(store, &ids[3], append_to, found, NULL));
}

/* A damaged object is an error, and so is one with more behind it. */
static void test_damaged_object(places *self, gconstpointer unused)
{
    object_id id;
    char name[OBJECT_ID_TEXT];
    (void)self, (void)unused;
    g_autoptr(object_store) store = object_store_open(NULL);
    add(store, (const guint8 *)"contents of a file", 18, &id);
    g_assert_true(object_store_publish(store, NULL));
    object_id_print(&id, name);
    g_autofree char *objects = paths_data("snapshots/objects");
    g_autofree char *file = g_strdup_printf("%s/%.2s/%s", objects, name, name + 2);
    g_autofree char *whole = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(file, &whole, &length, NULL));
    for (gsize i = 0; i <= length; i++) {
        g_autoptr(GByteArray) found = g_byte_array_new();
        g_autofree char *broken = g_memdup2(whole, length + 1);
        broken[i] = (char)(broken[i] ^ 4);
        /* The last round makes it longer. */
        g_assert_true(
            g_file_set_contents(file, broken, (gssize)(i < length ? length : length + 1), NULL));
        if (object_store_read(store, &id, append_to, found, NULL))
            g_assert_cmpmem(found->data, found->len, "contents of a file", 18);
        else
            g_assert_cmpuint(found->len, <, 1 << 20);
        g_assert_true(g_file_set_contents(file, whole, (gssize)i, NULL));
        if (i < length)
            g_assert_false(object_store_read(store, &id, append_to, found, NULL));
    }
}

static char *in_tree(const places *self, const char *name)
{
    return g_build_filename(self->tree, name, NULL);
}

static void make_file(const places *self, const char *name, const char *text)
{
    g_autofree char *path = in_tree(self, name);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static snapshot_manifest *walk(const places *self, object_store *store,
                               const snapshot_manifest *before)
{
    snapshot_manifest *into = snapshot_manifest_new();
    tree_scan scan = {.folder = self->folder, .before = before, .store = store};
    into->header.note = g_strdup("");
    into->header.settled = g_get_real_time() * 1000;
    g_assert_true(tree_scan_run(&scan, into, NULL));
    snapshot_manifest_sort(into);
    return into;
}

static void plant(const places *self)
{
    g_autofree char *fifo = in_tree(self, "fifo"), *link = in_tree(self, "link"),
                    *folder = in_tree(self, "deep"), *sock = in_tree(self, "sock"),
                    *out = in_tree(self, "out"), *suid = in_tree(self, "suid"),
                    *closed = in_tree(self, "closed"), *hole = in_tree(self, "hole");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    g_assert_cmpint(symlink("/etc/shadow", link), ==, 0);
    g_assert_cmpint(symlink("/etc", out), ==, 0);
    g_assert_cmpint(mkdir(folder, 0755), ==, 0);
    g_assert_cmpint(mkdir(closed, 0), ==, 0);
    make_file(self, "deep/file", "text");
    make_file(self, "suid", "#!");
    g_assert_cmpint(chmod(suid, 06755), ==, 0);
    g_strlcpy(name.sun_path, sock, sizeof name.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&name, sizeof name), ==, 0);
    close(fd);
    /* A terabyte of nothing. */
    fd = open(hole, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint(ftruncate(fd, (off_t)1 << 40), ==, 0);
    g_assert_cmpint(pwrite(fd, "end", 3, ((off_t)1 << 40) - 3), ==, 3);
    close(fd);
}

static void test_walk(places *self, gconstpointer unused)
{
    (void)unused;
    plant(self);
    g_autoptr(object_store) store = object_store_open(NULL);
    g_autoptr(snapshot_manifest) read = walk(self, store, NULL);
    g_assert_null(snapshot_manifest_find(read, SNAPSHOT_HOME, "fifo"));
    g_assert_null(snapshot_manifest_find(read, SNAPSHOT_HOME, "sock"));
    g_assert_null(snapshot_manifest_find(read, SNAPSHOT_HOME, "out/passwd"));
    g_assert_cmpint(snapshot_manifest_find(read, SNAPSHOT_HOME, "link")->kind, ==, SNAPSHOT_LINK);
    g_assert_cmpuint(snapshot_manifest_find(read, SNAPSHOT_HOME, "suid")->mode, ==, 0755);
    g_assert_cmpuint(snapshot_manifest_find(read, SNAPSHOT_HOME, "deep/file")->size, ==, 4);
    const snapshot_entry *hole = snapshot_manifest_find(read, SNAPSHOT_HOME, "hole");
    g_assert_cmpint(hole->flags, ==, SNAPSHOT_SPARSE);
    g_assert_cmpuint(hole->size, ==, (guint64)1 << 40);
    g_assert_cmpuint(object_store_added(store), <, 100000);
    /* Root reads the closed folder. */
    g_assert_cmpuint(read->header.sum[SNAPSHOT_HOME].left_out, ==, geteuid() ? 3 : 2);
    g_autofree char *closed = in_tree(self, "closed");
    g_assert_cmpint(chmod(closed, 0700), ==, 0);
    /* It is a file that can be read. */
    g_autoptr(GByteArray) data = snapshot_manifest_write(read);
    g_autoptr(snapshot_manifest) again = snapshot_manifest_parse(data->data, data->len);
    g_assert_nonnull(again);
}

/* What has not changed is not read again; what has, is, also when size and time are those of
 * before.
 */
/* With few files a box makes millions of names of 4 KiB, for which nobody has the memory. */
static void test_many_names(places *self, gconstpointer unused)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(object_store) store = object_store_open(NULL);
    g_autoptr(snapshot_manifest) into = snapshot_manifest_new();
    g_autofree char *folder = in_tree(self, "folder");
    tree_scan scan = {.folder = self->folder, .store = store};
    g_assert_cmpint(mkdir(folder, 0700), ==, 0);
    g_assert_true(tree_scan_run(&scan, into, NULL));
    g_autoptr(GByteArray) data = snapshot_manifest_write(into);
    g_assert_cmpint(into->size, >=, data->len);
    into->size = SNAPSHOT_FILE_MAX;
    g_assert_false(tree_scan_run(&scan, into, &problem));
    g_assert_nonnull(strstr(problem->message, "such as 'folder'"));
}

static void test_same(places *self, gconstpointer unused)
{
    struct stat st;
    (void)unused;
    make_file(self, "file", "one");
    g_autofree char *path = in_tree(self, "file");
    g_autoptr(object_store) store = object_store_open(NULL);
    g_autoptr(snapshot_manifest) first = walk(self, store, NULL);
    /* Too new to be trusted. */
    first->header.settled = snapshot_manifest_find(first, SNAPSHOT_HOME, "file")->ctime;
    g_assert_cmpint(stat(path, &st), ==, 0);
    const snapshot_entry *entry = snapshot_manifest_find(first, SNAPSHOT_HOME, "file");
    g_assert_false(tree_scan_is_same(entry, &st, first->header.settled));
    first->header.settled++;
    g_assert_true(tree_scan_is_same(entry, &st, first->header.settled));
    g_autoptr(snapshot_manifest) second = walk(self, store, first);
    g_assert_true(object_id_equal(&entry->object,
                                  &snapshot_manifest_find(second, SNAPSHOT_HOME, "file")->object));
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    /* The clock of file times has moved on. */
    do {
        g_assert_cmpint(pwrite(fd, "two", 3, 0), ==, 3);
        g_assert_cmpint(futimens(fd, times), ==, 0);
        g_assert_cmpint(fstat(fd, &st), ==, 0);
    } while (tree_scan_is_same(entry, &st, G_MAXINT64));
    close(fd);
    g_autoptr(snapshot_manifest) third = walk(self, store, first);
    g_assert_false(object_id_equal(&entry->object,
                                   &snapshot_manifest_find(third, SNAPSHOT_HOME, "file")->object));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/snapshot/file", test_file);
    g_test_add_func("/snapshot/damaged-file", test_damaged_file);
    g_test_add_func("/snapshot/hostile-entries", test_hostile_entries);
    g_test_add_func("/snapshot/retention", test_retention);
    g_test_add_func("/snapshot/sparse", test_sparse);
    g_test_add_func("/snapshot/hostile-sparse", test_hostile_sparse);
    g_test_add("/snapshot/store", places, NULL, set_up, test_store, tear_down);
    g_test_add("/snapshot/damaged-object", places, NULL, set_up, test_damaged_object, tear_down);
    g_test_add("/snapshot/walk", places, NULL, set_up, test_walk, tear_down);
    g_test_add("/snapshot/many-names", places, NULL, set_up, test_many_names, tear_down);
    g_test_add("/snapshot/same", places, NULL, set_up, test_same, tear_down);
    /* GLib reads it once. */
    g_autofree char *data = g_dir_make_tmp("snapshot-data-XXXXXX", NULL);
    g_setenv("XDG_DATA_HOME", data, TRUE);
    int status = g_test_run();
    g_assert_true(fs_remove_tree(data, NULL));
    return status;
}
