/* Mounts of the project and of other folders, protected paths, and attacks on their rules. */
#include <glib.h>

#include "common/fs.h"
#include "plan_fixture.h"

#define DATA "/home/me/.local/share/litterbox/data/shop"

static void protect_only(fixture *m, const char *list)
{
    set_list(&m->wanted->protect.paths, list);
    set_list(&m->wanted->protect.extra, "");
    g_clear_pointer(&m->wanted->protect.extra, g_strfreev);
}

/* The box cannot rename the parent of a protected path, because each is a mount point. */
static void parents_are_pinned(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, "a/b/c");
    add_project_file(&m, "a", PLAN_TYPE_FOLDER);
    add_project_file(&m, "a/b", PLAN_TYPE_FOLDER);
    add_project_file(&m, "a/b/c", PLAN_TYPE_FILE);
    json_t *request = make_request(&m);

    assert_bind(request, PROJECT "/a", PROJECT "/a", "rw");
    assert_bind(request, PROJECT "/a/b", PROJECT "/a/b", "rw");
    assert_bind(request, PROJECT "/a/b/c", PROJECT "/a/b/c", "ro");
    /* The mount goes away when the host replaces the file; the name stays reserved. */
    g_assert_true(is_reserved(request, PROJECT "/a/b/c"));
    g_assert_false(is_reserved(request, PROJECT "/a/b"));
}

/* Nothing is created on the host. A missing folder above a name is not reserved. */
static void missing_paths_are_reserved(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".envrc,.claude/settings.json,.claude/settings.local.json,.zed/tasks.json");
    add_project_file(&m, ".zed", PLAN_TYPE_FOLDER);
    json_t *request = make_request(&m);

    g_assert_true(is_reserved(request, PROJECT "/litterbox.toml"));
    g_assert_true(is_reserved(request, PROJECT "/.envrc"));
    g_assert_false(is_reserved(request, PROJECT "/.claude"));
    g_assert_true(is_reserved(request, PROJECT "/.claude/settings.json"));
    g_assert_null(mount_at(request, PROJECT "/.claude"));
    assert_bind(request, PROJECT "/.zed", PROJECT "/.zed", "rw");
    g_assert_true(is_reserved(request, PROJECT "/.zed/tasks.json"));
}

static void symlinks_are_refused(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".vscode");
    add_project_file(&m, ".vscode", PLAN_TYPE_LINK);
    assert_refused(&m, "symbolic link");
    protect_only(&m, ".claude/settings.json");
    add_project_file(&m, ".claude", PLAN_TYPE_LINK);
    add_project_file(&m, ".claude/settings.json", PLAN_TYPE_LINK);
    assert_refused(&m, "symbolic link");
    protect_only(&m, "pipe");
    add_project_file(&m, "pipe", PLAN_TYPE_OTHER);
    assert_refused(&m, "neither a file nor a folder");
    protect_only(&m, "../other");
    assert_refused(&m, "not a path below the project");
    protect_only(&m, "/etc/passwd");
    assert_refused(&m, "not a path below the project");
    protect_only(&m, ".");
    assert_refused(&m, "not a path below the project");
}

static void hard_links_are_warned_about(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".envrc");
    add_project_file(&m, ".envrc", PLAN_TYPE_FILE)->hard_links = 2;
    make_request(&m);
    g_assert_true(has_warning(&m, "hard link"));
}

/* A path below a protected folder needs no mount. */
static void inner_paths_are_covered(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".vscode,.vscode/tasks.json,.vscode");
    add_project_file(&m, ".vscode", PLAN_TYPE_FOLDER);
    json_t *request = make_request(&m);
    assert_bind(request, PROJECT "/.vscode", PROJECT "/.vscode", "ro");
    g_assert_null(mount_at(request, PROJECT "/.vscode/tasks.json"));
}

