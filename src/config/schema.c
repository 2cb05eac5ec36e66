#include "config/schema.h"

#include "config/check.h"
#include "config/protect.h"

#define FIELD(member) .offset = G_STRUCT_OFFSET(settings, member)
#define MIB (1024.0 * 1024)
/* Largest number of any limit: exact as a double, and far beyond any machine. */
#define HUGE_NUMBER (1024.0 * 1024 * MIB * 64)

const schema_choice schema_modes[] = {
    {"rw", MODE_RW, 2, "write access to the project"},
    {"ro", MODE_RO, 0, "read access to the project"},
    {"overlay", MODE_OVERLAY, 1, "a throw-away writable view of the project"},
    {NULL},
};
G_STATIC_ASSERT(MODE_OVERLAY == 2 && G_N_ELEMENTS(schema_modes) == 4);

static const schema_choice networks[] = {
    {"none", NETWORK_NONE, 0, "no network"},
    {"filtered", NETWORK_FILTERED, 1, "network mode filtered", "the network gate"},
    {"open", NETWORK_OPEN, 2,
     "network mode open: the internet, your local network and this machine in it"},
    {"host", NETWORK_HOST, 3,
     "network mode host: every service on this machine's loopback, and its abstract sockets"},
    {NULL},
};
G_STATIC_ASSERT(NETWORK_HOST == 3 && G_N_ELEMENTS(networks) == 5);

static const schema_choice sudos[] = {
    {"deny", SUDO_DENY, 0, "no sudo"},
    {"ask", SUDO_ASK, 1, "root of the box through sudo, after asking"},
    {"allow", SUDO_ALLOW, 2, "root of the box through sudo, without asking"},
    {NULL},
};
G_STATIC_ASSERT(SUDO_ALLOW == 2 && G_N_ELEMENTS(sudos) == 4);

static const schema_choice forwards[] = {
    {"deny", FORWARD_DENY, 0, "no forwarding of the SSH agent"},
    {"ask", FORWARD_ASK, 1, "forward the SSH agent to other machines, after asking"},
    {NULL},
};
G_STATIC_ASSERT(FORWARD_ASK == 1 && G_N_ELEMENTS(forwards) == 3);

static const schema_choice grants[] = {
    {"once", GRANTS_ONCE, 0, "one signature for each approval"},
    {"5m", GRANTS_5M, 1, "approvals for 5 minutes"},
    {"15m", GRANTS_15M, 2, "approvals for 15 minutes"},
    {"box", GRANTS_BOX, 3, "approvals until the box stops"},
    {NULL},
};
G_STATIC_ASSERT(GRANTS_BOX == 3 && G_N_ELEMENTS(grants) == 5);

static const schema_choice waylands[] = {
    {"none", WAYLAND_NONE, 0, "no windows on your Wayland desktop"},
    {"auto", WAYLAND_AUTO, 1, "windows on your desktop, kept apart by the compositor"},
    {"plain", WAYLAND_PLAIN, 2,
     "your Wayland desktop as programs outside of a box have it: where the compositor lets them, they "
     "see the screen and the clipboard, and type into other windows"},
    {NULL},
};
G_STATIC_ASSERT(WAYLAND_PLAIN == 2 && G_N_ELEMENTS(waylands) == 4);

static const schema_choice opens[] = {
    {"deny", OPEN_DENY, 0, "no pages in your browser"},
    {"ask", OPEN_ASK, 1,
     "pages and mails in your own browser and mail program, after asking for each; a login's answer is "
     "led back into the box"},
    {"allow", OPEN_ALLOW, 2,
     "any page and mail in your own browser and mail program, without asking: what it knows can leave "
     "in an address, and a page may be a service of this machine; a login's answer is led back into the "
     "box"},
    {NULL},
};
G_STATIC_ASSERT(OPEN_ALLOW == 2 && G_N_ELEMENTS(opens) == 4);

