/* Probes and preparation in a temporary folder, with the files that a hostile box could make. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/fs.h"
#include "plan/prepare.h"
#include "plan_fixture.h"

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

static void probe_git(place *p)
{
    plan_probe_git(p->facts, p->project);
}

/* As after `git worktree add`: the folder names the project in turn. */
static void worktree_is_accepted(void)
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
    probe_git(&p);

    g_assert_cmpstr(p.facts->git.folder, ==, common);
    g_assert_true(p.facts->git.outside);
    g_assert_null(p.facts->git.distrusted);
    g_assert_cmpuint(g_strv_length(p.facts->git.worktrees), ==, 2);
    g_autofree char *config = in(common, "config");
    g_assert_cmpint(plan_facts_file(p.facts, config)->type, ==, PLAN_TYPE_FILE);
}

/* As after `git clone --shared`. */
static void borrowed_objects_are_found(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *own = in(p.project, ".git"), *other = in(p.other, ".git");
    g_autofree char *objects = in(other, "objects");
    g_autofree char *inside = in(p.project, "mirror/objects");
    g_autofree char *lines =
        g_strdup_printf("%s\n../../../other/.git/objects\n%s\n/none/there\n\n", objects, inside);
    put_git(own);
    put_git(other);
    put_folder(p.project, "mirror/objects");
    put(own, "objects/info/alternates", lines);
    probe_git(&p);
    g_assert_cmpuint(g_strv_length(p.facts->git.borrowed), ==, 2);
    g_assert_cmpstr(p.facts->git.borrowed[0], ==, objects);
    g_assert_cmpstr(p.facts->git.borrowed[1], ==, objects);
}

static void submodule_is_accepted(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *folder = in(p.other, ".git/modules/project");
    put_git(folder);
    put(folder, "config",
        "[core]\n\trepositoryformatversion = 0\n\tworktree = "
        "../../../../project\n");
    put(p.project, ".git", "gitdir: ../other/.git/modules/project\n");
    probe_git(&p);
    g_assert_cmpstr(p.facts->git.folder, ==, folder);
}

static void distrusted(place *p, const char *contents)
{
    put(p->project, ".git", contents);
    probe_git(p);
    g_assert_null(p->facts->git.folder);
    g_assert_nonnull(p->facts->git.distrusted);
    g_clear_pointer(&p->facts->git.distrusted, g_free);
}

/* A .git file can name any repository of the user, but that one does not name the project. */
static void foreign_folders_are_refused(void)
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
    /* a folder that names the project, whose commondir names a repository without this worktree */
    g_autofree char *back = g_strdup_printf("%s/.git\n", p.project);
    g_autofree char *lead = g_strdup_printf("%s\n", common);
    put(p.top, "fake/commondir", lead);
    put(p.top, "fake/gitdir", back);
    distrusted(&p, "gitdir: ../fake\n");
    /* .git is a symbolic link */
    g_autofree char *git = in(p.project, ".git");
    g_assert_cmpint(g_unlink(git), ==, 0);
    g_assert_cmpint(symlink(common, git), ==, 0);
    probe_git(&p);
    g_assert_null(p.facts->git.folder);
    g_assert_cmpint(plan_facts_file(p.facts, git)->type, ==, PLAN_TYPE_LINK);
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
    probe_git(&p);
    g_assert_cmpuint(g_strv_length(p.facts->git.modules), ==, 2);
    g_assert_cmpstr(p.facts->git.modules[0], ==, "modules/group/lib");
    g_assert_cmpstr(p.facts->git.modules[1], ==, "modules/group/lib/modules/deep");
}

/* Symbolic links in the project are recorded as links, and so are all paths below them. */
static void links_are_recorded(void)
{
    g_auto(place) p;
    place_init(&p);
    put(p.other, "tasks.json", "x");
    g_autofree char *link = in(p.project, ".vscode");
    g_autofree char *file = in(p.project, ".vscode/tasks.json");
    g_assert_cmpint(symlink("../other", link), ==, 0);
    plan_probe_below(p.facts, p.project, ".vscode/tasks.json");
    g_assert_cmpint(plan_facts_file(p.facts, link)->type, ==, PLAN_TYPE_LINK);
    g_assert_cmpint(plan_facts_file(p.facts, file)->type, ==, PLAN_TYPE_LINK);
}

static void sources_are_resolved(void)
{
    g_auto(place) p;
    place_init(&p);
    g_auto(fixture) m;
    fixture_init(&m);
    put_folder(p.other, "data");
    g_autofree char *link = in(p.project, "l"), *loop = in(p.project, "loop");
    g_autofree char *through = in(link, "data"), *real = in(p.other, "data");
    g_assert_cmpint(symlink("../project/../other", link), ==, 0);
    g_assert_cmpint(symlink("loop", loop), ==, 0);
    m.wanted->mounts = g_ptr_array_new_with_free_func((GDestroyNotify)settings_mount_free);
    g_ptr_array_add(m.wanted->mounts, settings_mount_new(through, "/x", MODE_RO));
    g_ptr_array_add(m.wanted->mounts, settings_mount_new(loop, "/y", MODE_RO));
    plan_probe_paths(p.facts, &m.box, m.wanted);
    const plan_file *found = plan_facts_file(p.facts, through);
    g_assert_cmpstr(found->real, ==, real);
    g_assert_true(g_strv_contains((const char *const *)found->links, link));
    g_assert_cmpint(plan_facts_file(p.facts, loop)->type, ==, PLAN_TYPE_MISSING);
}

