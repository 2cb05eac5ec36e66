/* The parts that look at files and write them, in a folder of their own: what a box may have
 * planted. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/fs.h"
#include "plan-madeup.h"
#include "plan/look.h"
#include "plan/prepare.h"

typedef struct {
    char *top, *project, *other;
    plan_facts *facts;
} place;

static char *in(const char *folder, const char *tail)
{
    return g_build_filename(folder, tail, NULL);
}

static void put(const char *folder, const char *tail, const char *contents)
{
    g_autofree char *path = in(folder, tail);
    g_autofree char *parent = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(parent, 0755), ==, 0);
    g_assert_true(g_file_set_contents(path, contents, -1, NULL));
}

static void put_folder(const char *folder, const char *tail)
{
    g_autofree char *path = in(folder, tail);
    g_assert_cmpint(g_mkdir_with_parents(path, 0755), ==, 0);
}

static void put_git(const char *folder)
{
    put(folder, "HEAD", "ref: refs/heads/main\n");
    put(folder, "config", "[core]\n\tbare = false\n");
    put_folder(folder, "objects");
    put_folder(folder, "refs");
    put_folder(folder, "hooks");
}

static void place_init(place *self)
{
    g_autofree char *made = g_dir_make_tmp("plan-XXXXXX", NULL);
    char *real = realpath(made, NULL);
    self->top = g_strdup(real);
    free(real);
    self->project = in(self->top, "project");
    self->other = in(self->top, "other");
    put_folder(self->project, ".");
    put_folder(self->other, ".");
    self->facts = plan_facts_new();
    self->facts->uid = getuid();
    self->facts->home = g_strdup(self->top);
}

static void place_clear(place *self)
{
    fs_remove_tree(self->top, NULL);
    g_free(self->top);
    g_free(self->project);
    g_free(self->other);
    plan_facts_free(self->facts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(place, place_clear)

static void look_git(place *p)
{
    plan_look_git(p->facts, p->project);
}

/* `git worktree add`: the folder names the project in turn. */
static void worktree_is_believed(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *common = in(p.other, ".git");
    g_autofree char *own = in(common, "worktrees/project");
    g_autofree char *line = g_strdup_printf("gitdir: %s\n", own);
    g_autofree char *back = g_strdup_printf("%s/.git\n", p.project);
    put_git(common);
    put_folder(common, "worktrees/else");
    put(own, "commondir", "../..\n");
    put(own, "gitdir", back);
    put(p.project, ".git", line);
    look_git(&p);

    g_assert_cmpstr(p.facts->git.folder, ==, common);
    g_assert_true(p.facts->git.outside);
    g_assert_null(p.facts->git.distrusted);
    g_assert_cmpuint(g_strv_length(p.facts->git.worktrees), ==, 2);
    g_autofree char *config = in(common, "config");
    g_assert_cmpint(plan_facts_path(p.facts, config)->kind, ==, PLAN_FILE);
}

static void submodule_is_believed(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *folder = in(p.other, ".git/modules/project");
    put_git(folder);
    put(folder, "config",
        "[core]\n\trepositoryformatversion = 0\n\tworktree = "
        "../../../../project\n");
    put(p.project, ".git", "gitdir: ../other/.git/modules/project\n");
    look_git(&p);
    g_assert_cmpstr(p.facts->git.folder, ==, folder);
}

static void distrusted(place *p, const char *contents)
{
    put(p->project, ".git", contents);
    look_git(p);
    g_assert_null(p->facts->git.folder);
    g_assert_nonnull(p->facts->git.distrusted);
    g_clear_pointer(&p->facts->git.distrusted, g_free);
}

