/* The stream of box cp: what a receiver accepts of a hostile sender, and a tree that goes through.
 */
#include "tree/tree.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;
static int folder_fd, notes;
/* What somebody else in the folder has opened for writing. */
static int stolen = -1;

/* A note comes in the middle of a file. */
static void note(void *data, const char *text)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (*name == '.' && stolen < 0)
            stolen = openat(folder_fd, name, O_WRONLY | O_CLOEXEC);
    notes++;
}

static void append(GByteArray *out, enum tree_record type, const char *body, gsize length,
                   guint64 offset)
{
    struct tree_header header = {
        .type = type, .length = (guint32)length, .mode = 06777, .offset = offset};
    g_byte_array_append(out, (const guint8 *)&header, sizeof header);
    g_byte_array_append(out, (const guint8 *)body, (guint)length);
}

static void append_text(GByteArray *out, enum tree_record type, const char *body)
{
    append(out, type, body, strlen(body), 0);
}

static int (*is_protected)(void *data, const char *path);

/* Receives OUT as FOLDER/top. */
static int receive(const GByteArray *out, int (*wants)(void *, const char *))
{
    char error[TREE_TEXT_MAX];
    struct tree_receiver to = {.folder = folder_fd,
                               .name = "top",
                               .wants = wants,
                               .is_protected = is_protected,
                               .note = note};
    g_autofree char *path = g_build_filename(folder, "stream", NULL);
    notes = 0;
    g_assert_true(g_file_set_contents(path, (const char *)out->data, out->len, NULL));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int result = tree_receive(fd, &to, error);
    close(fd);
    g_unlink(path);
    return result;
}

static char *run(const char *format)
{
    g_autofree char *command = g_strdup_printf("cd '%s' && %s", folder, format);
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", command, NULL}, *out = NULL;
    g_assert_true(
        g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, NULL, NULL));
    return out;
}

static void assert_output(const char *command, const char *expected)
{
    g_autofree char *out = run(command);
    g_assert_cmpstr(out, ==, expected);
}

