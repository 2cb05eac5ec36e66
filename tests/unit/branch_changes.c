/* What a branch has changed: an upper folder, made by hand as an overlay makes it, and a project.
 */
#include "box/branch/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/take_steps.h"
#include "box/registry/branch_then.h"
#include "common/fs.h"

typedef struct {
    char *top;
    int upper, project;
    settings *wanted;
} trees;

static char *at(const trees *self, const char *side, const char *name)
{
    return g_build_filename(self->top, side, name, NULL);
}

static void write_file(const trees *self, const char *side, const char *name, const char *text)
{
    g_autofree char *path = at(self, side, name), *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_assert_cmpint(chmod(path, 0644), ==, 0);
}

static void make_folder(const trees *self, const char *side, const char *name)
{
    g_autofree char *path = at(self, side, name);
    g_assert_cmpint(g_mkdir_with_parents(path, 0755), ==, 0);
}

static void white_out(const trees *self, const char *name)
{
    g_autofree char *path = at(self, "upper", name);
    g_assert_cmpint(mknod(path, S_IFCHR, makedev(0, 0)), ==, 0);
}

/* FALSE: the file system has no such attributes. */
static gboolean make_opaque(const trees *self, const char *name)
{
    g_autofree char *path = at(self, "upper", name);
    return setxattr(path, "user.overlay.opaque", "y", 1, 0) == 0;
}

