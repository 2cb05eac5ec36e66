#include "config/schema.h"

#include <string.h>

#include "common/text.h"
#include "config/check.h"
#include "config/default_protect_paths.h"
#include "proto/network_rules.h"

#define FIELD(member) .offset = G_STRUCT_OFFSET(settings, member)
#define MIB (1024.0 * 1024)
/* Largest number of any limit: exact as a double, and far beyond any machine. */
#define HUGE_NUMBER (1024.0 * 1024 * MIB * 64)

const schema_mount_key schema_mount_keys[N_MOUNT_KEYS] = {
    [MOUNT_SOURCE] = {"source", "\"~/data\"", "on the host: absolute, or '~/' for your home"},
    [MOUNT_TARGET] = {"target", "\"\"", "inside the box; \"\": where it is on the host"},
    [MOUNT_MODE] = {"mode", "\"ro\"",
                    "ro, rw, or overlay (writable in the box, changes thrown away)"},
};

const schema_key schema_keys[] = {
    {"box", "name", SCHEMA_STRING, FIELD(box.name), "\"\"",
     "name of the box and of its home; \"\": the name of the project's folder", WIDEN_DIFFERS,
     "use the box, and the private home, named %s", .check = check_name, .project_only = TRUE},
    {"box", "image", SCHEMA_STRING, FIELD(box.image), "\"host\"",
     "\"host\" (this machine's /usr, read-only: nothing to download), \"template:NAME\", or any "
     "image",
     WIDEN_IMAGE, "run the image %s", .check = check_image},
    {"box", "containerfile", SCHEMA_STRING, FIELD(box.containerfile), "\"\"",
     "build the image from this file of the project; \"\": use the image above", WIDEN_DIFFERS,
     "build and run the image that %s of the project describes", .check = check_containerfile},
    {"box", "packages", SCHEMA_LIST, FIELD(box.packages), "[]",
     "packages to add to the image (not \"host\") with its own package manager; none by default",
     WIDEN_MORE, "install the package %s in its image, whose scripts run as root of a container",
     .check = check_package},
    {"box", "shell", SCHEMA_STRING, FIELD(box.shell), "\"\"",
     "absolute path in the box; \"\": your login shell if the box has it", WIDEN_DIFFERS,
     "start %s as the shell", .check = check_absolute},
    {"box", "env", SCHEMA_MAP, FIELD(box.env), "{}", "variables to set in the box; none by default",
     WIDEN_MORE, "set the variable %s", .check = check_env_value, .check_key = check_env_name},
    {"box", "path", SCHEMA_LIST, FIELD(box.path), "[]",
     "folders in the box to put in front of PATH, absolute or '~/'; none: the image's PATH",
     WIDEN_MORE, "find programs in %s first", .check = check_search_folder},
    {"box", "pass_env", SCHEMA_LIST, FIELD(box.pass_env), "[]",
     "your variables to pass on, NAME or PREFIX*; none, because variables hold tokens", WIDEN_MORE,
     "pass on your variable %s", .check = check_env_pattern, .reaches = REACHES_CLIENT},
    {"box", "idle_stop", SCHEMA_DURATION, FIELD(box.idle_stop), "\"10m\"",
     "time from the last session until the box stops; also \"never\", or 0 (at once)", WIDEN_NEVER,
     .most = 366 * 86400.0, .zero = "at once", .least = 1, .reaches = REACHES_INIT},
    {"box", "keep_alive", SCHEMA_ENUM, FIELD(box.keep_alive), "\"processes\"",
     "programs left running (tmux, nohup, a server) hold up idle_stop; \"sessions\": they do not",
     WIDEN_NEVER, .choices = keep_alive_choices, .reaches = REACHES_INIT},
    {"box", "workdir", SCHEMA_STRING, FIELD(box.workdir), "\"\"",
     "absolute path of the folder to start in; \"\": the same folder as on the host", WIDEN_NEVER,
     .check = check_absolute, .reaches = REACHES_CLIENT},

    {"home", "share", SCHEMA_SHARES, FIELD(home.share), "[]",
     "parts of your home to share, \"path[:ro|rw]\"; none: the box has a private home", WIDEN_MORE},
    {"home", "share_toolchains", SCHEMA_BOOL, FIELD(home.share_toolchains), "false",
     "share your cargo, rustup, nvm, uv … read-only, without credentials; off: few boxes need them",
     WIDEN_TRUE, "read access to the toolchains in your home (cargo, nvm, uv …)"},
    {"home", "dotfiles", SCHEMA_STRING, FIELD(home.dotfiles), "\"\"",
     "your folder or repository whose files a new home gets; \"\": those of the box's /etc/skel",
     WIDEN_NEVER, .check = check_dotfiles, .user_only = TRUE, .reaches = REACHES_CLIENT},
    {"home", "dotfiles_script", SCHEMA_STRING, FIELD(home.dotfiles_script), "\"\"",
     "script in dotfiles to run in a new home, in ~/.dotfiles; \"\": the files are copied",
     WIDEN_NEVER, .check = check_relative, .user_only = TRUE, .reaches = REACHES_CLIENT},
    {"home", "setup", SCHEMA_STRING, FIELD(home.setup), "\"\"",
     "script of the project to run once in a new home; \"\": none", WIDEN_DIFFERS,
     "run %s of the project in every new home", .check = check_relative, .reaches = REACHES_CLIENT},

    {"project", "mode", SCHEMA_ENUM, FIELD(project.mode), "\"rw\"",
     "rw, ro, or overlay (writable in the box, changes thrown away); rw: it is where you work",
     WIDEN_CHOICE, .choices = mount_mode_choices},
    {"project", "writable", SCHEMA_LIST, FIELD(project.writable), "[]",
     "parts that stay writable when mode is ro", WIDEN_PARTS, "write access to %s of the project",
     .check = check_relative},
    {"project", "hidden", SCHEMA_LIST, FIELD(project.hidden), "[]",
     "parts that the box cannot see, such as \".env\"", WIDEN_FEWER,
     "see %s of the project, which was hidden", .check = check_relative, .reaches = REACHES_CLIENT},

    {"mount", NULL, SCHEMA_MOUNTS, FIELD(mounts), "[]",
     "more files of the host, one [[mount]] each; none: the box sees only the project", WIDEN_MORE},

    {"snapshot", "keep", SCHEMA_INT, FIELD(snapshot.keep), "10",
     "snapshots that \"box agent run\" and \"box branch take\" make first, and restore; 0: none",
     WIDEN_NEVER, .least = 1, .most = 10000, .zero = "none", .user_only = TRUE},
    {"snapshot", "keep_for", SCHEMA_DURATION, FIELD(snapshot.keep_for), "\"30d\"",
     "time after which such ones go; those of \"box snapshot create\" stay", WIDEN_NEVER,
     .least = 3600, .most = 3660 * 86400.0, .user_only = TRUE},

    {"protect", "paths", SCHEMA_LIST, FIELD(protect.paths), PROTECT_TOML,
     "read-only in the box, because programs on the host run or obey these files by themselves",
     WIDEN_FEWER, "write %s of the project, which programs on this machine may run",
     .check = check_relative, .reaches = REACHES_CLIENT},
    {"protect", "extra", SCHEMA_LIST, FIELD(protect.extra), "[]",
     "more entries for the list above, which stays as it is", WIDEN_FEWER,
     "write %s of the project, which was protected", .check = check_relative,
     .reaches = REACHES_CLIENT},
    {"protect", "guard", SCHEMA_BOOL, FIELD(protect.guard), "true",
     "hold calls that make or write files, to protect names that do not exist yet; false: faster",
     WIDEN_FALSE,
     "create files such as .envrc and git hooks where there are none; this machine's programs run "
     "them"},
    {"protect", "repositories", SCHEMA_BOOL, FIELD(protect.repositories), "true",
     "git repositories that a box makes get no hooks, links or settings that run programs on the "
     "host",
     WIDEN_FALSE, "make git repositories with hooks and settings that git on this machine runs"},

    {"network", "mode", SCHEMA_ENUM, FIELD(network.mode), "\"ask\"",
     "none, filtered (by allow), ask (registries and forges, and you about the rest), open, host",
     WIDEN_CHOICE, .choices = network_mode_choices, .reaches = REACHES_CLIENT},
    {"network", "allow", SCHEMA_LIST, FIELD(network.allow), "[]",
     "filtered, ask: \"NAME\" (port 443), \"*.NAME\", \"GET NAME/PATH\", \"ADDRESS:PORT\", \"host:PORT\", \"@GROUP\"",
     WIDEN_MORE, "reach %s over the network", .check = check_allow, .has_requests = TRUE,
     .reaches = REACHES_CLIENT},
    {"network", "deny", SCHEMA_LIST, FIELD(network.deny), "[]",
     "filtered, ask: exceptions from allow, written alike; without a port: every port", WIDEN_FEWER,
     "reach %s over the network, where network.allow lists it", .check = check_deny,
     .reaches = REACHES_CLIENT},
    {"network", "ask", SCHEMA_BOOL, FIELD(network.ask), "false",
     "filtered: ask you about a name that no rule has; off: it has no address, so programs fail at once",
     WIDEN_ASK, "ask you whether it may reach names that network.allow does not list",
     .reaches = REACHES_CLIENT},
    {"network", "audit", SCHEMA_BOOL, FIELD(network.audit), "false",
     "filtered: let names that no rule has through and log them, to find rules; off: that holds nothing",
     WIDEN_AUDIT, "reach every name that no rule denies, as your own network.audit is true",
     .user_only = TRUE, .reaches = REACHES_CLIENT},
    {"network", "ech", SCHEMA_BOOL, FIELD(network.ech), "false",
     "filtered: pass what browsers encrypt at first; off: a front with many sites may lead elsewhere",
     WIDEN_TRUE, "hide from the filter which site of a front it asks for (encrypted ClientHello)",
     .reaches = REACHES_CLIENT},
    {"network", "connections", SCHEMA_INT, FIELD(network.connections),
     G_STRINGIFY(NETWORK_CONNECTIONS),
     "filtered, ask: TCP connections at a time; more wait; each may need 64 KiB of this machine",
     WIDEN_LARGER, "limit of connections: %s", .least = 1, .most = NETWORK_CONNECTIONS_MAX,
     .reaches = REACHES_CLIENT},
    {"network", "ports", SCHEMA_PORTS, FIELD(network.ports), "[]",
     "open: \"[[IP:]HOST:]BOX[/udp]\"; IP is 127.0.0.1, so that only this machine reaches them",
     WIDEN_MORE, "publish the port %s"},
    {"network", "ping", SCHEMA_BOOL, FIELD(network.ping), "false",
     "none, open: allow ping; off: few boxes need it", WIDEN_TRUE, "send pings"},
    {"network", "tun", SCHEMA_BOOL, FIELD(network.tun), "false",
     "provide /dev/net/tun, for networks that the box makes: a VPN, containers; off: few boxes need it",
     WIDEN_TRUE, "make network devices (/dev/net/tun)"},
    {"network", "forwarding", SCHEMA_BOOL, FIELD(network.forwarding), "false",
     "all but host: let the box route packets between its networks; off: few boxes need it",
     WIDEN_TRUE, "route packets between networks"},
    {"network", "dns", SCHEMA_LIST, FIELD(network.dns), "[]",
     "open, host: addresses of name servers; none: those of this machine", WIDEN_MORE,
     "ask the name server %s", .check = check_address},
    {"network", "hosts", SCHEMA_MAP, FIELD(network.hosts), "{}",
     "addresses of host names: { \"db.test\" = \"10.0.0.5\" }", WIDEN_MORE, "resolve the name %s",
     .check = check_address, .check_key = check_host_name},

    {"limits", "memory", SCHEMA_SIZE, FIELD(limits.memory), "\"75%\"",
     "\"8G\", \"N%\" of this machine's, or 0; half of it for /tmp; 75%: a build must not freeze "
     "the machine",
     WIDEN_LARGER, "memory limit: %s", .least = 16 * MIB, .most = HUGE_NUMBER, .zero = "none",
     .percent = TRUE},
    {"limits", "cpus", SCHEMA_DOUBLE, FIELD(limits.cpus), "0",
     "number of CPUs, such as 2.5; 0: all, since the scheduler shares them fairly", WIDEN_LARGER,
     "processor limit: %s", .least = 0.01, .most = 65536, .zero = "none"},
    {"limits", "pids", SCHEMA_INT, FIELD(limits.pids), "8192",
     "processes and threads, or 0 (none); enough for big builds, too few for a fork bomb",
     WIDEN_LARGER, "process limit: %s", .least = 16, .most = 4194304, .zero = "none"},
    {"limits", "shm", SCHEMA_SIZE, FIELD(limits.shm), "\"1G\"",
     "size of /dev/shm, part of the memory limit; browsers and databases fail with Podman's 64M",
     WIDEN_LARGER, "shared memory limit: %s", .least = MIB, .most = HUGE_NUMBER},
    {"limits", "nofile", SCHEMA_INT, FIELD(limits.nofile), "0",
     "open files of one process; 0: Podman's default", WIDEN_LARGER, "open files limit: %s",
     .least = 64, .most = 1073741816, .zero = "Podman's default"},

    {"security", "sudo", SCHEMA_ENUM, FIELD(security.sudo), "\"deny\"",
     "deny, ask, or allow; deny: root of the box is of little use with a read-only /usr",
     WIDEN_CHOICE, .choices = sudo_policy_choices, .reaches = REACHES_INIT},
    {"security", "read_only", SCHEMA_BOOL, FIELD(security.read_only), "false",
     "make the files of an image read-only; off: you can install packages", WIDEN_FALSE,
     "write access to the system files of the box"},
    {"security", "seccomp", SCHEMA_STRING, FIELD(security.seccomp), "\"\"",
     "profile on the host, or \"unconfined\"; \"\": Podman's own profile", WIDEN_DIFFERS,
     "system calls filtered by %s in place of Podman's profile", "Podman's seccomp profile again",
     .check = check_seccomp},
    {"security", "capabilities", SCHEMA_LIST, FIELD(security.capabilities), "[]",
     "kept by root of the box (sudo), such as \"NET_ADMIN\"; none by default", WIDEN_MORE,
     "the capability %s for root of the box", .check = check_capability},
    {"security", "keep_groups", SCHEMA_BOOL, FIELD(security.keep_groups), "false",
     "keep your supplementary groups; off: they give access to devices and folders of the host",
     WIDEN_TRUE, "your groups on this machine, and what they may open", .reaches = REACHES_INIT},
    {"security", "nested", SCHEMA_BOOL, FIELD(security.nested), "false",
     "let programs use user namespaces (bubblewrap, Electron); off: they expose more of the kernel",
     WIDEN_TRUE, "user namespaces of its own (more of the kernel is exposed)",
     .reaches = REACHES_INIT},

    {"ssh", "keys", SCHEMA_LIST, FIELD(ssh.keys), "[]",
     "keys that the box can request signatures of: label, \"SHA256:…\" or \"~/.ssh/x.pub\"; none",
     WIDEN_NEVER, .check = check_key, .user_only = TRUE},
    {"ssh", "upstream", SCHEMA_STRING, FIELD(ssh.upstream), "\"\"",
     "socket of your real SSH agent; \"\": $SSH_AUTH_SOCK", WIDEN_NEVER, .check = check_source,
     .user_only = TRUE},
    {"ssh", "forward", SCHEMA_ENUM, FIELD(ssh.forward), "\"deny\"",
     "deny, or ask: signatures for other machines (ssh -A); deny: they cannot be told apart",
     WIDEN_NEVER, .choices = forward_policy_choices, .user_only = TRUE},
    {"ssh", "grants", SCHEMA_ENUM, FIELD(ssh.grants), "\"box\"",
     "longest approval that is offered: once, 5m, 15m, box (until it stops); a rebase asks once",
     WIDEN_NEVER, .choices = grant_limit_choices, .user_only = TRUE},
    {"ssh", "grant_uses", SCHEMA_INT, FIELD(ssh.grant_uses), "100",
     "most signatures that one such approval covers; enough for a rebase", WIDEN_NEVER, .least = 1,
     .most = 1000000, .user_only = TRUE},
    {"ssh", "git_signing", SCHEMA_BOOL, FIELD(ssh.git_signing), "false",
     "git in the box signs commits and tags with the first key; off: you are asked for each one",
     WIDEN_NEVER, .user_only = TRUE},

    {"desktop", "wayland", SCHEMA_ENUM, FIELD(desktop.wayland), "\"auto\"",
     "auto (windows, through a security context), plain (without one), or none", WIDEN_CHOICE,
     .choices = wayland_access_choices, .reaches = REACHES_CLIENT | REACHES_BRIDGE},
    {"desktop", "x11", SCHEMA_ENUM, FIELD(desktop.x11), "\"none\"",
     "none, nested (an X server of the box's own, in a window), or host; none: most need Wayland "
     "alone",
     WIDEN_CHOICE, .choices = x11_access_choices, .reaches = REACHES_CLIENT | REACHES_BRIDGE},
    {"desktop", "clipboard", SCHEMA_ENUM, FIELD(desktop.clipboard), "\"none\"",
     "of a nested X server, and pictures: none, to-box, from-box, or both; none: boxes cannot read it",
     WIDEN_PASTE, .choices = clipboard_access_choices, .reaches = REACHES_CLIENT | REACHES_BRIDGE},
    {"desktop", "open", SCHEMA_ENUM, FIELD(desktop.open), "\"ask\"",
     "ask, allow, or deny: open pages in your browser; ask: a box must not open them unnoticed",
     WIDEN_CHOICE, .choices = open_policy_choices, .reaches = REACHES_CLIENT | REACHES_BRIDGE},
    {"desktop", "notify", SCHEMA_BOOL, FIELD(desktop.notify), "true",
     "show its notifications, with the box's name in front; on: they are plain text and "
     "rate-limited",
     WIDEN_TRUE, "notifications on your desktop, with the box's name in front",
     .reaches = REACHES_CLIENT | REACHES_BRIDGE},
    {"desktop", "appearance", SCHEMA_BOOL, FIELD(desktop.appearance), "true",
     "your fonts, themes, dark mode, cursor and scale, read-only; on: programs look as on the host",
     WIDEN_TRUE, "read access to your fonts and themes, and how your desktop is set to look",
     .reaches = REACHES_CLIENT},
    {"desktop", "sound", SCHEMA_ENUM, FIELD(desktop.sound), "\"playback\"",
     "playback, or none; playback: sound output, without recording", WIDEN_CHOICE,
     .choices = sound_access_choices, .reaches = REACHES_CLIENT | REACHES_BRIDGE},
    {"desktop", "microphone", SCHEMA_BOOL, FIELD(desktop.microphone), "false",
     "let the box record your microphone, at any time; off: few programs need it", WIDEN_TRUE,
     "record your microphone, at any time, without asking",
     .reaches = REACHES_CLIENT | REACHES_BRIDGE},
    {"desktop", "gpu", SCHEMA_ENUM, FIELD(desktop.gpu), "\"render\"",
     "render (draws, computes), all (screens and /dev/kfd, too), or none; render: editors need it",
     WIDEN_CHOICE, .choices = gpu_access_choices},

    {"git", "identity", SCHEMA_BOOL, FIELD(git.identity), "true",
     "your name, e-mail and harmless settings of git, read-only; on: commits in a box are yours",
     WIDEN_TRUE, "read your name and e-mail address, as git on this machine knows them"},
    {"git", "host_keys", SCHEMA_BOOL, FIELD(git.host_keys), "true",
     "host keys of GitHub and others, and those that you know of the project's remotes, for ssh",
     WIDEN_TRUE, "know the host keys that you know of the project's remotes"},

    {"editor", "command", SCHEMA_STRING, FIELD(editor.command), "\"\"",
     "editor of 'box edit', a name or path in the box; \"\": $VISUAL, $EDITOR, or one that the "
     "box has",
     WIDEN_NEVER, .check = check_program, .reaches = REACHES_CLIENT},
    {"editor", "args", SCHEMA_LIST, FIELD(editor.args), "[]",
     "its options, which stand before the files", WIDEN_NEVER, .repeats = TRUE,
     .reaches = REACHES_CLIENT},
    {"editor", "terminal", SCHEMA_ENUM, FIELD(editor.terminal), "\"auto\"",
     "true: it runs in your terminal; false: in a window; auto: depends on the editor", WIDEN_NEVER,
     .choices = editor_terminal_choices, .reaches = REACHES_CLIENT},

    {"terminal", "clipboard", SCHEMA_ENUM, FIELD(terminal.clipboard), "\"deny\"",
     "deny, ask, or allow: what it prints may replace your clipboard (OSC 52); never read it",
     WIDEN_CHOICE, .choices = terminal_clipboard_choices, .reaches = REACHES_CLIENT},
    {"terminal", "titles", SCHEMA_BOOL, FIELD(terminal.titles), "true",
     "set the title of the terminal's window; on: editors and shells do", WIDEN_TRUE,
     "the title of your terminal's window", .reaches = REACHES_CLIENT},
    {"terminal", "notifications", SCHEMA_BOOL, FIELD(terminal.notifications), "false",
     "notifications of the terminal (OSC 9, 99, 777); off: they do not say that they are a box's",
     WIDEN_TRUE, "notifications of your terminal, which do not say that they are a box's",
     .reaches = REACHES_CLIENT},
    {"terminal", "links", SCHEMA_BOOL, FIELD(terminal.links), "true",
     "links that you can click (OSC 8), to http, https and mailto alone", WIDEN_TRUE,
     "links in your terminal", .reaches = REACHES_CLIENT},
    {"terminal", "images", SCHEMA_BOOL, FIELD(terminal.images), "true",
     "images in the terminal: sixel, and kitty's and iTerm2's without files of the host",
     WIDEN_TRUE, "images in your terminal", .reaches = REACHES_CLIENT},

    {"devices", "list", SCHEMA_LIST, FIELD(devices), "[]",
     "\"/dev/kvm\", \"/dev/a:/dev/b:rwm\", or a CDI name; none by default", WIDEN_MORE,
     "host device %s", .check = check_device},

    {"podman", NULL, SCHEMA_RAW, FIELD(podman_raw), "{}",
     "merged unchanged into Podman's create request, for what no other key covers; empty",
     WIDEN_MORE, "raw Podman option %s"},
};
const gsize schema_count = G_N_ELEMENTS(schema_keys);