/* A .git file can name any repository of the user's; that one does not name the project. */
static void foreign_folders_are_not_believed(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *common = in(p.other, ".git");
    put_git(common);
    distrusted(&p, "gitdir: ../other/.git\n");
    distrusted(&p, "gitdir: ../other/none\n");
    distrusted(&p, "gitdir: /etc\n");
    distrusted(&p, "nonsense\n");
    distrusted(&p, "");
    /* the worktree of another project */
    put(common, "worktrees/x/commondir", "../..\n");
    put(common, "worktrees/x/gitdir", "/somewhere/else/.git\n");
    distrusted(&p, "gitdir: ../other/.git/worktrees/x\n");
    /* a folder with a right back link, whose commondir leads to a repository that knows it not */
    g_autofree char *back = g_strdup_printf("%s/.git\n", p.project);
    g_autofree char *lead = g_strdup_printf("%s\n", common);
    put(p.top, "fake/commondir", lead);
    put(p.top, "fake/gitdir", back);
    distrusted(&p, "gitdir: ../fake\n");
    /* a link in the place of .git */
    g_autofree char *git = in(p.project, ".git");
    g_assert_cmpint(g_unlink(git), ==, 0);
    g_assert_cmpint(symlink(common, git), ==, 0);
    look_git(&p);
    g_assert_null(p.facts->git.folder);
    g_assert_cmpint(plan_facts_path(p.facts, git)->kind, ==, PLAN_LINK);
}

static void nested_modules_are_found(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *folder = in(p.project, ".git");
    g_autofree char *module = in(folder, "modules/group/lib");
    g_autofree char *inner = in(module, "modules/deep");
    put_git(folder);
    put_git(module);
    put_git(inner);
    g_autofree char *planted = in(folder, "modules/link");
    g_assert_cmpint(symlink("/etc", planted), ==, 0);
    look_git(&p);
    g_assert_cmpuint(g_strv_length(p.facts->git.modules), ==, 2);
    g_assert_cmpstr(p.facts->git.modules[0], ==, "modules/group/lib");
    g_assert_cmpstr(p.facts->git.modules[1], ==, "modules/group/lib/modules/deep");
}

/* Links in the project are seen as links, whatever they lead to; below one all is a link. */
static void links_are_seen(void)
{
    g_auto(place) p;
    place_init(&p);
    put(p.other, "tasks.json", "x");
    g_autofree char *link = in(p.project, ".vscode");
    g_autofree char *file = in(p.project, ".vscode/tasks.json");
    g_assert_cmpint(symlink("../other", link), ==, 0);
    plan_look_below(p.facts, p.project, ".vscode/tasks.json");
    g_assert_cmpint(plan_facts_path(p.facts, link)->kind, ==, PLAN_LINK);
    g_assert_cmpint(plan_facts_path(p.facts, file)->kind, ==, PLAN_LINK);
}

static void sources_are_resolved(void)
{
    g_auto(place) p;
    place_init(&p);
    g_auto(madeup) m;
    madeup_init(&m);
    put_folder(p.other, "data");
    g_autofree char *link = in(p.project, "l"), *loop = in(p.project, "loop");
    g_autofree char *through = in(link, "data"), *real = in(p.other, "data");
    g_assert_cmpint(symlink("../project/../other", link), ==, 0);
    g_assert_cmpint(symlink("loop", loop), ==, 0);
    m.wanted->mounts = g_ptr_array_new_with_free_func((GDestroyNotify)settings_mount_free);
    g_ptr_array_add(m.wanted->mounts, settings_mount_new(through, "/x", MODE_RO));
    g_ptr_array_add(m.wanted->mounts, settings_mount_new(loop, "/y", MODE_RO));
    plan_look_paths(p.facts, &m.box, m.wanted);
    const plan_path *found = plan_facts_path(p.facts, through);
    g_assert_cmpstr(found->real, ==, real);
    g_assert_true(g_strv_contains((const char *const *)found->via, link));
    g_assert_cmpint(plan_facts_path(p.facts, loop)->kind, ==, PLAN_MISSING);
}

static gboolean points(place *p, const char *target, const char *source, GError **error)
{
    plan_box box = {.name = "x", .image = "image", .data = p->top, .home = p->other};
    json_auto_t *request = json_pack("{s:[{s:s,s:s,s:s},{s:s,s:s,s:s}]}", "mounts", "destination",
                                     "/home/me", "source", p->other, "type", "bind", "destination",
                                     target, "source", source, "type", "bind");
    plan_prepared prepared = {.box = &box, .request = request};
    return plan_prepare_points(&prepared, error);
}