static void git_folder(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".git/hooks,.git/config");
    add_project_file(&m, ".git", PLAN_TYPE_FOLDER);
    add_project_file(&m, ".git/hooks", PLAN_TYPE_FOLDER);
    add_project_file(&m, ".git/config", PLAN_TYPE_FILE);
    add_project_file(&m, ".git/modules", PLAN_TYPE_FOLDER);
    add_project_file(&m, ".git/modules/lib", PLAN_TYPE_FOLDER);
    add_project_file(&m, ".git/modules/lib/config", PLAN_TYPE_FILE);
    add_project_file(&m, ".git/worktrees", PLAN_TYPE_FOLDER);
    add_project_file(&m, ".git/worktrees/x", PLAN_TYPE_FOLDER);
    add_project_file(&m, ".git/worktrees/x/commondir", PLAN_TYPE_FILE);
    add_project_file(&m, ".git/worktrees/x/gitdir", PLAN_TYPE_FILE);
    add_project_file(&m, ".git/worktrees/rest", PLAN_TYPE_FOLDER);
    m.facts->git.folder = g_strdup(PROJECT "/.git");
    set_list(&m.facts->git.modules, "modules/lib");
    set_list(&m.facts->git.worktrees, "worktrees/rest,worktrees/x");
    json_t *request = make_request(&m);

    assert_bind(request, PROJECT "/.git", PROJECT "/.git", "rw");
    /* The guard keeps configurations (guest/guard/git_config.h). */
    g_assert_null(mount_at(request, PROJECT "/.git/config"));
    g_assert_false(is_reserved(request, PROJECT "/.git/config"));
    g_assert_true(is_reserved(request, PROJECT "/.git/commondir"));
    g_assert_null(mount_at(request, PROJECT "/.git/modules/lib/config"));
    g_assert_true(is_reserved(request, PROJECT "/.git/modules/lib/hooks"));
    assert_bind(request, PROJECT "/.git/worktrees/x", PROJECT "/.git/worktrees/x", "rw");
    assert_bind(request, PROJECT "/.git/worktrees/rest", PROJECT "/.git/worktrees/rest", "ro");
    assert_bind(request, PROJECT "/.git/worktrees/x/commondir",
                PROJECT "/.git/worktrees/x/commondir", "ro");
    g_assert_false(is_reserved(request, PROJECT "/.git/config.worktree"));
    m.wanted->security.nested = TRUE; /* a box that may mount gets by the guard */
    request = make_request(&m);
    assert_bind(request, PROJECT "/.git/config", PROJECT "/.git/config", "ro");
    g_assert_true(is_reserved(request, PROJECT "/.git/config.worktree"));
}

/* Without a repository the box must not be able to create one with hooks that the host would run.
 */
static void missing_git(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".git,.git/hooks,.git/config");
    json_t *request = make_request(&m);
    g_assert_true(is_reserved(request, PROJECT "/.git"));
    g_assert_null(mount_at(request, PROJECT "/.git/hooks"));
    g_assert_null(mount_at(request, PROJECT "/.git/commondir"));
    /* The same when the list names only a path in .git. */
    protect_only(&m, ".git/hooks,.git/config");
    request = make_request(&m);
    g_assert_true(is_reserved(request, PROJECT "/.git"));
    g_assert_null(mount_at(request, PROJECT "/.git/hooks"));
}

static void worktree(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".git/hooks,.git/config");
    add_project_file(&m, ".git", PLAN_TYPE_FILE);
    m.facts->git.folder = g_strdup("/home/me/main/.git");
    m.facts->git.outside = TRUE;
    set_list(&m.facts->git.worktrees, "worktrees/other,worktrees/shop");
    static const char *const there[] = {"hooks", "worktrees", "worktrees/other", "worktrees/shop"};
    for (gsize i = 0; i < G_N_ELEMENTS(there); i++) {
        g_autofree char *path = g_build_filename(m.facts->git.folder, there[i], NULL);
        plan_facts_add_file(m.facts, path, PLAN_TYPE_FOLDER, NULL);
    }
    plan_facts_add_file(m.facts, "/home/me/main/.git/config", PLAN_TYPE_FILE, NULL);
    plan_facts_add_file(m.facts, "/home/me/main/.git/worktrees/shop/commondir", PLAN_TYPE_FILE,
                        NULL);
    plan_facts_add_file(m.facts, "/home/me/main/.git/worktrees/shop/gitdir", PLAN_TYPE_FILE, NULL);
    plan_facts_add_file(m.facts, "/home/me/main/.git/worktrees/other/commondir", PLAN_TYPE_FILE,
                        NULL);
    plan_facts_add_file(m.facts, "/home/me/main/.git/worktrees/other/gitdir", PLAN_TYPE_FILE, NULL);
    json_t *request = make_request(&m);

    assert_bind(request, PROJECT "/.git", PROJECT "/.git", "ro");
    assert_bind(request, "/home/me/main/.git", "/home/me/main/.git", "rw");
    g_assert_null(mount_at(request, "/home/me/main/.git/config"));
    assert_bind(request, "/home/me/main/.git/hooks", "/home/me/main/.git/hooks", "ro");
    assert_bind(request, "/home/me/main/.git/worktrees/other/commondir",
                "/home/me/main/.git/worktrees/other/commondir", "ro");
    assert_bind(request, "/home/me/main/.git/worktrees/shop", "/home/me/main/.git/worktrees/shop",
                "rw");
    assert_bind(request, "/home/me/main/.git/worktrees/shop/commondir",
                "/home/me/main/.git/worktrees/shop/commondir", "ro");
    g_assert_true(is_reserved(request, "/home/me/main/.git/commondir"));
}

