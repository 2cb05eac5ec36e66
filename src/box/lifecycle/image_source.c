#include "box/lifecycle/image_source.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/lifecycle/image_build.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/named_files.h"

/* Bytes. */
#define CONTAINERFILE_MAX (1 << 20)
/* Hexadecimal digits of a layer's name. */
#define PACKAGES_HASH_LENGTH 24

void image_source_clear(image_source *self)
{
    g_free(self->tag);
    g_free(self->folder);
    g_free(self->file);
    g_free(self->hash);
    g_strfreev(self->args);
    g_free(self->packages);
    g_clear_pointer(&self->contents, g_bytes_unref);
}
char *image_tag_prefix(void)
{
    const char *instance = paths_instance();
    return g_strconcat("localhost/litterbox", *instance ? "-" : "", instance, "/", NULL);
}

char *image_snapshots_prefix(void)
{
    g_autofree char *prefix = image_tag_prefix();
    return g_strconcat(prefix, "snapshots/", NULL);
}

char *image_bootstrap_source(void)
{
    return g_strconcat("bootstrap:", paths_instance(), NULL);
}

static char *tag_of(const char *kind, const char *name)
{
    g_autofree char *prefix = image_tag_prefix();
    return g_strconcat(prefix, kind, name, ":latest", NULL);
}

char *image_project_tag(const struct box *of)
{
    return tag_of("", of->base);
}

static char **build_arguments(void)
{
    const char *args[] = {NULL, NULL, NULL, NULL};
    g_autofree char *user = g_strconcat("USER=", g_get_user_name(), NULL);
    g_autofree char *uid = g_strdup_printf("UID=%d", (int)getuid());
    g_autofree char *gid = g_strdup_printf("GID=%d", (int)getgid());
    args[0] = user;
    args[1] = uid;
    args[2] = gid;
    return g_strdupv((char **)args);
}

/* A project in another one may be a link by now, which the other box has put in its place. */
int image_source_open(const image_source *self)
{
    return self->is_of_project && !self->packages
               ? fs_open_real(self->folder, O_PATH | O_DIRECTORY)
               : open(self->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Follows no symbolic link on the way, because the box may have written the Containerfile. */
static gboolean read_containerfile(image_source *self, char **contents, gsize *length,
                                   GError **error)
{
    struct stat st;
    const char *path = self->file;
    int top = image_source_open(self);
    int fd = top < 0 ? -1 : fs_open_beneath(top, path, O_RDONLY | O_NONBLOCK, 0);
    int saved = errno;
    if (top >= 0)
        close(top);
    if (fd < 0) {
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "cannot open the Containerfile '%s': %s",
                    safe, g_strerror(saved));
        return FALSE;
    }
    if (fstat(fd, &st) == 0)
        self->changed = st.st_mtim;
    gboolean done = fs_read_fd(fd, path, CONTAINERFILE_MAX, contents, length, error);
    close(fd);
    return done;
}

/* APPROVED: what the user has approved; or NULL. */
static gboolean complete_source(image_source *self, const char *approved, GError **error)
{
    g_autofree char *contents = NULL;
    gsize length;
    if (!read_containerfile(self, &contents, &length, error))
        return FALSE;
    if (approved && !named_files_agree(approved, self->file, contents, length)) {
        g_autofree char *safe = text_safe(self->file, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED,
                    "'%s' has changed after it was trusted: run the command again", safe);
        return FALSE;
    }
    /* The hash of the image ends there. */
    if (strlen(contents) != length) {
        g_autofree char *safe = text_safe(self->file, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "'%s' has a NUL byte", safe);
        return FALSE;
    }
    if (self->is_of_project)
        self->contents = g_bytes_new(contents, length);
    self->args = build_arguments();
    g_autofree char *args = g_strjoinv("\n", self->args);
    g_autofree char *all = g_strconcat(contents, "\n", args, NULL);
    self->hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
    return TRUE;
}

gboolean image_source_template(image_source *self, const char *name, GError **error)
{
    g_autofree char *tail = g_build_filename("containerfiles", name, NULL);
    self->tag = tag_of(IMAGE_TEMPLATE_TAG, name);
    self->folder = paths_share(tail);
    self->file = g_strdup("Containerfile");
    if (strchr(name, '/') || name[0] == '.' || !g_file_test(self->folder, G_FILE_TEST_IS_DIR)) {
        g_autofree char *safe = text_safe(name, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "no template '%s'; 'box image templates' lists all templates", safe);
        return FALSE;
    }
    return complete_source(self, NULL, error);
}

static const settings *limits_of(const settings *wanted)
{
    return wanted->network.mode == NETWORK_OPEN || wanted->network.mode == NETWORK_HOST ? NULL
                                                                                        : wanted;
}

gboolean image_source_project(image_source *self, const struct box *of, const settings *wanted,
                              GError **error)
{
    self->tag = image_project_tag(of);
    self->folder = g_strdup(of->project);
    self->file = g_strdup(wanted->box.containerfile);
    self->is_of_project = TRUE;
    self->limits = limits_of(wanted);
    self->left_out = wanted->project.hidden;
    return complete_source(self, wanted->approved_files, error);
}

/* A build takes a file with another time for another one. */
static gboolean set_time(struct timespec changed, const char *path, GError **error)
{
    const struct timespec times[] = {changed, changed};
    return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0 ||
           fs_fail(error, "set the time of", path);
}

/* A link, a FIFO and the like are as none. */
static gboolean copy_ignore_file(int from, const char *name, const char *folder, GError **error)
{
    g_autofree char *contents = NULL, *to = g_build_filename(folder, name, NULL);
    gsize length;
    struct stat st;
    int fd = fs_open_beneath(from, name, O_RDONLY | O_NONBLOCK, 0);
    gboolean is_file = fd >= 0 && fstat(fd, &st) == 0 &&
                       fs_read_fd(fd, name, CONTAINERFILE_MAX, &contents, &length, NULL);
    if (fd >= 0)
        close(fd);
    return !is_file ||
           (fs_write(to, contents, (gssize)length, 0644, error) && set_time(st.st_mtim, to, error));
}

static gboolean copy_ignore_files(const image_source *self, const char *folder, GError **error)
{
    g_auto(GStrv) names = build_context_ignore_files(self->file);
    int from = image_source_open(self);
    gboolean done = TRUE;
    for (char **name = names; *name && done; name++)
        done = copy_ignore_file(from, *name, folder, error);
    if (from >= 0)
        close(from);
    return done;
}

gboolean image_source_write_copies(const image_source *self, const char *folder, GError **error)
{
    gsize length;
    const char *bytes = g_bytes_get_data(self->contents, &length);
    g_autofree char *path = g_build_filename(folder, self->file, NULL);
    g_autofree char *above = g_path_get_dirname(path);
    if (!fs_make_folder(above, 0755, error) ||
        !fs_write(path, bytes, (gssize)length, 0644, error) ||
        !set_time(self->changed, path, error) || !copy_ignore_files(self, folder, error))
        return FALSE;
    for (; strcmp(above, folder) != 0; text_cut_path(above))
        if (!set_time(self->changed, above, error))
            return FALSE;
    return TRUE;
}

void image_source_packages(image_source *self, const struct box *of, const settings *wanted,
                           const char *on)
{
    self->packages = packages_text(wanted->box.packages);
    g_autofree char *both = g_strconcat(on, "\n", self->packages, NULL);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, both, -1);
    g_autofree char *name = g_strndup(sum, PACKAGES_HASH_LENGTH);
    self->tag = tag_of(IMAGE_PACKAGES_TAG, name);
    self->folder = g_build_filename(of->runtime, "packages", NULL);
    self->file = g_strdup("Containerfile");
    self->args = g_new0(char *, 1);
    /* The project may have named the packages. */
    self->is_of_project = TRUE;
    self->limits = limits_of(wanted);
    self->on = on;
}