static const schema_choice x11s[] = {
    {"none", X11_NONE, 0, "no X11 display"},
    {"nested", X11_NESTED, 1, "windows of X11 programs, on an X server of the box's own"},
    {"host", X11_HOST, 2,
     "your own X11 display: the box can read what you type anywhere, see the screen, and control other "
     "windows"},
    {NULL},
};
G_STATIC_ASSERT(X11_HOST == 2 && G_N_ELEMENTS(x11s) == 4);

static const schema_choice terminals[] = {
    {"auto", EDITOR_TERMINAL_AUTO, 0, "the editor where it wants to be"},
    {"true", EDITOR_TERMINAL_YES, 0, "the editor in the terminal"},
    {"false", EDITOR_TERMINAL_NO, 0, "the editor in a window"},
    {NULL},
};
G_STATIC_ASSERT(EDITOR_TERMINAL_NO == 2 && G_N_ELEMENTS(terminals) == 4);

const schema_mount_key schema_mount_keys[N_MOUNT_KEYS] = {
    [MOUNT_SOURCE] = {"source", "\"~/data\"", "on the host: absolute, or '~/' for your home"},
    [MOUNT_TARGET] = {"target", "\"\"", "inside the box; \"\": where it is on the host"},
    [MOUNT_MODE] = {"mode", "\"ro\"",
                    "ro, rw, or overlay (writable in the box, changes thrown away)"},
};

