/* What counts as an opening, kind by kind; approvals on disk; the question on a terminal. */
#include "config/trust.h"
#include "config/diff.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <pty.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "config/layer.h"

static char *root, *project;

static settings *with(const char *text)
{
    g_autoptr(GError) error = NULL;
    settings *self = layer_merge_project(project, text, &error);
    g_assert_no_error(error);
    return self;
}

/* From FROM to TO opens exactly EXPECTED (lines joined by '|'), and back opens exactly BACK. */
static void assert_opens(const char *from, const char *to, const char *expected, const char *back)
{
    g_autoptr(settings) a = with(from);
    g_autoptr(settings) b = with(to);
    for (int i = 0; i < 2; i++) {
        g_autoptr(GPtrArray) openings = i ? trust_openings(b, a) : trust_openings(a, b);
        g_assert_cmpint(i ? trust_widens(b, a) : trust_widens(a, b), ==, openings->len > 0);
        g_ptr_array_add(openings, NULL);
        g_autofree char *got = g_strjoinv("|", (char **)openings->pdata);
        g_assert_cmpstr(got, ==, i ? back : expected);
    }
}

/* The user's own configuration. */
static void put_user(const char *text)
{
    g_autofree char *path = paths_config("config.toml");
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_true(fs_make_folder(folder, 0700, NULL) && fs_write(path, text, -1, 0600, NULL));
}

#define ASKING                                                                                        \
    "network mode ask: package registries, code forges, what network.allow lists, and any name that " \
    "you allow when it asks"

static void test_choices(void)
{
    assert_opens("network.mode = \"none\"", "network.mode = \"open\"",
                 "network mode open: the internet, your local network and this machine in it", "");
    assert_opens("", "network.mode = \"host\"",
                 "network mode host: every service on this machine's loopback, and its abstract "
                 "sockets",
                 "");
    assert_opens("project.mode = \"ro\"", "project.mode = \"overlay\"",
                 "a throw-away writable view of the project", "");
    assert_opens("project.mode = \"overlay\"", "project.mode = \"rw\"",
                 "write access to the project", "");
    /* Of an overlay nothing reaches the host, and of ro these parts do: also the user's own. */
    assert_opens("project.mode = \"overlay\"\nproject.writable = [\"out\"]",
                 "project.mode = \"ro\"\nproject.writable = [\"out\"]",
                 "write access to 'out' of the project",
                 "a throw-away writable view of the project");
    put_user("[project]\nmode = \"overlay\"\nwritable = [\"out\"]\n");
    assert_opens("", "project.mode = \"ro\"", "write access to 'out' of the project",
                 "a throw-away writable view of the project");
    put_user("");
    assert_opens("project.mode = \"rw\"", "project.mode = \"ro\"\nproject.writable = [\"out\"]",
                 "write access to 'out' of the project", "write access to the project");
    /* The user's clipboard = "both" does nothing until a project asks for an X server. */
    put_user("desktop.clipboard = \"both\"");
    assert_opens("", "desktop.x11 = \"nested\"",
                 "windows of X11 programs, on an X server of the box's own|read and replace your "
                 "clipboard at any time, through a nested X server, and read a picture on it after "
                 "asking",
                 "");
    put_user("");
    assert_opens("", "security.sudo = \"ask\"", "root of the box through sudo, after asking", "");
    assert_opens("security.sudo = \"ask\"", "security.sudo = \"allow\"",
                 "root of the box through sudo, without asking", "");
    /* A project that gets a filtered network gets what the user's audit makes of it. */
    put_user("network.audit = true");
    assert_opens("network.mode = \"none\"", "network.mode = \"filtered\"",
                 "network mode filtered: what network.allow lists|reach every name that no rule "
                 "denies, as your own network.audit is true",
                 "");
    assert_opens("network.mode = \"none\"", "network.mode = \"ask\"",
                 ASKING "|reach every name that no rule denies, as your own network.audit is true",
                 "");
    assert_opens("network.mode = \"filtered\"", "network.mode = \"open\"",
                 "network mode open: the internet, your local network and this machine in it", "");
    put_user("");
    assert_opens("network.mode = \"filtered\"", "network.mode = \"ask\"", ASKING, "");
    assert_opens("network.mode = \"ask\"", "network.mode = \"open\"",
                 "network mode open: the internet, your local network and this machine in it", "");
    assert_opens("network.mode = \"ask\"",
                 "network = { mode = \"ask\", allow = [\"a.example.com\"] }",
                 "reach 'a.example.com' over the network", "");
    /* It asks of itself, unless it is told not to. */
    assert_opens("", "network.ask = true", "", "");
    assert_opens("network.ask = false", "",
                 "ask you whether it may reach names that network.allow "
                 "does not list",
                 "");
    assert_opens("network = { mode = \"filtered\" }",
                 "network = { mode = \"filtered\", ask = true }",
                 "ask you whether it may reach names that network.allow does not list", "");
    assert_opens("network.mode = \"none\"", "network.ask = true", ASKING, "");
    assert_opens("network.mode = \"open\"", "network = { mode = \"filtered\", ask = true }", "",
                 "network mode open: the internet, your local network and this machine in it");
    /* Each opens what the other does not. */
    assert_opens(
        "desktop.clipboard = \"to-box\"", "desktop.clipboard = \"from-box\"",
        "replace your clipboard, through a nested X server",
        "read your clipboard at any time, through a nested X server, and a picture on it after "
        "asking");
    assert_opens(
        "desktop.clipboard = \"to-box\"", "desktop.clipboard = \"both\"",
        "read and replace your clipboard at any time, through a nested X server, and read a "
        "picture on it after asking",
        "");
    assert_opens("", "terminal.clipboard = \"allow\"",
                 "replace your clipboard, without asking, by what it prints to a terminal: a "
                 "command that you paste at a shell is run",
                 "");
}