static void set_up(trees *self, gconstpointer unused)
{
    (void)unused;
    self->top = g_dir_make_tmp("branch-XXXXXX", NULL);
    make_folder(self, "upper", "");
    make_folder(self, "project", "");
    g_autofree char *upper = at(self, "upper", ""), *project = at(self, "project", "");
    self->upper = open(upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self->project = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self->wanted = g_new0(settings, 1);
    static char *protect[] = {(char *)".vscode", (char *)".git/hooks", NULL};
    self->wanted->protect.paths = protect;
}

static void tear_down(trees *self, gconstpointer unused)
{
    (void)unused;
    close(self->upper);
    close(self->project);
    g_assert_true(fs_remove_tree(self->top, NULL));
    g_free(self->wanted);
    g_free(self->top);
}

static const struct timespec *since_then(void *data, const char *path)
{
    (void)path;
    return data;
}

/* "+made *one -gone", with the doubts in hexadecimal behind a path that has some. */
static const struct timespec never = {.tv_sec = G_MAXINT32};
static char *found(const trees *self, struct timespec since)
{
    branch_scan scan = {
        .wanted = self->wanted, .project = "/p", .since = since_then, .data = &since};
    g_autoptr(branch_changes) changes = branch_changes_find(self->upper, self->project, &scan);
    GString *text = g_string_new(changes->git ? "git" : NULL);
    for (guint i = 0; i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        g_string_append_printf(text, "%s%c%s", text->len ? " " : "",
                               !change->before  ? '+'
                               : !change->after ? '-'
                                                : '*',
                               change->path);
        if (change->doubts)
            g_string_append_printf(text, "#%x", change->doubts);
    }
    return g_string_free(text, FALSE);
}

static void expect(const trees *self, const char *wanted)
{
    g_autofree char *text = found(self, never);
    g_assert_cmpstr(text, ==, wanted);
}

static void test_nothing(trees *self, gconstpointer unused)
{
    (void)unused;
    expect(self, "");
    write_file(self, "project", "a/b", "text");
    expect(self, "");
    /* It was copied up, and is the same. */
    write_file(self, "upper", "a/b", "text");
    expect(self, "");
}

static void test_files(trees *self, gconstpointer unused)
{
    (void)unused;
    write_file(self, "project", "same-size", "abc");
    write_file(self, "upper", "same-size", "abd");
    write_file(self, "project", "rights", "");
    write_file(self, "upper", "rights", "");
    g_autofree char *rights = at(self, "upper", "rights");
    g_assert_cmpint(chmod(rights, 04755), ==, 0);
    write_file(self, "project", "set-id", "");
    write_file(self, "upper", "set-id", "");
    g_autofree char *set_id = at(self, "upper", "set-id");
    g_assert_cmpint(chmod(set_id, 06646), ==, 0); /* nothing of that is taken */
    write_file(self, "upper", "new/file", "");
    expect(self, "+new +new/file *rights *same-size");
}

/* A file of SIZE bytes, of which only the last ones of TEXT, up to END, are no hole. */
static void write_sparse(const trees *self, const char *side, const char *name, off_t size,
                         const char *text, off_t end)
{
    g_autofree char *path = at(self, side, name);
    size_t length = strlen(text);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(ftruncate(fd, size), ==, 0);
    g_assert_cmpint(pwrite(fd, text, length, end - (off_t)length), ==, length);
    close(fd);
}

/* Read whole, one of these takes minutes. */
static void test_sparse(trees *self, gconstpointer unused)
{
    const off_t size = (off_t)1 << 40, middle = size / 2 + 70000;
    (void)unused;
    write_sparse(self, "project", "same", size, "text", middle);
    write_sparse(self, "upper", "same", size, "text", middle);
    write_sparse(self, "project", "hole", size, "", 0);
    write_sparse(self, "upper", "hole", size, "", 0);
    write_sparse(self, "project", "text", size, "text", middle);
    write_sparse(self, "upper", "text", size, "test", middle);
    write_sparse(self, "project", "end", size, "", 0);
    write_sparse(self, "upper", "end", size, "x", size);
    write_sparse(self, "project", "place", size, "text", middle);
    write_sparse(self, "upper", "place", size, "text", middle + 1);
    write_sparse(self, "project", "size", size, "text", middle);
    write_sparse(self, "upper", "size", size - 1, "text", middle);
    expect(self, "*end *place *size *text");
}

static void test_deletions(trees *self, gconstpointer unused)
{
    (void)unused;
    write_file(self, "project", "d/e/f", "");
    write_file(self, "project", "d/g", "");
    write_file(self, "project", "one", "");
    white_out(self, "d");
    white_out(self, "one");
    white_out(self, "never-there");
    expect(self, "-d -d/e -d/e/f -d/g -one");
}

static void test_kinds(trees *self, gconstpointer unused)
{
    (void)unused;
    write_file(self, "project", "file", "");
    write_file(self, "upper", "file/in", "");
    write_file(self, "project", "folder/in", "");
    write_file(self, "upper", "folder", "");
    write_file(self, "project", "text", "target");
    g_autofree char *text = at(self, "upper", "text");
    g_assert_cmpint(symlink("target", text), ==, 0);
    expect(self, "*file +file/in *folder -folder/in *text");
}

static void test_opaque(trees *self, gconstpointer unused)
{
    (void)unused;
    static char *hidden[] = {(char *)"d/secret", NULL};
    write_file(self, "project", "d/gone/x", "");
    write_file(self, "project", "d/kept", "");
    write_file(self, "project", "d/sub/below", "");
    write_file(self, "project", "d/secret", "");
    write_file(self, "upper", "d/kept", "");
    write_file(self, "upper", "d/new", "");
    make_folder(self, "upper", "d/sub");
    self->wanted->project.hidden = hidden;
    if (!make_opaque(self, "d")) {
        g_test_skip("no user attributes here");
        return;
    }
    /* A folder in an opaque one hides the host's, too; what the branch never saw is not deleted. */
    expect(self, "-d/gone -d/gone/x +d/new -d/sub/below");
}

static void test_doubts(trees *self, gconstpointer unused)
{
    (void)unused;
    g_autofree char *fifo = at(self, "upper", "z-fifo"), *link = at(self, "upper", "z-link");
    write_file(self, "upper", ".git/config", "");
    write_file(self, "upper", "s/.git/config", "");
    write_file(self, "upper", "s/.vscode/tasks.json", "");
    write_file(self, "upper", "s/.VsCode", "");
    write_file(self, "upper", "s/head", "");
    write_file(self, "project", "t/name", "");
    write_file(self, "upper", "t/NAME", "");
    write_file(self, "upper", "u\033[0m", "");
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    g_assert_cmpint(symlink("../out", link), ==, 0);
    expect(self,
           "git +s +s/.VsCode#5 +s/.git#1 +s/.git/config#1 +s/.vscode#5 +s/.vscode/tasks.json#1 "
           "+s/head#1 +t/NAME#4 +u\033[0m#8 +z-fifo#20 +z-link#2");
}

static void test_moved_on(trees *self, gconstpointer unused)
{
    (void)unused;
    struct stat st;
    write_file(self, "project", "one", "host");
    write_file(self, "upper", "one", "branch");
    write_file(self, "project", "gone", "");
    white_out(self, "gone");
    g_assert_cmpint(fstatat(self->project, "gone", &st, 0), ==, 0);
    struct timespec later = {st.st_ctim.tv_sec + 1, 0}, before = {st.st_ctim.tv_sec - 1, 0};
    g_autofree char *after_all = found(self, later), *before_all = found(self, before);
    g_assert_cmpstr(after_all, ==, "-gone *one");
    g_assert_cmpstr(before_all, ==, "-gone#10 *one#10");
}

/* A path of any length costs neither stack nor descriptors. */
static void test_deep(trees *self, gconstpointer unused)
{
    (void)unused;
    int fd = dup(self->upper);
    for (int i = 0; i < 3000; i++) {
        g_assert_cmpint(mkdirat(fd, "d", 0755), ==, 0);
        int next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
    }
    close(fd);
    g_autofree char *text = found(self, never);
    g_assert_true(g_str_has_prefix(text, "+d +d/d"));
    g_assert_true(g_str_has_suffix(text, "#40"));
}

static void link_on_host(const trees *self, const char *name, const char *target)
{
    g_assert_cmpint(symlinkat(target, self->project, name), ==, 0);
}

static void test_links(trees *self, gconstpointer unused)
{
    (void)unused;
    static const struct {
        const char *path, *target;
        gboolean stays;
    } cases[] = {
        {"a", "b", TRUE},
        {"a", "./b/c", TRUE},
        {"a", ".", TRUE},
        {"a", "..", FALSE},
        {"a/b", "..", TRUE},
        {"a/b", "../..", FALSE},
        {"a/b", "../c", TRUE},
        {"a", "b/..", FALSE},
        {"a", "b/../..", FALSE},
        {"a/b/c", "../../d", TRUE},
        {"a", "/etc/passwd", FALSE},
        {"a", "/p", FALSE},
        {"a", "/p/x", TRUE},
        {"a", "/p/../x", FALSE},
        {"a", "/px/y", FALSE},
        {"a", "", FALSE},
        {"a", "//p/x", FALSE},
        {"a/b", "/p/../x", FALSE},
        {"a/b", "./../x", TRUE},
        /* By links that the host has. */
        {"a", "inside/x", TRUE},
        {"a", "outside/x", FALSE},
        {"a", "above", FALSE},
        {"n/a", "../inside", TRUE},
        {"n/a", "../outside", FALSE},
        {"a", "/p/above/x", FALSE},
    };
    make_folder(self, "project", "folder");
    link_on_host(self, "inside", "folder");
    link_on_host(self, "outside", "/usr");
    link_on_host(self, "above", "folder/../..");
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        if (branch_link_stays(self->project, "/p", cases[i].path, cases[i].target) !=
            cases[i].stays)
            g_error("%s -> %s", cases[i].path, cases[i].target);
}

/* A box can write git's index, and make a file of any size that takes no room. */
static void test_then(trees *self, gconstpointer unused)
{
    static const char list[] = "0\0small\0f3a34851d44d6b97c90fbb99dd3d18c261b9a237 4\0large\0"
                               "f3a34851d44d6b97c90fbb99dd3d18c261b9a237 1099511627776";
    struct box of = {.data = self->top};
    struct stat st;
    (void)unused;
    make_folder(self, "then", "");
    g_autofree char *file = at(self, "then", "list");
    g_assert_true(g_file_set_contents(file, list, sizeof list, NULL));
    write_file(self, "project", "small", "text");
    write_sparse(self, "project", "large", (off_t)1 << 40, "", 0);
    g_autoptr(branch_then) then = branch_then_read(&of);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "large" : "small";
        int fd = openat(self->project, name, O_RDONLY | O_CLOEXEC);
        g_assert_cmpint(fstat(fd, &st), ==, 0);
        g_assert_cmpint(branch_then_is(then, name, fd, &st), ==, i ? -1 : 1);
        close(fd);
    }
}