const schema_key schema_keys[] = {
    {"box", "name", SCHEMA_STRING, FIELD(box.name), "\"\"",
     "name of the box and of its home; \"\": the project folder's, as that is how you know it",
     WIDEN_DIFFERS, "use the box, and the private home, named %s", .check = check_name,
     .project_only = TRUE},
    {"box", "image", SCHEMA_STRING, FIELD(box.image), "\"host\"",
     "\"host\" (this machine's /usr, read-only: nothing to download), \"template:NAME\", or any image",
     WIDEN_DIFFERS, "run the image %s", .check = check_image},
    {"box", "containerfile", SCHEMA_STRING, FIELD(box.containerfile), "\"\"",
     "builds the image from this file of the project instead; \"\": the image above is used as it is",
     WIDEN_DIFFERS, "build and run the image that %s of the project describes",
     .check = check_relative},
    {"box", "shell", SCHEMA_STRING, FIELD(box.shell), "\"\"",
     "absolute path in the box; \"\": your login shell where the box has it", WIDEN_DIFFERS,
     "start %s as the shell", .check = check_absolute},
    {"box", "env", SCHEMA_MAP, FIELD(box.env), "{}",
     "variables set in the box; none, because the environment is built from nothing", WIDEN_MORE,
     "set the variable %s", .check = check_env_value, .check_key = check_env_name},
    {"box", "pass_env", SCHEMA_LIST, FIELD(box.pass_env), "[]",
     "your variables to pass on, NAME or PREFIX*; none, because variables hold tokens", WIDEN_MORE,
     "pass on your variable %s", .check = check_env_pattern},
    {"box", "idle_stop", SCHEMA_DURATION, FIELD(box.idle_stop), "\"10m\"",
     "stops the box after its last session; \"never\" and 0 (at once) are allowed", WIDEN_NEVER,
     .most = 366 * 86400.0, .zero_ok = TRUE, .least = 1},
    {"box", "workdir", SCHEMA_STRING, FIELD(box.workdir), "\"\"",
     "absolute folder to start in; \"\": the same folder as outside", WIDEN_NEVER,
     .check = check_absolute},

    {"home", "share", SCHEMA_SHARES, FIELD(home.share), "[]",
     "parts of your home, \"path[:ro|rw]\"; none, because the box has a private home", WIDEN_MORE},
    {"home", "share_toolchains", SCHEMA_BOOL, FIELD(home.share_toolchains), "false",
     "your cargo, rustup, nvm, uv … read-only, without credentials; off: nobody asked for them",
     WIDEN_TRUE, "read access to the toolchains in your home (cargo, nvm, uv …)"},
    {"home", "setup", SCHEMA_STRING, FIELD(home.setup), "\"\"",
     "script of the project that is run once in a new home; \"\": none", WIDEN_DIFFERS,
     "run %s of the project in every new home", .check = check_relative},

    {"project", "mode", SCHEMA_ENUM, FIELD(project.mode), "\"rw\"",
     "rw, ro, or overlay (writable in the box, changes thrown away); rw: it is where you work",
     WIDEN_CHOICE, .choices = schema_modes},
    {"project", "writable", SCHEMA_LIST, FIELD(project.writable), "[]",
     "parts that stay writable when mode is ro", WIDEN_MORE, "write access to %s of the project",
     .check = check_relative},
    {"project", "hidden", SCHEMA_LIST, FIELD(project.hidden), "[]",
     "parts that the box does not see at all, such as \".env\"", WIDEN_FEWER,
     "see %s of the project, which was hidden", .check = check_relative},

    {"mount", NULL, SCHEMA_MOUNTS, FIELD(mounts), "[]",
     "more of the host, one [[mount]] each; none, because the box sees the project alone",
     WIDEN_MORE},

    {"protect", "paths", SCHEMA_LIST, FIELD(protect.paths), PROTECT_TOML,
     "read-only in the box: what programs on the host run by themselves later", WIDEN_FEWER,
     "write %s of the project, which programs on this machine may run", .check = check_relative},
    {"protect", "extra", SCHEMA_LIST, FIELD(protect.extra), "[]",
     "added to the list above, without repeating it", WIDEN_FEWER,
     "write %s of the project, which was protected", .check = check_relative},

    {"network", "mode", SCHEMA_ENUM, FIELD(network.mode), "\"open\"",
     "none, open (not this machine's loopback), or host; open: package managers work", WIDEN_CHOICE,
     .choices = networks},
    {"network", "ports", SCHEMA_PORTS, FIELD(network.ports), "[]",
     "\"[[IP:]HOST:]BOX[/udp]\"; IP is 127.0.0.1, so that only this machine reaches them",
     WIDEN_MORE, "publish the port %s"},
    {"network", "ping", SCHEMA_BOOL, FIELD(network.ping), "false",
     "lets ping work; off: few need it", WIDEN_TRUE, "send pings"},
    {"network", "tun", SCHEMA_BOOL, FIELD(network.tun), "false",
     "gives /dev/net/tun, for a VPN in the box; off: few need it", WIDEN_TRUE,
     "make network devices (/dev/net/tun)"},
    {"network", "forwarding", SCHEMA_BOOL, FIELD(network.forwarding), "false",
     "lets the box route packets of its own networks; off: few need it", WIDEN_TRUE,
     "route packets between networks"},
    {"network", "dns", SCHEMA_LIST, FIELD(network.dns), "[]",
     "addresses of name servers; none: those of this machine", WIDEN_MORE, "ask the name server %s",
     .check = check_address},
    {"network", "hosts", SCHEMA_MAP, FIELD(network.hosts), "{}",
     "names with addresses of their own: { \"db.test\" = \"10.0.0.5\" }", WIDEN_MORE,
     "resolve the name %s", .check = check_address, .check_key = check_host_name},

    {"limits", "memory", SCHEMA_SIZE, FIELD(limits.memory), "\"75%\"",
     "\"8G\", \"N%\" of this machine's, or 0; half of it for /tmp; 75%: a build must not freeze the machine",
     WIDEN_LARGER, "memory limit: %s", .least = 16 * MIB, .most = HUGE_NUMBER, .zero_ok = TRUE,
     .percent = TRUE},
    {"limits", "cpus", SCHEMA_DOUBLE, FIELD(limits.cpus), "0",
     "processors, such as 2.5; 0: all, as the scheduler shares them fairly", WIDEN_LARGER,
     "processor limit: %s", .least = 0.01, .most = 65536, .zero_ok = TRUE},
    {"limits", "pids", SCHEMA_INT, FIELD(limits.pids), "8192",
     "processes and threads, or 0 (none); enough for big builds, too few for a fork bomb",
     WIDEN_LARGER, "process limit: %s", .least = 16, .most = 4194304, .zero_ok = TRUE},
    {"limits", "shm", SCHEMA_SIZE, FIELD(limits.shm), "\"1G\"",
     "size of /dev/shm, part of the memory limit; browsers and databases fail with Podman's 64M",
     WIDEN_LARGER, "shared memory limit: %s", .least = MIB, .most = HUGE_NUMBER},
    {"limits", "nofile", SCHEMA_INT, FIELD(limits.nofile), "0",
     "open files of one process; 0: as Podman sets it", WIDEN_LARGER, "open files limit: %s",
     .least = 64, .most = 1073741816, .zero_ok = TRUE},

    {"security", "sudo", SCHEMA_ENUM, FIELD(security.sudo), "\"deny\"",
     "deny, ask, or allow; deny: root of the box is of little use with a read-only /usr",
     WIDEN_CHOICE, .choices = sudos},
    {"security", "read_only", SCHEMA_BOOL, FIELD(security.read_only), "false",
     "makes an image's own files read-only; off: installing packages is why one has an image",
     WIDEN_FALSE, "write access to the system files of the box"},
    {"security", "seccomp", SCHEMA_STRING, FIELD(security.seccomp), "\"\"",
     "profile on the host, or \"unconfined\"; \"\": Podman's own profile", WIDEN_DIFFERS,
     "system calls filtered by %s in place of Podman's profile", "Podman's seccomp profile again",
     .check = check_seccomp},
    {"security", "capabilities", SCHEMA_LIST, FIELD(security.capabilities), "[]",
     "kept by root of the box (sudo), such as \"NET_ADMIN\"; none by default", WIDEN_MORE,
     "the capability %s for root of the box", .check = check_capability},
    {"security", "keep_groups", SCHEMA_BOOL, FIELD(security.keep_groups), "false",
     "keeps your other groups; off: they open devices and folders of the host", WIDEN_TRUE,
     "your groups on this machine, and what they may open"},
    {"security", "nested", SCHEMA_BOOL, FIELD(security.nested), "false",
     "lets programs sandbox themselves (bubblewrap); off: it exposes more of the kernel",
     WIDEN_TRUE, "user namespaces of its own (more of the kernel is exposed)"},

    {"ssh", "keys", SCHEMA_LIST, FIELD(ssh.keys), "[]",
     "keys that the box may ask for: label, \"SHA256:…\" or \"~/.ssh/x.pub\"; none, until you choose",
     WIDEN_NEVER, .check = check_key, .user_only = TRUE},
    {"ssh", "upstream", SCHEMA_STRING, FIELD(ssh.upstream), "\"\"",
     "socket of your real SSH agent; \"\": $SSH_AUTH_SOCK, as every other program does",
     WIDEN_NEVER, .check = check_source, .user_only = TRUE},
    {"ssh", "forward", SCHEMA_ENUM, FIELD(ssh.forward), "\"deny\"",
     "deny, or ask: signatures for other machines (ssh -A); deny: they cannot be told apart",
     WIDEN_NEVER, .choices = forwards, .user_only = TRUE},
    {"ssh", "grants", SCHEMA_ENUM, FIELD(ssh.grants), "\"box\"",
     "longest approval that is offered: once, 5m, 15m, box (until it stops); a rebase asks once",
     WIDEN_NEVER, .choices = grants, .user_only = TRUE},
    {"ssh", "grant_uses", SCHEMA_INT, FIELD(ssh.grant_uses), "100",
     "signatures that one such approval covers at most; enough for a rebase, not for a flood",
     WIDEN_NEVER, .least = 1, .most = 1000000, .user_only = TRUE},
    {"ssh", "git_signing", SCHEMA_BOOL, FIELD(ssh.git_signing), "false",
     "git in the box signs commits and tags with the first key; off: each signature is a question",
     WIDEN_NEVER, .user_only = TRUE},

    {"desktop", "wayland", SCHEMA_ENUM, FIELD(desktop.wayland), "\"auto\"",
     "auto (windows, through a security context), plain (without one), or none", WIDEN_CHOICE,
     .choices = waylands},
    {"desktop", "x11", SCHEMA_ENUM, FIELD(desktop.x11), "\"none\"",
     "none, nested (an X server of the box's own, in a window), or host; none: most need Wayland alone",
     WIDEN_CHOICE, .choices = x11s},
    {"desktop", "clipboard", SCHEMA_ENUM, FIELD(desktop.clipboard), "\"none\"",
     "of a nested X server: none, to-box, from-box, or both; none: what you copy is no box's to read",
     WIDEN_CHOICE, .choices = schema_clipboards},
    {"desktop", "open", SCHEMA_ENUM, FIELD(desktop.open), "\"ask\"",
     "ask, allow, or deny: pages in your browser, and a login back; ask: a box sends nobody anywhere",
     WIDEN_CHOICE, .choices = opens},
    {"desktop", "notify", SCHEMA_BOOL, FIELD(desktop.notify), "true",
     "shows its notifications, with the box's name in front; on: plain text, a few at most",
     WIDEN_TRUE, "notifications on your desktop, with the box's name in front"},
    {"desktop", "appearance", SCHEMA_BOOL, FIELD(desktop.appearance), "true",
     "your fonts, themes, dark mode, cursor and scale, read-only; on: an editor looks as it does outside",
     WIDEN_TRUE, "read access to your fonts and themes, and how your desktop is set to look"},
    {"desktop", "sound", SCHEMA_ENUM, FIELD(desktop.sound), "\"playback\"",
     "playback, or none; playback: it can be heard, and hears nothing", WIDEN_CHOICE,
     .choices = schema_sounds},
    {"desktop", "microphone", SCHEMA_BOOL, FIELD(desktop.microphone), "false",
     "lets it record your microphone, at any time; off: few programs need it", WIDEN_TRUE,
     "record your microphone, at any time, without asking"},
    {"desktop", "gpu", SCHEMA_ENUM, FIELD(desktop.gpu), "\"render\"",
     "render (draws, computes), all (screens and /dev/kfd, too), or none; render: editors need it",
     WIDEN_CHOICE, .choices = schema_gpus},

    {"editor", "command", SCHEMA_STRING, FIELD(editor.command), "\"\"",
     "what 'box edit' opens: a name or path in the box; \"\": $VISUAL, $EDITOR, or one that is there",
     WIDEN_NEVER, .check = check_program},
    {"editor", "args", SCHEMA_LIST, FIELD(editor.args), "[]",
     "its options, in front of the files; none: it knows best", WIDEN_NEVER, .repeats = TRUE},
    {"editor", "terminal", SCHEMA_ENUM, FIELD(editor.terminal), "\"auto\"",
     "true: it runs in your terminal; false: in a window; auto: as the editor is known to do",
     WIDEN_NEVER, .choices = terminals},

    {"devices", "list", SCHEMA_LIST, FIELD(devices), "[]",
     "\"/dev/kvm\", \"/dev/a:/dev/b:rwm\", or a CDI name; none by default", WIDEN_MORE,
     "host device %s", .check = check_device},

    {"podman", NULL, SCHEMA_RAW, FIELD(podman_raw), "{}",
     "merged as it stands into Podman's create request; empty: for what no other key covers",
     WIDEN_MORE, "raw Podman option %s"},
};
const gsize schema_count = G_N_ELEMENTS(schema_keys);