static void points_are_made(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *folder = in(p.other, "src/shop"), *file = in(p.other, "a/b");
    g_assert_true(points(&p, "/home/me/src/shop", p.project, NULL));
    g_assert_true(g_file_test(folder, G_FILE_TEST_IS_DIR));
    put(p.top, "f", "x");
    g_autofree char *source = in(p.top, "f");
    g_assert_true(points(&p, "/home/me/a/b", source, NULL));
    g_assert_true(points(&p, "/home/me/a/b", source, NULL));
    g_assert_true(g_file_test(file, G_FILE_TEST_IS_REGULAR));
}

/* The box planted links in its home: nothing is made where they lead, and nothing is mounted. */
static void planted_links_stop_it(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *src = in(p.other, "src"), *out = in(p.top, "out");
    put_folder(p.top, "out");
    g_assert_cmpint(symlink(out, src), ==, 0);
    g_autoptr(GError) error = NULL;
    g_assert_false(points(&p, "/home/me/src/shop", p.project, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    g_clear_error(&error);
    g_assert_cmpint(g_rmdir(out), ==, 0);
    /* in the last place, for a folder and for a file; and a file where a folder should be */
    g_assert_false(points(&p, "/home/me/src", p.project, &error));
    g_clear_error(&error);
    put(p.top, "f", "x");
    g_autofree char *source = in(p.top, "f");
    g_assert_false(points(&p, "/home/me/src", source, &error));
    g_clear_error(&error);
    g_assert_cmpint(g_unlink(src), ==, 0);
    put(p.other, "src", "x");
    g_assert_false(points(&p, "/home/me/src/shop", p.project, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
}

static void written_once(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *path = in(p.top, "hosts");
    struct stat before, after;
    g_assert_true(plan_write(path, "a\n", -1, 0444, NULL));
    g_assert_cmpint(stat(path, &before), ==, 0);
    g_assert_true(plan_write(path, "a\n", -1, 0444, NULL));
    g_assert_cmpint(stat(path, &after), ==, 0);
    g_assert_cmpuint(before.st_ino, ==, after.st_ino);
    g_assert_true(plan_write(path, "b\n", -1, 0444, NULL));
    g_assert_cmpint(stat(path, &after), ==, 0);
    g_assert_cmpuint(before.st_ino, !=, after.st_ino);
    g_assert_cmpint(after.st_mode & 0777, ==, 0444);
}

/* A name or an address with white space in it would be another line, or another name. */
static void names_have_no_lines(void)
{
    g_auto(madeup) m;
    madeup_init(&m);
    m.wanted->network.mode = NETWORK_OPEN;
    set_list(&m.wanted->network.hosts, "db=10.0.0.1,evil=1.2.3.4\n5.6.7.8 bank");
    set_list(&m.wanted->network.dns, "9.9.9.9,1.1.1.1\nsearch evil");
    g_autofree char *hosts = plan_hosts_text(&m.box, m.wanted);
    g_autofree char *resolv = plan_resolv_text(m.wanted);
    g_assert_nonnull(strstr(hosts, "10.0.0.1\tdb\n"));
    g_assert_null(strstr(hosts, "bank"));
    g_assert_cmpstr(resolv, ==, "nameserver 9.9.9.9\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/look-git/worktree", worktree_is_believed);
    g_test_add_func("/plan/look-git/submodule", submodule_is_believed);
    g_test_add_func("/plan/look-git/foreign", foreign_folders_are_not_believed);
    g_test_add_func("/plan/look-git/nested-modules", nested_modules_are_found);
    g_test_add_func("/plan/look-paths/links", links_are_seen);
    g_test_add_func("/plan/look-paths/sources", sources_are_resolved);
    g_test_add_func("/plan/prepare/points", points_are_made);
    g_test_add_func("/plan/prepare/planted-links", planted_links_stop_it);
    g_test_add_func("/plan/prepare/written-once", written_once);
    g_test_add_func("/plan/prepare/names", names_have_no_lines);
    return g_test_run();
}
