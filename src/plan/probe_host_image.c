/*
 * What the host image shows of the host's /etc and /var: an allowlist of files that programs need
 * to run.
 *
 * No file on it may hold a secret. So shadow, keys, credentials of package managers (npmrc,
 * pip.conf, apt), environment, gitconfig, netrc, wgetrc, NetworkManager and sudoers are not listed,
 * and only files that every user of the host can read are shown. Folders are mounted. Files are
 * copied and links are made again instead, because each mount makes each start slower.
 */
#include "plan/facts.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/text.h"

/* Bytes. Configuration files are smaller. */
#define COPY_MAX (8 << 20)

static const char *const names[] = {
    /* identity of the system, time, languages */
    "os-release",
    "lsb-release",
    "debian_version",
    "fedora-release",
    "redhat-release",
    "system-release",
    "arch-release",
    "SuSE-release",
    "localtime",
    "timezone",
    "locale.alias",
    "locale.conf",
    "static",
    "NIXOS",
    /* dynamic linker */
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    /* certificates and cryptography */
    "ssl/certs",
    "ssl/openssl.cnf",
    "ssl/cert.pem",
    "pki/ca-trust",
    "pki/tls/certs",
    "pki/tls/cert.pem",
    "pki/tls/openssl.cnf",
    "pki/java",
    "ca-certificates",
    "crypto-policies",
    /* shells and terminals */
    "bash.bashrc",
    "bashrc",
    "profile",
    "profile.d",
    "inputrc",
    "zsh",
    "zshrc",
    "zshenv",
    "zprofile",
    "fish",
    "bash_completion.d",
    "DIR_COLORS",
    "nanorc",
    "vim",
    "vimrc",
    "terminfo",
    "skel",
    /* names of the network */
    "protocols",
    "services",
    "rpc",
    "networks",
    "ethertypes",
    "gai.conf",
    "host.conf",
    /* desktop */
    "fonts",
    "xdg",
    "gtk-2.0",
    "gtk-3.0",
    "gtk-4.0",
    "X11/xkb",
    "X11/fonts",
    "X11/app-defaults",
    "X11/locale",
    "glvnd",
    "egl",
    "OpenCL",
    "vulkan",
    "drirc",
    "pulse",
    "pipewire",
    "alsa",
    "chromium.d",
    "ImageMagick-6",
    "ImageMagick-7",
    /* languages and tools */
    "alternatives",
    "mime.types",
    "mailcap",
    "magic",
    "magic.mime",
    "java",
    "python3",
    "perl",
    "emacs",
    "groff",
    "texmf",
    "sgml",
    "xml",
    "manpath.config",
    "man_db.conf",
    "xattr.conf",
    "login.defs",
    "mtab",
    "papersize",
    "libpaper.d",
    "dpkg/origins",
    /* programs that do not start without these; not the settings beside them, which may have
     * passwords of servers */
    "maven/m2.conf",
    "maven/logging",
    "groovy/groovy-starter.conf",
    "R/Makeconf",
    "R/Renviron",
    "R/ldpaths",
    "R/repositories",
    "matplotlibrc",
};

/* Prefixes of names that end in a version. */
static const char *const prefixes[] = {"java-", "python3."};

/* TRUE when TARGET exists in the box too, so that the link works there. */
static gboolean works_in_box(const char *target)
{
    static const char *const shown[] = {
        "/usr/",    "../usr/", "/nix/store/", "/etc/static/", "/etc/alternatives/",
        "../proc/", "/proc/"};

    for (gsize i = 0; i < G_N_ELEMENTS(shown); i++)
        if (g_str_has_prefix(target, shown[i]))
            return !strstr(target + 3, "..");
    return FALSE;
}

static void add_name(plan_facts *self, const char *root, const char *name)
{
    g_autofree char *path = g_build_filename(root, "etc", name, NULL);
    char target[PATH_MAX];
    struct stat st;
    ssize_t length = readlink(path, target, sizeof target - 1);

    if (length > 0) {
        target[length] = '\0';
        if (works_in_box(target)) {
            plan_facts_add_etc(self, name, PLAN_ETC_LINK, target);
            return;
        }
    }
    if (stat(path, &st) < 0)
        return;
    if (S_ISREG(st.st_mode) && (st.st_mode & S_IROTH) && st.st_size <= COPY_MAX)
        plan_facts_add_etc(self, name, PLAN_ETC_COPY, NULL);
    else if (S_ISDIR(st.st_mode) && (st.st_mode & S_IROTH) && (st.st_mode & S_IXOTH))
        plan_facts_add_etc(self, name, PLAN_ETC_BIND, NULL);
}

/* Sorted, because the order decides the plan's hash. */
static void add_versioned_names(plan_facts *self, const char *root)
{
    g_autofree char *path = g_build_filename(root, "etc", NULL);
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (folder && (name = g_dir_read_name(folder)))
        for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++)
            if (g_str_has_prefix(name, prefixes[i]))
                g_ptr_array_add(found, g_strdup(name));
    g_ptr_array_sort(found, text_compare);
    for (guint i = 0; i < found->len; i++)
        add_name(self, root, found->pdata[i]);
}

static void add_root_folders(plan_facts *self, const char *root)
{
    /* Of /var what packages have made for their programs: TeX's formats, GHC's and Ruby's
     * packages. */
    static const char *const names_below_root[] = {
        "usr",   "bin",    "sbin",          "lib",         "lib32",
        "lib64", "libx32", "var/lib/texmf", "var/lib/ghc", "var/lib/gems"};

    for (gsize i = 0; i < G_N_ELEMENTS(names_below_root); i++) {
        g_autofree char *path = g_build_filename(root, names_below_root[i], NULL);
        char target[PATH_MAX];
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length > 0) {
            target[length] = '\0';
            plan_facts_add_root_folder(self, names_below_root[i], target);
        } else if (access(path, F_OK) == 0) {
            plan_facts_add_root_folder(self, names_below_root[i], NULL);
        }
    }
}

/* NixOS keeps all programs in its store; this link leads to the ones of the installed system. */
static void probe_nixos(plan_facts *self, const char *root)
{
    g_autofree char *marker = g_build_filename(root, "etc/NIXOS", NULL);
    g_autofree char *link = g_build_filename(root, "run/current-system", NULL);
    g_autofree char *system = g_file_read_link(link, NULL);

    if (access(marker, F_OK) == 0 && system && g_str_has_prefix(system, "/nix/store/") &&
        !strstr(system, ".."))
        self->nixos_system = g_steal_pointer(&system);
}

void plan_probe_host_image(plan_facts *self, const char *root)
{
    add_root_folders(self, root);
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        add_name(self, root, names[i]);
    add_versioned_names(self, root);
    probe_nixos(self, root);
}