/* A .git file that names Podman's storage, or a folder that was not accepted. */
static void hostile_git_file(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".git/config");
    add_project_file(&m, ".git", PLAN_TYPE_FILE);
    m.facts->git.outside = TRUE;
    m.facts->git.distrusted = g_strdup("names '/home/me/\x1b[2Jother'");
    json_t *request = make_request(&m);
    assert_bind(request, PROJECT "/.git", PROJECT "/.git", "ro");
    g_assert_true(has_warning(&m, "git does not work"));
    g_assert_false(has_warning(&m, "\x1b"));

    g_clear_pointer(&m.facts->git.distrusted, g_free);
    m.facts->git.folder = g_strdup("/home/me/.local/share/litterbox/homes/x/.git");
    request = make_request(&m);
    g_assert_null(mount_at(request, m.facts->git.folder));
    g_assert_true(has_warning(&m, "git does not work"));
}

static void read_only_project(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, "out/.envrc,.vscode");
    m.wanted->project.mode = MODE_RO;
    set_list(&m.wanted->project.writable, "out");
    add_project_file(&m, "out", PLAN_TYPE_FOLDER);
    json_t *request = make_request(&m);
    assert_bind(request, PROJECT, PROJECT, "ro");
    assert_bind(request, PROJECT "/out", PROJECT "/out", "rw");
    g_assert_true(is_reserved(request, PROJECT "/out/.envrc"));
    g_assert_null(mount_at(request, PROJECT "/.vscode"));
    g_assert_null(mount_at(request, PROJECT "/litterbox.toml"));
    set_list(&m.wanted->project.writable, "link");
    add_project_file(&m, "link", PLAN_TYPE_LINK);
    assert_refused(&m, "symbolic link");
}

/* Podman would name the lower folder by a path, which another box may replace: it mounts none. */
static void assert_overlay(fixture *m, const char *target, const char *source)
{
    json_t *request = make_request(m);
    g_autofree char *name = plan_overlay_name(target);
    g_autofree char *changes = g_build_filename(DATA, name, NULL);
    g_autofree char *at = g_build_filename(PLAN_ROOT, name, NULL);
    assert_bind(request, target, source, "ro");
    assert_bind(request, at, changes, "rw");
    g_assert_null(json_object_get(request, "overlay_volumes"));
}

static void overlay_project(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->project.mode = MODE_OVERLAY;
    assert_overlay(&m, PROJECT, PROJECT);
    g_assert_false(is_reserved(make_request(&m), PROJECT "/litterbox.toml"));
}

/* A branch never gets the project but read-only, whatever the settings say, and needs no guard. */
static void branch_project(void)
{
    static const enum mount_mode modes[] = {MODE_RW, MODE_RO, MODE_OVERLAY};
    g_auto(fixture) m;
    fixture_init(&m);
    m.box.is_branch = TRUE;
    protect_only(&m, ".envrc,.git/hooks");
    set_list(&m.wanted->project.hidden, ".env");
    set_list(&m.wanted->project.writable, "out");
    add_project_file(&m, ".env", PLAN_TYPE_FILE);
    add_project_file(&m, "out", PLAN_TYPE_FOLDER);
    m.facts->git.folder = g_strdup("/home/me/main/.git");
    m.facts->git.outside = TRUE;
    for (gsize i = 0; i < G_N_ELEMENTS(modes); i++) {
        m.wanted->project.mode = modes[i];
        json_t *request = make_request(&m);
        assert_bind(request, PROJECT, PROJECT, "ro");
        assert_bind(request, PLAN_LAYERS, DATA "/layers", "rw");
        assert_bind(request, "/home/me/main/.git", "/home/me/main/.git", "ro");
        g_assert_null(mount_at(request, PROJECT "/out"));
        g_assert_null(mount_at(request, PROJECT "/.env"));
        g_assert_false(is_reserved(request, PROJECT "/.envrc"));
        assert_bind(request, "/home/me", m.box.home, "rw");
    }
    g_assert_cmpstr(m.plan->layers[PLAN_LAYER_PROJECT], ==, PROJECT);
    g_assert_cmpstr(m.plan->layers[PLAN_LAYER_GIT], ==, "/home/me/main/.git");
    g_assert_null(m.plan->layers[PLAN_LAYER_HOME]);
    m.box.copies_home = TRUE;
    assert_bind(make_request(&m), "/home/me", m.box.home, "ro");
    g_assert_cmpstr(m.plan->layers[PLAN_LAYER_HOME], ==, "/home/me");
}