static void begin(void)
{
    folder = g_dir_make_tmp("tree-XXXXXX", NULL);
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void end(void)
{
    g_free(run("chmod -R u+w . && rm -rf ./* ./.[!.]*"));
    close(folder_fd);
    g_rmdir(folder);
    g_clear_pointer(&folder, g_free);
}

static void test_links(void)
{
    static const struct {
        const char *target;
        int depth, stays;
    } cases[] = {
        {"x", 1, 1},        {"x/y", 1, 1},       {"./x", 1, 1},      {"..", 1, 0},
        {"../x", 1, 0},     {"../x", 2, 1},      {"../..", 2, 0},    {"../../x", 3, 1},
        {"x/..", 2, 0},     {"x/../..", 3, 0},   {"/etc", 5, 0},     {".././../x", 3, 1},
        {"..//../x", 3, 1}, {"./../../x", 2, 0}, {"...", 1, 1},      {"x", 0, 0},
        {"..x", 1, 1},      {"../x/../y", 3, 0}, {"../x/./y", 2, 1}, {".", 1, 1},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpint(tree_link_stays(cases[i].target, cases[i].depth), ==, cases[i].stays);
}

static void test_names(void)
{
    static const char *const bad[] = {"", ".", "..", "/", "a/b", "../x", "/etc", NULL};
    for (int i = 0; bad[i]; i++)
        g_assert_false(tree_name_is_valid(bad[i], strlen(bad[i])));
    g_assert_false(tree_name_is_valid("a\0b", 3));
    g_assert_true(tree_name_is_valid("...", 3));
    g_assert_true(tree_name_is_valid("-rf *\n\x1b", 7));
    g_autofree char *long_name = g_strnfill(TREE_NAME_MAX + 1, 'x');
    g_assert_true(tree_name_is_valid(long_name, TREE_NAME_MAX));
    g_assert_false(tree_name_is_valid(long_name, TREE_NAME_MAX + 1));
}

/* Each is refused, and nothing is made but below the top. */
static void test_hostile_names(void)
{
    static const char *const names[] = {"..", ".", "", "/tmp/evil", "../evil", "a/b", NULL};
    for (int i = 0; names[i]; i++) {
        for (int type = TREE_FILE; type <= TREE_LINK; type++) {
            begin();
            g_autoptr(GByteArray) out = g_byte_array_new();
            g_autoptr(GByteArray) link = g_byte_array_new();
            append_text(out, TREE_FOLDER, "ignored");
            g_byte_array_append(link, (const guint8 *)names[i], (guint)strlen(names[i]) + 1);
            g_byte_array_append(link, (const guint8 *)"x", 1);
            if (type == TREE_LINK)
                append(out, TREE_LINK, (const char *)link->data, link->len, 0);
            else
                append_text(out, (enum tree_record)type, names[i]);
            append_text(out, TREE_END, "");
            append_text(out, TREE_END, "");
            append_text(out, TREE_DONE, "");
            g_assert_cmpint(receive(out, NULL), ==, -1);
            assert_output("find . -mindepth 1", "./top\n");
            end();
        }
    }
}

/* A link, and then something through it. */
static void test_through_link(void)
{
    for (int type = TREE_FILE; type <= TREE_FOLDER; type++) {
        begin();
        g_free(run("mkdir outside; mkdir top; ln -s ../outside top/mine"));
        g_autoptr(GByteArray) out = g_byte_array_new();
        append_text(out, TREE_FOLDER, "");
        append_text(out, (enum tree_record)type, "mine");
        append_text(out, TREE_FILE, "evil");
        append_text(out, TREE_END, "");
        append_text(out, TREE_END, "");
        append_text(out, TREE_DONE, "");
        g_assert_cmpint(receive(out, NULL), ==, -1);
        assert_output("ls outside", "");
        assert_output("readlink top/mine", "../outside\n");
        end();
    }
}

static void test_wrong_order(void)
{
    static const enum tree_record orders[][5] = {
        {TREE_END, TREE_DONE},
        {TREE_DATA, TREE_DONE},
        {TREE_FOLDER, TREE_DATA},
        {TREE_FOLDER, TREE_DONE},
        {TREE_FILE, TREE_DONE},
        {TREE_FILE, TREE_FILE},
        {TREE_FILE, TREE_FOLDER},
        {TREE_FOLDER, TREE_END, TREE_END},
        {TREE_FOLDER, TREE_END, TREE_FOLDER},
        {TREE_FOLDER, TREE_END, TREE_FILE},
        {(enum tree_record)0},
        {(enum tree_record)99},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(orders); i++) {
        begin();
        g_autoptr(GByteArray) out = g_byte_array_new();
        for (int j = 0; j < 5; j++)
            append_text(out, orders[i][j], orders[i][j] <= TREE_FOLDER && orders[i][j] ? "x" : "");
        g_assert_cmpint(receive(out, NULL), ==, -1);
        end();
    }
}

/* Sizes that nothing could hold, data that goes back, and too many folders in each other. */
static void test_limits(void)
{
    static const guint64 ends[] = {3, G_MAXUINT64, (guint64)G_MAXINT64 + 1};
    for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
        begin();
        g_autoptr(GByteArray) out = g_byte_array_new();
        append_text(out, TREE_FILE, "");
        append(out, TREE_DATA, "abcd", 4, 0);
        append(out, TREE_END, "", 0, ends[i]);
        append_text(out, TREE_DONE, "");
        g_assert_cmpint(receive(out, NULL), ==, -1);
        assert_output("ls -A", "");
        end();
    }
    begin();
    g_autoptr(GByteArray) back = g_byte_array_new();
    append_text(back, TREE_FILE, "");
    append(back, TREE_DATA, "abcd", 4, 100);
    append(back, TREE_DATA, "abcd", 4, 99);
    g_assert_cmpint(receive(back, NULL), ==, -1);
    assert_output("ls -A", "");
    g_autoptr(GByteArray) deep = g_byte_array_new();
    for (int i = 0; i <= TREE_DEPTH_MAX; i++)
        append_text(deep, TREE_FOLDER, "d");
    g_assert_cmpint(receive(deep, NULL), ==, -1);
    end();
}

static int wants_no_b(void *data, const char *path)
{
    return strcmp(path, "top/b") != 0;
}

/* What is left out takes what is in it along, and no more; modes have no set-user-ID. */
static void test_left_out(void)
{
    begin();
    g_autoptr(GByteArray) out = g_byte_array_new();
    append_text(out, TREE_FOLDER, "");
    append_text(out, TREE_FOLDER, "b");
    append_text(out, TREE_FILE, "x");
    append(out, TREE_DATA, "abcd", 4, 0);
    append(out, TREE_END, "", 0, 4);
    append_text(out, TREE_FOLDER, "c");
    append_text(out, TREE_END, "");
    append_text(out, TREE_END, "");
    append_text(out, TREE_FILE, "c");
    append(out, TREE_DATA, "abcd", 4, 2);
    append(out, TREE_END, "", 0, 8);
    append_text(out, TREE_END, "");
    append_text(out, TREE_DONE, "");
    mode_t mask = umask(022);
    g_assert_cmpint(receive(out, wants_no_b), ==, 0);
    umask(mask);
    assert_output("find . -mindepth 1 -printf '%p %m %s\\n' | sed 's/ 755 .*$/ 755/'",
                  "./top 755\n./top/c 755\n");
    assert_output("od -An -c top/c", "  \\0  \\0   a   b   c   d  \\0  \\0\n");
    end();
}

static void test_cut_streams(void)
{
    g_autoptr(GByteArray) whole = g_byte_array_new();
    append_text(whole, TREE_FOLDER, "");
    append_text(whole, TREE_FILE, "x");
    append(whole, TREE_DATA, "abcd", 4, 0);
    append(whole, TREE_END, "", 0, 4);
    append_text(whole, TREE_END, "");
    append_text(whole, TREE_DONE, "");
    for (guint length = 0; length < whole->len; length++) {
        begin();
        g_autoptr(GByteArray) cut = g_byte_array_new();
        g_byte_array_append(cut, whole->data, length);
        g_assert_cmpint(receive(cut, NULL), ==, -1);
        /* No part of a file. */
        assert_output("find . -type f -size -4c", "");
        end();
    }
}

static int is_top(void *data, const char *path)
{
    return strcmp(path, "top") == 0;
}

/* A box must not get hold of a file by another name before the file has one that is protected. */
static void test_protected(void)
{
    static const char command[] = "cat top; ls -A";
    g_autoptr(GByteArray) out = g_byte_array_new();
    append_text(out, TREE_FILE, "");
    append_text(out, TREE_DATA, "new\n");
    append_text(out, TREE_NOTE, "x");
    append(out, TREE_END, "", 0, 4);
    append_text(out, TREE_DONE, "");
    for (int i = 0; i < 2; i++) {
        begin();
        g_free(run("echo old >top"));
        is_protected = i ? is_top : NULL;
        g_assert_cmpint(receive(out, NULL), ==, 0);
        is_protected = NULL;
        assert_output(command, "new\ntop\n");
        /* Control: any other file is what its folder's writers make of it. */
        g_assert_cmpint(pwrite(stolen, "bad", 3, 0), ==, i ? -1 : 3);
        assert_output(command, i ? "new\ntop\n" : "bad\ntop\n");
        if (stolen >= 0)
            close(stolen);
        stolen = -1;
        end();
    }
}

static void test_round_trip(void)
{
    int ends[2], status;
    begin();
    g_free(run(
        "mkdir -p a/b/c && echo text >a/file && ln -s ../file a/b/link && truncate -s 1M a/hole "
        "&& head -c 600000 /dev/zero | tr '\\0' x >a/b/big && mkfifo a/pipe && chmod 500 a/b/c"));
    g_assert_cmpint(pipe(ends), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        _exit(tree_send(ends[1], folder_fd, "a", 0) < 0);
    }
    close(ends[1]);
    char error[TREE_TEXT_MAX];
    struct tree_receiver to = {.folder = folder_fd, .name = "top", .note = note};
    notes = 0;
    g_assert_cmpint(tree_receive(ends[0], &to, error), ==, 0);
    close(ends[0]);
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpint(notes, ==, 1);
    assert_output("rm a/pipe; diff -r --no-dereference a top && stat -c %a top/b/c", "500\n");
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tree/links-that-stay", test_links);
    g_test_add_func("/tree/names", test_names);
    g_test_add_func("/tree/hostile-names", test_hostile_names);
    g_test_add_func("/tree/nothing-goes-through-a-link", test_through_link);
    g_test_add_func("/tree/wrong-order", test_wrong_order);
    g_test_add_func("/tree/limits", test_limits);
    g_test_add_func("/tree/left-out", test_left_out);
    g_test_add_func("/tree/cut-streams", test_cut_streams);
    g_test_add_func("/tree/protected", test_protected);
    g_test_add_func("/tree/round-trip", test_round_trip);
    return g_test_run();
}