static void test_booleans(void)
{
    assert_opens("", "terminal.notifications = true",
                 "notifications of your terminal, which do not say that they are a box's", "");
    assert_opens("terminal.links = false", "", "links in your terminal", "");
    /* Rules with methods and paths: less of a host opens nothing. */
    assert_opens("network.allow = [\"a.example.com\"]",
                 "network.allow = [{ host = \"a.example.com\", methods = [\"GET\"] }]", "",
                 "reach 'a.example.com' over the network");
    assert_opens("network.allow = [\"GET a.example.com/x/**\"]",
                 "network.allow = [\"GET a.example.com/x/y\", \"POST a.example.com/x/y\"]",
                 "reach 'POST a.example.com/x/y' over the network",
                 "reach 'GET a.example.com/x/**' over the network");
    assert_opens(
        "network.allow = [\"a.example.com:5432\"]",
        "network.allow = [\"a.example.com:5432\", \"host:5432\"]",
        "reach port 5432 of this machine's loopback interface ('host:5432') over the network", "");
    assert_opens("network.deny = [\"host\"]", "",
                 "reach every port of this machine's loopback interface ('host') over the network, "
                 "where network.allow lists it",
                 "");
    assert_opens("", "network.ping = true", "send pings", "");
    assert_opens("", "security.nested = true",
                 "user namespaces of its own (more of the kernel is exposed)", "");
    assert_opens("security.read_only = true", "", "write access to the system files of the box",
                 "");
}

/* A group is shown with what it stands for; one that is gone opens nothing. */
static void test_groups(void)
{
    g_autofree char *path = paths_config("network/mine.toml");
    g_autofree char *folder = g_path_get_dirname(path);
    const char *group = "network.allow = [\"@mine\"]";
    g_assert_true(fs_make_folder(folder, 0700, NULL));
    g_assert_true(g_file_set_contents(path, "hosts = [\"a.example.com\", \"@apt\"]\n", -1, NULL));
    assert_opens("", group,
                 "reach '@mine' over the network: a.example.com, where apt of its image gets "
                 "packages",
                 "");
    assert_opens("network.deny = [\"@mine\"]", "",
                 "reach '@mine' over the network, where network.allow lists it: a.example.com, "
                 "where apt of its image gets packages",
                 "");
    assert_opens("network.allow = [\"a.example.com\", \"@mine\"]",
                 "network.allow = [\"a.example.com\"]\nnetwork.deny = [\"@mine\"]", "",
                 "reach '@mine' over the network: a.example.com, where apt of its image gets "
                 "packages|"
                 "reach '@mine' over the network, where network.allow lists it: a.example.com, "
                 "where apt of its image gets packages");
    /* What it stands for is no opening where it was approved. */
    assert_opens(group, "network.allow = [\"a.example.com\"]", "",
                 "reach '@mine' over the network: a.example.com, where apt of its image gets "
                 "packages");
    unlink(path);
    assert_opens("", group, "reach '@mine' over the network, a group that is not known here", "");
}