static void hidden_paths(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    protect_only(&m, ".env,.git/hooks");
    set_list(&m.wanted->project.hidden, ".env,.git,missing");
    add_project_file(&m, ".env", PLAN_TYPE_FILE);
    add_project_file(&m, ".git", PLAN_TYPE_FOLDER);
    add_project_file(&m, ".git/hooks", PLAN_TYPE_FOLDER);
    json_t *request = make_request(&m);
    assert_bind(request, PROJECT "/.env", DATA "/empty/hidden-file", "ro");
    assert_bind(request, PROJECT "/.git", DATA "/empty/hidden-folder", "ro");
    g_assert_null(mount_at(request, PROJECT "/.git/hooks"));
    g_assert_null(mount_at(request, PROJECT "/missing"));
    add_project_file(&m, ".env", PLAN_TYPE_LINK);
    assert_refused(&m, "symbolic link");
}

static void only_some_files(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    const char *only[] = {"src/a.c", ".envrc", "sub", NULL};
    protect_only(&m, ".envrc,sub/.git");
    m.box.only = only;
    add_project_file(&m, "src/a.c", PLAN_TYPE_FILE);
    add_project_file(&m, ".envrc", PLAN_TYPE_FILE);
    add_project_file(&m, "sub", PLAN_TYPE_FOLDER);
    json_t *request = make_request(&m);
    g_assert_cmpstr(text(mount_at(request, PROJECT), "type"), ==, "tmpfs");
    assert_bind(request, PROJECT "/src/a.c", PROJECT "/src/a.c", "rw");
    assert_bind(request, PROJECT "/.envrc", PROJECT "/.envrc", "ro");
    assert_bind(request, PROJECT "/sub", PROJECT "/sub", "ro");
    set_list(&m.wanted->project.hidden, "src");
    assert_refused(&m, "project.hidden");
    const char *bad[] = {"../x", NULL};
    m.box.only = bad;
    assert_refused(&m, "not a path below");
}

/* Of what is shown alone, no part may be written that is protected in the whole project. */
static void only_some_files_protected(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    const char *only[] = {"lib", "setup.sh", "docker", "tools", "dep/.git", "dep/.git/hooks", NULL};
    static const char *const named[] = {"tools/hooks", NULL};
    m.box.only = only;
    m.wanted->home.setup = g_strdup("setup.sh");
    m.wanted->box.containerfile = g_strdup("docker/Containerfile");
    m.facts->git.named = g_strdupv((char **)named);
    for (const char *const *path = only; *path; path++)
        add_project_file(&m, *path,
                         strcmp(*path, "setup.sh") == 0 ? PLAN_TYPE_FILE : PLAN_TYPE_FOLDER);
    json_t *request = make_request(&m);
    assert_bind(request, PROJECT "/lib", PROJECT "/lib", "rw");
    for (const char *const *path = only + 1; *path; path++) {
        g_autofree char *at = g_build_filename(PROJECT, *path, NULL);
        assert_bind(request, at, at, "ro");
    }
    /* And git gets nothing to run from a repository that the box makes there. */
    json_t *command = json_object_get(request, "command");
    g_assert_true(in_list(command, "--git-folder"));
    g_assert_true(in_list(command, PROJECT "/lib"));
}