/* Temporary files lie in the plan's folder where files can be moved from it. */
static void test_aside(trees *self, gconstpointer unused)
{
    (void)unused;
    struct box of = {.data = self->top};
    g_autoptr(take_plan) none = take_plan_new(&of), here = take_plan_new(&of),
                         there = take_plan_new(&of);
    int elsewhere = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    take_plan_add(none, "a");
    take_plan_add(here, "a");
    take_plan_add(here, "b")->is_protected = TRUE;
    take_plan_add(there, "a")->is_protected = TRUE;
    make_folder(self, TAKE_FOLDER, "");
    take_plan_find_aside(none, self->project);
    take_plan_find_aside(here, self->project);
    take_plan_find_aside(there, elsewhere);
    close(elsewhere);
    g_assert_cmpint(none->aside, ==, -1);
    g_assert_cmpint(here->aside, >=, 0);
    g_assert_cmpint(there->aside, ==, -1);
    g_assert_cmpint(take_aside(here, 0, self->upper), ==, self->upper);
    g_assert_cmpint(take_aside(here, 1, self->upper), ==, here->aside);
}

#define ADD(name, test) g_test_add("/branch_changes/" name, trees, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("nothing", test_nothing);
    ADD("files", test_files);
    ADD("sparse", test_sparse);
    ADD("deletions", test_deletions);
    ADD("kinds", test_kinds);
    ADD("opaque", test_opaque);
    ADD("doubts", test_doubts);
    ADD("moved_on", test_moved_on);
    ADD("deep", test_deep);
    ADD("links", test_links);
    ADD("then", test_then);
    ADD("aside", test_aside);
    return g_test_run();
}