char *image_source_packages_hash(const image_source *self, const char *base)
{
    g_autofree char *contents = packages_containerfile(base, self->packages);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, contents, -1);
}

gboolean image_source_write_packages(const image_source *self, const char *base, GError **error)
{
    g_autofree char *path = g_build_filename(self->folder, self->file, NULL);
    g_autofree char *contents = packages_containerfile(base, self->packages);
    return fs_make_folder(self->folder, 0700, error) && fs_write(path, contents, -1, 0600, error);
}

char **image_source_arguments(const image_source *self, gboolean with_proxies)
{
    static const char *const names[] = {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy",
                                        "FTP_PROXY",  "ftp_proxy",  "NO_PROXY",    "no_proxy",
                                        "ALL_PROXY",  "all_proxy"};
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();

    g_strv_builder_addv(all, (const char **)self->args);
    for (gsize i = 0; (!self->is_of_project || with_proxies) && i < G_N_ELEMENTS(names); i++) {
        const char *value = g_getenv(names[i]);
        g_autofree char *line = value ? g_strconcat(names[i], "=", value, NULL) : NULL;
        if (line && g_utf8_validate(line, -1, NULL))
            g_strv_builder_add(all, line);
    }
    return g_strv_builder_end(all);
}

/* Installs its arguments with the first manager that it finds: the same for all images and names,
 * so that no name is ever a part of a script. Names begin with a letter or digit (check_package()),
 * so none needs a "--", which not every manager knows. Arch Linux supports no installation without
 * an update of the rest. */
static const char script[] =
    "set -e; "
    "has() { command -v \"$1\" >/dev/null 2>&1; }; "
    "if has apt-get; then "
    "export DEBIAN_FRONTEND=noninteractive; "
    "apt-get update; apt-get install -y --no-install-recommends \"$@\"; "
    "apt-get clean; rm -rf /var/lib/apt/lists/*; "
    "elif has dnf; then dnf -y install \"$@\"; dnf clean all; "
    "elif has microdnf; then microdnf -y install \"$@\"; microdnf clean all; "
    "elif has zypper; then zypper --non-interactive install \"$@\"; zypper clean --all; "
    "elif has pacman; then pacman -Syu --noconfirm --needed \"$@\"; "
    "rm -rf /var/cache/pacman/pkg/*; "
    "elif has apk; then apk add --no-cache \"$@\"; "
    "else echo 'the image has no apt-get, dnf, microdnf, zypper, pacman or apk' >&2; exit 1; fi";

char *packages_text(char *const *packages)
{
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    for (; packages && *packages; packages++)
        g_ptr_array_add(sorted, *packages);
    g_ptr_array_sort(sorted, text_compare);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < sorted->len; i++)
        if (i == 0 || !g_str_equal(sorted->pdata[i - 1], sorted->pdata[i]))
            g_string_append_printf(text, "%s%s", i ? " " : "", (char *)sorted->pdata[i]);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *packages_containerfile(const char *base, const char *text)
{
    json_t *argv = json_pack("[s, s, s, s]", "/bin/sh", "-c", script, "packages");
    g_auto(GStrv) names = g_strsplit(text, " ", -1);
    for (char **name = names; *name; name++)
        json_array_append_new(argv, json_string(*name));
    char *run = json_dumps(argv, 0);
    char *contents = g_strdup_printf("FROM %s\nUSER 0\nRUN %s\n", base, run);
    free(run);
    json_decref(argv);
    return contents;
}