static void bad_projects(void)
{
    static const char *const bad[] = {"/",
                                      "/usr",
                                      "/etc",
                                      "/etc/x",
                                      "/home",
                                      "/home/me",
                                      "/tmp",
                                      "/var",
                                      "/proc/1",
                                      "/dev/shm/x",
                                      "/sys",
                                      PLAN_RUN "/x",
                                      "relative",
                                      "/home/me/../you",
                                      "/srv/x/",
                                      "/home/me/.local/share/litterbox/homes/shop",
                                      "/home/me/.local/share",
                                      "/run/user/1000/x"};
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_auto(fixture) m;
        fixture_init(&m);
        m.box.project = bad[i];
        assert_refused(&m, "project: '");
    }
}

static void add_mount(fixture *m, const char *source, const char *target, enum mount_mode mode)
{
    if (!m->wanted->mounts)
        m->wanted->mounts = g_ptr_array_new_with_free_func((GDestroyNotify)settings_mount_free);
    g_ptr_array_set_size(m->wanted->mounts, 0);
    g_ptr_array_add(m->wanted->mounts, settings_mount_new(source, target, mode));
}

static void borrowed_objects(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.facts->git.folder = g_strdup(PROJECT "/.git");
    set_list(&m.facts->git.borrowed, "/home/me/other/.git/objects");
    plan_facts_add_file(m.facts, "/srv/data", PLAN_TYPE_FOLDER, "/srv/data");
    plan_facts_add_file(m.facts, "/home/me/other/.git", PLAN_TYPE_FOLDER, "/home/me/other/.git");
    make_request(&m);
    g_assert_true(has_warning(&m, "borrows them from '/home/me/other/.git/objects'"));
    /* Another folder at that path is not it. */
    add_mount(&m, "/srv/data", "/home/me/other/.git/objects", MODE_RO);
    make_request(&m);
    g_assert_true(has_warning(&m, "borrows"));
    add_mount(&m, "/home/me/other/.git", "/home/me/other/.git", MODE_RO);
    make_request(&m);
    g_assert_false(has_warning(&m, "borrows"));
}

static void mounts(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_facts_add_file(m.facts, "/srv/data", PLAN_TYPE_FOLDER, "/srv/data");
    plan_facts_add_file(m.facts, "/home/me/.npmrc", PLAN_TYPE_FILE, "/home/me/dots/npmrc");
    add_mount(&m, "/srv/data", "/data", MODE_RW);
    assert_bind(make_request(&m), "/data", "/srv/data", "rw");
    add_mount(&m, "~/.npmrc", "/home/me/.npmrc", MODE_RO);
    assert_bind(make_request(&m), "/home/me/.npmrc", "/home/me/dots/npmrc", "ro");
    add_mount(&m, "/srv/data", "/data", MODE_OVERLAY);
    assert_overlay(&m, "/data", "/srv/data");
    add_mount(&m, "~/.npmrc", "/home/me/.npmrc", MODE_OVERLAY);
    assert_refused(&m, "is a file");
    add_mount(&m, "/srv/none", "/data", MODE_RO);
    assert_refused(&m, "does not exist");
    add_mount(&m, "/srv/../data", "/data", MODE_RO);
    assert_refused(&m, "without '..'");
}

static void bad_mount_targets(void)
{
    static const char *const bad[] = {"/",
                                      "/run/litterbox",
                                      "/run/litterbox/root/init",
                                      "/run//litterbox/./root",
                                      "/run",
                                      "/proc/self",
                                      "/sys/fs",
                                      "/dev/shm",
                                      "/home",
                                      "/home/me",
                                      PROJECT,
                                      "/home/me/src",
                                      PROJECT "/litterbox.toml",
                                      PROJECT "/litterbox.toml/x",
                                      "/tmp"};
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_auto(fixture) m;
        fixture_init(&m);
        plan_facts_add_file(m.facts, "/srv/data", PLAN_TYPE_FOLDER, "/srv/data");
        add_mount(&m, "/srv/data", bad[i], MODE_RO);
        assert_refused(&m, "'");
    }
}

static void bad_mount_sources(void)
{
    static const char *const bad[] = {"/",           "/home",
                                      "/home/me",    "/home/me/.local",
                                      "/run",        "/run/user/1000/bus",
                                      "/tmp",        "/tmp/ssh-x",
                                      "/proc/1",     "/dev/sda",
                                      "/run/dbus",   "/home/me/.local/share/containers/storage",
                                      "/sys/kernel", "/home/me/.config/litterbox"};
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_auto(fixture) m;
        fixture_init(&m);
        plan_facts_add_file(m.facts, "/srv/link", PLAN_TYPE_FOLDER, bad[i]);
        add_mount(&m, "/srv/link", "/data", MODE_RO);
        assert_refused(&m, "mount: '");
    }
}