const schema_key *schema_find(const char *section, const char *key)
{
    for (gsize i = 0; i < schema_count; i++) {
        if (g_str_equal(schema_keys[i].section, section) && g_strcmp0(schema_keys[i].key, key) == 0)
            return &schema_keys[i];
    }
    return NULL;
}

char *schema_name(const schema_key *row)
{
    return row->key ? g_strconcat(row->section, ".", row->key, NULL) : g_strdup(row->section);
}

gboolean schema_has_section(const char *section)
{
    for (gsize i = 0; i < schema_count; i++) {
        if (g_str_equal(schema_keys[i].section, section))
            return TRUE;
    }
    return FALSE;
}

const char *schema_nearest_section(const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (gsize i = 0; i < schema_count; i++)
        g_ptr_array_add(names, (gpointer)schema_keys[i].section);
    g_ptr_array_add(names, NULL);
    return text_nearest(word, (const char *const *)names->pdata);
}

const schema_key *schema_nearest_anywhere(const char *key)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (gsize i = 0; i < schema_count; i++)
        if (schema_keys[i].key)
            g_ptr_array_add(names, (gpointer)schema_keys[i].key);
    g_ptr_array_add(names, NULL);
    const char *near = text_nearest(key, (const char *const *)names->pdata);
    for (gsize i = 0; i < schema_count; i++)
        if (g_strcmp0(schema_keys[i].key, key) == 0 || (near && schema_keys[i].key == near))
            return &schema_keys[i];
    return NULL;
}

const char *schema_nearest_key(const char *section, const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (gsize i = 0; i < schema_count; i++) {
        if (g_str_equal(schema_keys[i].section, section) && schema_keys[i].key)
            g_ptr_array_add(names, (gpointer)schema_keys[i].key);
    }
    g_ptr_array_add(names, NULL);
    return text_nearest(word, (const char *const *)names->pdata);
}

char *schema_choice_names(const struct choice *choices)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (; choices->name; choices++)
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", choices->name);
    return g_strdup(names->str);
}