/* Of a box with HOME that has BASE at /home/me, and SOURCE at TARGET. */
static gboolean points_in(place *p, const char *home, const char *base, const char *target,
                          const char *source, GError **error)
{
    g_autofree char *data = in(p->top, "data");
    plan_box box = {.name = "x", .image = "image", .data = data, .home = home};
    json_auto_t *request = json_pack("{s:[{s:s,s:s,s:s},{s:s,s:s,s:s}]}", "mounts", "destination",
                                     "/home/me", "source", base, "type", "bind", "destination",
                                     target, "source", source, "type", "bind");
    plan_prepare_context prepared = {.box = &box, .request = request};
    return plan_prepare_mount_points(&prepared, error);
}

static gboolean points(place *p, const char *target, const char *source, GError **error)
{
    return points_in(p, p->other, p->other, target, source, error);
}

static void mount_points_are_created(void)
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

/* Nothing is created where the links that the box made in its home lead. */
static void planted_links_are_refused(void)
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
    /* as the last part, for a folder and for a file; and a file where a folder should be */
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

/* A box that can write above a mount's source has put a link there after the plan was made. */
static void replaced_sources_are_refused(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *home = in(p.top, "home"), *above = in(p.top, "above");
    g_autofree char *source = in(above, "source"), *below = in(above, "source/inner");
    g_autofree char *inner = in(p.other, "inner");
    g_autoptr(GError) error = NULL;
    put_folder(p.top, "above");
    put_folder(p.other, "inner");
    g_assert_cmpint(symlink(p.other, source), ==, 0);
    g_assert_false(points_in(&p, home, source, "/home/me/cache", p.project, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    g_clear_error(&error);
    g_assert_false(points_in(&p, home, below, "/home/me/cache", p.project, &error));
    g_clear_error(&error);
    g_assert_cmpint(g_rmdir(inner), ==, 0);
    g_assert_cmpint(g_rmdir(p.other), ==, 0);
    put_folder(p.other, ".");
    /* Users have Litterbox's own folders behind links. */
    g_assert_true(points_in(&p, source, source, "/home/me/inner", p.project, NULL));
    g_assert_cmpint(g_rmdir(inner), ==, 0);
}

static void unchanged_files_are_not_written_again(void)
{
    g_auto(place) p;
    place_init(&p);
    g_autofree char *path = in(p.top, "hosts");
    struct stat before, after;
    g_assert_true(plan_write_file(path, "a\n", -1, 0444, NULL));
    g_assert_cmpint(stat(path, &before), ==, 0);
    g_assert_true(plan_write_file(path, "a\n", -1, 0444, NULL));
    g_assert_cmpint(stat(path, &after), ==, 0);
    g_assert_cmpuint(before.st_ino, ==, after.st_ino);
    g_assert_true(plan_write_file(path, "b\n", -1, 0444, NULL));
    g_assert_cmpint(stat(path, &after), ==, 0);
    g_assert_cmpuint(before.st_ino, !=, after.st_ino);
    g_assert_cmpint(after.st_mode & 0777, ==, 0444);
}

/* White space in a name or an address would make another line or another name. */
static void hosts_with_white_space_are_dropped(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->network.mode = NETWORK_OPEN;
    set_list(&m.wanted->network.hosts, "db=10.0.0.1,evil=1.2.3.4\n5.6.7.8 bank");
    set_list(&m.wanted->network.dns, "9.9.9.9,1.1.1.1\nsearch evil");
    g_autofree char *hosts = plan_hosts_content(&m.box, m.wanted);
    g_autofree char *resolv = plan_resolv_content(m.wanted);
    g_assert_nonnull(strstr(hosts, "10.0.0.1\tdb\n"));
    g_assert_null(strstr(hosts, "bank"));
    g_assert_cmpstr(resolv, ==, "nameserver 9.9.9.9\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/probe-git/worktree", worktree_is_accepted);
    g_test_add_func("/plan/probe-git/borrowed", borrowed_objects_are_found);
    g_test_add_func("/plan/probe-git/submodule", submodule_is_accepted);
    g_test_add_func("/plan/probe-git/foreign", foreign_folders_are_refused);
    g_test_add_func("/plan/probe-git/nested-modules", nested_modules_are_found);
    g_test_add_func("/plan/probe-paths/links", links_are_recorded);
    g_test_add_func("/plan/probe-paths/sources", sources_are_resolved);
    g_test_add_func("/plan/prepare/points", mount_points_are_created);
    g_test_add_func("/plan/prepare/planted-links", planted_links_are_refused);
    g_test_add_func("/plan/prepare/replaced-sources", replaced_sources_are_refused);
    g_test_add_func("/plan/prepare/written-once", unchanged_files_are_not_written_again);
    g_test_add_func("/plan/prepare/names", hosts_with_white_space_are_dropped);
    return g_test_run();
}