/* Links that a box could have made: in a project, in its home, or in a folder shared read-write. */
static void planted_links(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_file *path =
        plan_facts_add_file(m.facts, PROJECT "/data", PLAN_TYPE_FOLDER, "/home/me/.ssh");
    set_list(&path->links, PROJECT "/data");
    add_mount(&m, PROJECT "/data", "/data", MODE_RO);
    assert_refused(&m, "symbolic link that a box could have made");

    path = plan_facts_add_file(m.facts, "/home/me/.local/share/litterbox/boxes/other/home/data",
                               PLAN_TYPE_FOLDER, "/home/me/.ssh");
    set_list(&path->links, "/home/me/.local/share/litterbox/boxes/other/home/data");
    add_mount(&m, "/home/me/.local/share/litterbox/boxes/other/home/data", "/data", MODE_RO);
    assert_refused(&m, "symbolic link that a box could have made");

    plan_facts_add_file(m.facts, "/srv/shared", PLAN_TYPE_FOLDER, "/mnt/disk/shared");
    path = plan_facts_add_file(m.facts, "/srv/shared/x", PLAN_TYPE_FOLDER, "/home/me/.ssh");
    set_list(&path->links, "/srv/shared,/mnt/disk/shared/x");
    add_mount(&m, "/srv/shared/x", "/data", MODE_RO);
    make_request(&m);
    g_ptr_array_add(m.wanted->mounts, settings_mount_new("/srv/shared", "/s", MODE_RW));
    assert_refused(&m, "symbolic link that a box could have made");
}

static void links_of_another_user(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_file *path = plan_facts_add_file(m.facts, "/srv/link", PLAN_TYPE_FOLDER, "/home/me/.ssh");
    set_list(&path->links, "/srv/link");
    path->foreign_link = g_strdup("/srv/link");
    add_mount(&m, "/srv/link", "/data", MODE_RO);
    assert_refused(&m, "'/srv/link' is a symbolic link of another user");
}

/* A second mount of the project's files would be without their protection. */
static void overlaps(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_facts_add_file(m.facts, "/home/me/src", PLAN_TYPE_FOLDER, "/home/me/src");
    plan_facts_add_file(m.facts, PROJECT "/.git", PLAN_TYPE_FOLDER, PROJECT "/.git");
    add_mount(&m, "/home/me/src", "/mnt/src", MODE_RW);
    assert_refused(&m, "overlaps with the project");
    add_mount(&m, PROJECT "/.git", "/mnt/git", MODE_RW);
    assert_refused(&m, "overlaps with the project");
    add_mount(&m, "/home/me/src", "/mnt/src", MODE_RO);
    assert_bind(make_request(&m), "/mnt/src", "/home/me/src", "ro");
    set_list(&m.wanted->project.hidden, ".env");
    assert_refused(&m, "hidden");
}

static void one_mount_per_target(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_facts_add_file(m.facts, "/srv/data", PLAN_TYPE_FOLDER, "/srv/data");
    add_mount(&m, "/srv/data", "/usr/share", MODE_RO);
    make_request(&m);
    g_ptr_array_add(m.wanted->mounts, settings_mount_new("/srv/data", "/usr//share/", MODE_RW));
    assert_refused(&m, "cannot both be mounted at");
}

static void invalid_utf8_is_refused(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    plan_facts_add_file(m.facts, "/srv/data", PLAN_TYPE_FOLDER, "/srv/\xff");
    add_mount(&m, "/srv/data", "/data", MODE_RO);
    assert_refused(&m, "not valid UTF-8");
    m.box.project = "/srv/\xff";
    assert_refused(&m, "not valid UTF-8");
}