#define HOST_IMAGE "run this machine's own programs (its /usr, read-only), not those of an image"

static void test_differs(void)
{
    assert_opens("", "box.image = \"debian:12\"", "run the image 'debian:12'", HOST_IMAGE);
    assert_opens("box.image = \"a\"", "box.image = \"b\"", "run the image 'b'",
                 "run the image 'a'");
    assert_opens("", "box.containerfile = \"C\"",
                 "build and run the image that 'C' of the project describes", HOST_IMAGE);
    /* An image counts when it is run, not while a Containerfile takes its place. */
    assert_opens("box.image = \"debian:12\"", "box.containerfile = \"C\"",
                 "build and run the image that 'C' of the project describes",
                 "run the image 'debian:12'");
    assert_opens("box.image = \"a\"\nbox.containerfile = \"C\"", "box.image = \"a\"",
                 "run the image 'a'", "build and run the image that 'C' of the project describes");
    assert_opens("box.containerfile = \"C\"", "box.image = \"a\"\nbox.containerfile = \"C\"", "",
                 "");
    assert_opens("", "box.image = \"template:debian\"",
                 "build and run the image of Litterbox's template 'debian'", HOST_IMAGE);
    assert_opens("", "home.setup = \"s.sh\"", "run 's.sh' of the project in every new home", "");
    assert_opens("", "box.name = \"other\"", "use the box, and the private home, named 'other'",
                 "");
    assert_opens("", "security.seccomp = \"unconfined\"",
                 "system calls filtered by 'unconfined' in place of Podman's profile",
                 "Podman's seccomp profile again");
    assert_opens("", "box.idle_stop = \"never\"\nbox.workdir = \"/\"", "", "");
}

static void test_limits(void)
{
    assert_opens("limits.memory = \"1G\"", "limits.memory = \"2G\"", "memory limit: 2 GiB", "");
    assert_opens("limits.memory = \"2G\"", "limits.memory = 0", "memory limit: none", "");
    assert_opens("limits.cpus = 2", "limits.cpus = 2.5", "processor limit: 2.5", "");
    assert_opens("", "limits.pids = 0", "process limit: none", "");
    assert_opens("", "network.connections = 2048", "limit of connections: 2048", "");
    assert_opens("", "network.connections = 10", "", "limit of connections: 1024");
    assert_opens("limits.nofile = 1024", "", "open files limit: Podman's default", "");
}

static void test_entries(void)
{
    assert_opens("", "box.env = { A = \"1\" }", "set the variable 'A=1'", "");
    assert_opens("box.env = { A = \"1\" }", "box.env = { A = \"2\" }", "set the variable 'A=2'",
                 "set the variable 'A=1'");
    assert_opens("box.pass_env = [\"A\"]", "box.pass_env = [\"B\", \"A\"]",
                 "pass on your variable 'B'", "");
    assert_opens("", "devices.list = [\"/dev/kvm\"]", "host device '/dev/kvm'", "");
    assert_opens("", "security.capabilities = [\"CHOWN\"]",
                 "the capability 'CHOWN' for root of the box", "");
    assert_opens("project.hidden = [\".env\", \"x\"]", "project.hidden = [\".env\"]",
                 "see 'x' of the project, which was hidden", "");
    assert_opens("protect.paths = [\".git/hooks\", \".envrc\"]", "protect.paths = [\".envrc\"]",
                 "write '.git/hooks' of the project, which programs on this machine may run", "");
    assert_opens("podman = { a = 1, b = { c = [1] } }", "podman = { a = 1, b = { c = [2] } }",
                 "raw Podman option 'b = {\"c\":[2]}'", "raw Podman option 'b = {\"c\":[1]}'");
    assert_opens("", "network.ports = [80, \"0.0.0.0:53:53/udp\"]",
                 "publish its TCP port 80 on 127.0.0.1 port 80 (this machine alone)|"
                 "publish its UDP port 53 on 0.0.0.0 port 53 (other machines reach it)",
                 "");
}

#define MOUNT(source, more) "[[mount]]\nsource = \"" source "\"\n" more "\n"