static void clean_paths(void)
{
    static const struct {
        const char *given, *absolute, *relative;
    } rows[] = {
        {"/a//b/./c/", "/a/b/c", NULL},
        {"/", "/", NULL},
        {"//.", "/", NULL},
        {"/a/../b", NULL, NULL},
        {"a/b", NULL, "a/b"},
        {"./a/", NULL, "a"},
        {"..", NULL, NULL},
        {"a/..", NULL, NULL},
        {"", NULL, NULL},
        {"/...", "/...", NULL},
        {"...", NULL, "..."},
        {"/.a/..b", "/.a/..b", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *absolute = plan_clean_path(rows[i].given);
        g_autofree char *relative = plan_clean_relative(rows[i].given);
        g_assert_cmpstr(absolute, ==, rows[i].absolute);
        g_assert_cmpstr(relative, ==, rows[i].relative);
    }
    g_assert_true(fs_is_below("/a/b", "/a"));
    g_assert_true(fs_is_below("/a", "/a"));
    g_assert_true(fs_is_below("/a", "/"));
    g_assert_false(fs_is_below("/ab", "/a"));
    g_assert_false(fs_is_below("/a", "/a/b"));
}

#define TOOLS "/home/me/.local/share/litterbox/tools/shared"

/* Boxes see the shared programs read-only; a container of before does without, and may be kept. */
static void shared_programs(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    g_autofree char *before = plan_access_hash(make_request(&m), PROJECT);
    m.box.tools = TOOLS;
    json_t *request = make_request(&m);
    assert_bind(request, PLAN_TOOLS, TOOLS, "ro");
    g_autofree char *after = plan_access_hash(request, PROJECT);
    g_assert_cmpstr(before, ==, after);
    json_t *options = json_object_get(mount_at(request, PLAN_TOOLS), "options");
    json_array_set_new(options, 0, json_string("rw"));
    g_autofree char *writable = plan_access_hash(request, PROJECT);
    g_assert_cmpstr(before, !=, writable);
}

/* What installs one has its new folder alone, in which the guard holds what it holds in projects.
 */
static void installation(void)
{
    static const char *const none[] = {NULL};
    g_auto(fixture) m;
    fixture_init(&m);
    m.box.only = none;
    m.box.tools = TOOLS "/../work/robot.1";
    m.box.installs = PLAN_TOOLS "/robot/1";
    json_t *request = make_request(&m);
    assert_bind(request, m.box.installs, m.box.tools, "rw");
    g_assert_null(mount_at(request, PLAN_TOOLS));
    g_assert_null(mount_at(request, PLAN_SSH));
    g_assert_true(has_argument(request, "--git-folder", m.box.installs));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/protect/parents-are-pinned", parents_are_pinned);
    g_test_add_func("/plan/protect/missing-paths-are-reserved", missing_paths_are_reserved);
    g_test_add_func("/plan/protect/symlinks-are-refused", symlinks_are_refused);
    g_test_add_func("/plan/protect/hard-links-are-warned-about", hard_links_are_warned_about);
    g_test_add_func("/plan/protect/inner-paths-are-covered", inner_paths_are_covered);
    g_test_add_func("/plan/git/folder", git_folder);
    g_test_add_func("/plan/git/missing", missing_git);
    g_test_add_func("/plan/git/worktree", worktree);
    g_test_add_func("/plan/git/hostile-file", hostile_git_file);
    g_test_add_func("/plan/project/read-only", read_only_project);
    g_test_add_func("/plan/project/overlay", overlay_project);
    g_test_add_func("/plan/project/branch", branch_project);
    g_test_add_func("/plan/project/hidden", hidden_paths);
    g_test_add_func("/plan/project/only", only_some_files);
    g_test_add_func("/plan/project/only-protected", only_some_files_protected);
    g_test_add_func("/plan/project/bad", bad_projects);
    g_test_add_func("/plan/mounts/good", mounts);
    g_test_add_func("/plan/borrowed", borrowed_objects);
    g_test_add_func("/plan/mounts/bad-targets", bad_mount_targets);
    g_test_add_func("/plan/mounts/bad-sources", bad_mount_sources);
    g_test_add_func("/plan/mounts/planted-links", planted_links);
    g_test_add_func("/plan/mounts/links-of-another-user", links_of_another_user);
    g_test_add_func("/plan/mounts/overlaps", overlaps);
    g_test_add_func("/plan/mounts/one-per-target", one_mount_per_target);
    g_test_add_func("/plan/mounts/utf8", invalid_utf8_is_refused);
    g_test_add_func("/plan/tools/shared", shared_programs);
    g_test_add_func("/plan/tools/installation", installation);
    g_test_add_func("/plan/paths/clean", clean_paths);
    return g_test_run();
}