static void test_mounts(void)
{
    assert_opens("", MOUNT("/srv/x", ""), "read access to /srv/x", "");
    assert_opens(MOUNT("/srv/x", ""), MOUNT("/srv/x", "mode = \"rw\""),
                 "read and write access to /srv/x", "");
    assert_opens(MOUNT("/srv/x", "target = \"/y\""), MOUNT("/srv/z", "target = \"/y\""),
                 "read access to /srv/z, as /y", "read access to /srv/x, as /y");
    assert_opens("", MOUNT("/", "target = \"/host\""),
                 "read access to /, as /host (this whole machine)", "");
    /* A name that goes on as our own words do. */
    assert_opens("", MOUNT("/srv/x", "target = \"/y, with changes thrown away\"\nmode = \"rw\""),
                 "read and write access to /srv/x, as \"/y, with changes thrown away\"", "");
    assert_opens("", MOUNT("/srv/x", "target = \"/y\\\", with\""),
                 "read access to /srv/x, as \"/y\\x22, with\"", "");
    assert_opens("", MOUNT("~", ""), "read access to ~ (your whole home, keys and all)", "");
    assert_opens("", MOUNT("~/.ssh/keys", ""), "read access to ~/.ssh/keys (your SSH keys)", "");
    assert_opens(
        "", MOUNT("~/.config", "mode = \"overlay\""),
        "read access to ~/.config, with changes thrown away (Litterbox's own configuration)", "");
    assert_opens("", MOUNT("/run/user", "target = \"/u\""),
                 "read access to /run/user, as /u (sockets of this machine's services)", "");
    assert_opens("", "home.share = [\".gitconfig:rw\"]", "read and write access to ~/.gitconfig",
                 "");
}

static void test_foreign_text(void)
{
    g_autoptr(settings) base = with("");
    g_autoptr(settings) wanted = with("box.env = { A = \"x\\n  - nothing\\u202e\\u001b[2J\" }\n"
                                      "[[mount]]\nsource = \"/a\\nb\"\n");
    g_autoptr(GPtrArray) openings = trust_openings(base, wanted);
    g_assert_cmpstr(g_ptr_array_index(openings, 0), ==,
                    "set the variable 'A=x\\n  - nothing\\u{202e}\\x1b[2J'");
    g_assert_cmpstr(g_ptr_array_index(openings, 1), ==, "read access to \"/a\\nb\"");
}

static void put_project(const char *text)
{
    g_autofree char *path = g_build_filename(project, "litterbox.toml", NULL);
    if (text)
        g_assert_true(g_file_set_contents(path, text, -1, NULL));
    else
        g_unlink(path);
}

static void assert_state(trust_state expected, const char *approved)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(trust) state = trust_check(project, &error);
    g_assert_no_error(error);
    g_assert_cmpint(state->state, ==, expected);
    g_assert_cmpstr(state->approved, ==, approved);
}

static char *approval_file(void)
{
    g_autofree char *folder = paths_state("trust");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name = dir ? g_dir_read_name(dir) : NULL;
    return name ? g_build_filename(folder, name, NULL) : NULL;
}

static void test_approvals(void)
{
    g_autoptr(GError) error = NULL;
    struct stat st;
    put_project(NULL);
    assert_state(TRUST_NO_FILE, NULL);
    put_project("# a\n");
    assert_state(TRUST_NEW, NULL);
    g_assert_true(trust_approve(project, "# a\n", &error));
    assert_state(TRUST_APPROVED, "# a\n");
    put_project("# b\n");
    assert_state(TRUST_CHANGED, "# a\n");
    put_project(NULL);
    assert_state(TRUST_GONE, "# a\n");

    g_autofree char *file = approval_file();
    g_assert_cmpint(stat(file, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0600);
    /* Another project's approval, put in this one's place, is none. */
    g_assert_true(g_file_set_contents(file, "# approved for /other\n# b\n", -1, NULL));
    put_project("# b\n");
    assert_state(TRUST_NEW, NULL);
    g_assert_true(g_file_set_contents(file, "", -1, NULL));
    assert_state(TRUST_NEW, NULL);

    g_assert_true(trust_revoke(project, &error));
    g_assert_true(trust_revoke(project, &error));
    assert_state(TRUST_NEW, NULL);
}

static void put_file(const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(project, name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* What one named file says cannot be taken for another file, or for what stands in its place. */
static void test_named_files(void)
{
    static const char text[] = "[box]\ncontainerfile = \"C\"\n[home]\nsetup = \"s.sh\"\n";
    g_autoptr(GError) error = NULL;
    put_project(text);
    put_file("C", "FROM a\n==> s.sh\necho one\n");
    put_file("s.sh", "echo two\n");
    g_assert_true(trust_approve(project, text, &error));
    assert_state(TRUST_APPROVED, text);
    put_file("C", "FROM a\n");
    put_file("s.sh", "echo one\n==> s.sh\necho two\n");
    assert_state(TRUST_CHANGED, text);
    put_file("C", "FROM a\n\\==> s.sh\necho one\n");
    put_file("s.sh", "echo two\n");
    assert_state(TRUST_CHANGED, text);
    put_file("s.sh", "(cannot be read)\n");
    g_assert_true(trust_approve(project, text, &error));
    assert_state(TRUST_APPROVED, text);
    put_file("s.sh", "");
    g_autofree char *path = g_build_filename(project, "s.sh", NULL);
    g_assert_cmpint(g_unlink(path), ==, 0);
    assert_state(TRUST_CHANGED, text);
    g_assert_true(trust_revoke(project, &error));
}

static void test_odd_project_path(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *odd = g_build_filename(root, "a\nb \"c\" é\xff", NULL);
    g_autofree char *file = g_build_filename(odd, "litterbox.toml", NULL);
    g_assert_cmpint(g_mkdir(odd, 0700), ==, 0);
    g_assert_true(g_file_set_contents(file, "# x\n", -1, NULL));
    g_assert_true(trust_approve(odd, "# x\n", &error));
    g_autoptr(trust) state = trust_check(odd, &error);
    g_assert_cmpint(state->state, ==, TRUST_APPROVED);
    g_assert_true(trust_revoke(odd, &error));
}

static void test_describe(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(trust_revoke(project, NULL));
    put_project("[network]\nmode = \"host\"\n");
    g_autoptr(trust) fresh = trust_check(project, &error);
    g_autofree char *first = trust_describe(project, fresh, &error);
    g_autofree char *expected = g_strdup_printf(
        "%s/litterbox.toml is new here.\n"
        "With it, code in the box would get:\n"
        "  - network mode host: every service on this machine's loopback, and its abstract sockets\n",
        project);
    g_assert_cmpstr(first, ==, expected);

    g_assert_true(trust_approve(project, fresh->contents, &error));
    put_project("[network]\nmode = \"host\"\nping = true\n");
    g_autoptr(trust) changed = trust_check(project, &error);
    g_autofree char *second = trust_describe(project, changed, &error);
    g_autofree char *expected_second = g_strdup_printf(
        "%s/litterbox.toml has changed since you trusted it:\n"
        "\n"
        "  [network]\n"
        "  mode = \"host\"\n"
        "+ ping = true\n"
        "\n"
        "With it, code in the box would get:\n"
        "  - network mode host: every service on this machine's loopback, and its abstract sockets\n"
        "  - send pings (new)\n",
        project);
    g_assert_cmpstr(second, ==, expected_second);
}

static void test_too_much_to_read(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new("[box]\npass_env = [");
    for (int i = 0; i < 101; i++)
        g_string_append_printf(text, "\"A%d\",", i);
    g_string_append(text, "]\n");
    put_project(text->str);
    g_autoptr(trust) state = trust_check(project, &error);
    g_autofree char *description = trust_describe(project, state, &error);
    g_assert_null(description);
    g_assert_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED);
}

/* What is passed to Podman as it is may be long, and may not hide in the middle of itself. */
static void test_long_option(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new("[podman]\ndevices = [");
    for (int i = 0; i < 20; i++)
        g_string_append(text, "{ path = \"/dev/null\" }, ");
    g_string_append(text, "{ path = \"/dev/sda\" }");
    for (int i = 0; i < 20; i++)
        g_string_append(text, ", { path = \"/dev/null\" }");
    g_string_append(text, "]\n");
    put_project(text->str);
    g_autoptr(trust) state = trust_check(project, &error);
    g_autofree char *description = trust_describe(project, state, &error);
    g_assert_no_error(error);
    g_assert_nonnull(strstr(description, "/dev/sda"));

    g_autofree char *many = g_strnfill(20000, 'x');
    g_autofree char *longer = g_strdup_printf("[podman]\nhostname = \"%s\"\n", many);
    put_project(longer);
    g_autoptr(trust) second = trust_check(project, &error);
    g_autofree char *none = trust_describe(project, second, &error);
    g_assert_null(none);
    g_assert_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED);
}

static void assert_diff(const char *old, const char *new, guint max, const char *expected)
{
    g_autofree char *diff = diff_lines(old, new, max);
    g_assert_cmpstr(diff, ==, expected);
}

static void test_diff(void)
{
    assert_diff("a\nb\n", "a\nb\n", 9, "");
    assert_diff("", "a\n", 9, "+ a\n");
    assert_diff("1\n2\n3\n4\n5\n", "1\n2\n3\nx\n5\n", 9, "  2\n  3\n- 4\n+ x\n  5\n");
    assert_diff("a\nb\nc\nd\n", "b\nX\nc\nd\n", 9, "- a\n  b\n+ X\n  c\n  d\n");
    assert_diff("a\n", "\033[2Jb\n", 9, "- a\n+ \\x1b[2Jb\n");
    assert_diff("a\nb\nc\n", "x\ny\nz\n", 4, "- a\n- b\n- c\n+ x\n… 2 lines more\n");
    g_autoptr(GString) old = g_string_new(NULL);
    g_autoptr(GString) new = g_string_new(NULL);
    for (int i = 0; i < 20000; i++) {
        g_string_append_printf(old, "a%d\n", i);
        g_string_append_printf(new, "b%d\n", i);
    }
    g_autofree char *diff = diff_lines(old->str, new->str, 3);
    g_assert_cmpstr(diff, ==, "- a0\n- a1\n- a2\n… 39997 lines more\n");
}

/* Answers the question in a pseudo terminal with ANSWER; returns 1 for yes, 0 for no, 2: not asked.
 */
static int ask(const char *answer)
{
    int master, status;
    pid_t child = forkpty(&master, NULL, NULL, NULL);
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        gboolean yes;
        _exit(trust_question("words\n", &yes) ? (yes ? 1 : 0) : 2);
    }
    g_autoptr(GString) shown = g_string_new(NULL);
    char c;
    while (!g_str_has_suffix(shown->str, "[y/N] ") && read(master, &c, 1) == 1)
        g_string_append_c(shown, c);
    g_assert_cmpstr(shown->str, ==, "words\r\nTrust this? [y/N] ");
    g_assert_cmpint(write(master, answer, strlen(answer)), ==, strlen(answer));
    while (read(master, &c, 1) == 1)
        continue;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    close(master);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_question(void)
{
    static const char *const no[] = {
        "\n",  "n\n",    "no\n", "yep\n", "\004",
        "1\n", "true\n", "yy\n", "y y\n", "yesyesyesyesyesyesyesyesyesyes\n"};
    gboolean yes = TRUE;
    g_assert_cmpint(ask("y\n"), ==, 1);
    g_assert_cmpint(ask("YES\n"), ==, 1);
    for (gsize i = 0; i < G_N_ELEMENTS(no); i++)
        g_assert_cmpint(ask(no[i]), ==, 0);
    g_assert_false(trust_question("words\n", &yes)); /* no terminal here */
    g_assert_false(yes);
}

int main(int argc, char **argv)
{
    root = g_dir_make_tmp("litterbox-trust-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", root, TRUE);
    g_autofree char *state = g_build_filename(root, "state", NULL);
    g_setenv("XDG_STATE_HOME", state, TRUE);
    project = g_build_filename(root, "project", NULL);
    g_mkdir(project, 0700);
    setsid();

    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trust/choices", test_choices);
    g_test_add_func("/trust/booleans", test_booleans);
    g_test_add_func("/trust/groups", test_groups);
    g_test_add_func("/trust/differs", test_differs);
    g_test_add_func("/trust/limits", test_limits);
    g_test_add_func("/trust/entries", test_entries);
    g_test_add_func("/trust/mounts", test_mounts);
    g_test_add_func("/trust/foreign-text", test_foreign_text);
    g_test_add_func("/trust/approvals", test_approvals);
    g_test_add_func("/trust/named-files", test_named_files);
    g_test_add_func("/trust/odd-project-path", test_odd_project_path);
    g_test_add_func("/trust/describe", test_describe);
    g_test_add_func("/trust/too-much-to-read", test_too_much_to_read);
    g_test_add_func("/trust/long_option", test_long_option);
    g_test_add_func("/trust/diff", test_diff);
    g_test_add_func("/trust/question", test_question);
    int result = g_test_run();
    fs_remove_tree(root, NULL);
    g_free(root);
    g_free(project);
    return result;
}
