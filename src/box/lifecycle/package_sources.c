#include "box/lifecycle/package_sources.h"

#include <fcntl.h>
#include <string.h>

#include "box/helpers/package_hosts.h"
#include "common/fs.h"
#include "common/tar.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/facts.h"
#include "podman/storage.h"
#include "sys/debug.h"

/* Bytes of one file, and of a folder with all that is not looked at: apt's keys. */
#define SOURCE_FILE_MAX (512 * 1024)
#define ARCHIVE_MAX (16 << 20)

#define APT_FOLDER "/etc/apt"
#define APT_PARTS "sources.list.d"

/* Where npm has the machine's configuration: PREFIX/etc/npmrc, and Debian's. */
static const char *const npm_configs[] = {"/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"};
/* The table of its settings: of Debian, of the distributions and npm's own, of Node's images. */
#define DEFINITIONS "@npmcli/config/lib/definitions/definitions.js"
static const char *const npm_definitions[] = {
    "/usr/share/nodejs/" DEFINITIONS, "/usr/lib/node_modules/npm/node_modules/" DEFINITIONS,
    "/usr/local/lib/node_modules/npm/node_modules/" DEFINITIONS};
/* The same, from the folder above that of npm's program: Node's own layout, and a project's. */
static const char *const npm_beside[] = {"lib/node_modules/npm/node_modules/" DEFINITIONS,
                                         "npm/node_modules/" DEFINITIONS};

/* The files of an archive, or of this machine. NAME is the path below the folder that was asked
 * for, or "". */
typedef void (*file_func)(const char *name, const char *data, gsize length, gpointer user_data);

typedef struct {
    file_func file;
    gpointer user_data;
    tar_reader *tar;
    GString *data;
    char *name;     /* of the file that is being read; NULL: none */
    gsize expected; /* bytes of it */
    gsize total;
} archive;

static void archive_end_file(archive *self)
{
    if (self->name && self->data->len == self->expected)
        self->file(self->name, self->data->str, self->data->len, self->user_data);
    g_clear_pointer(&self->name, g_free);
    g_string_truncate(self->data, 0);
}

static gboolean archive_entry(const tar_entry *entry, gpointer user_data, GError **error)
{
    archive *self = user_data;
    const char *slash = strchr(entry->name, '/');
    archive_end_file(self);
    if (entry->type != TAR_FILE || entry->size > SOURCE_FILE_MAX)
        return TRUE;
    self->name = g_strdup(slash ? slash + 1 : "");
    self->expected = (gsize)entry->size;
    return TRUE;
}

static gboolean archive_contents(const char *data, gsize length, gpointer user_data, GError **error)
{
    archive *self = user_data;
    if (self->name)
        g_string_append_len(self->data, data, (gssize)length);
    return TRUE;
}

static gboolean archive_chunk(const char *data, gsize length, gpointer user_data, GError **error)
{
    archive *self = user_data;
    self->total += length;
    if (self->total <= ARCHIVE_MAX)
        return tar_reader_feed(self->tar, data, length, error);
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "it is too large");
    return FALSE;
}

/* Calls FILE for the files at PATH of the container NAME. FALSE: they could not be read. */
static gboolean read_container(podman_client *server, const char *name, const char *path,
                               file_func file, gpointer user_data)
{
    static const tar_handler handler = {archive_entry, archive_contents};
    g_autoptr(GString) data = g_string_new(NULL);
    archive self = {.file = file, .user_data = user_data, .data = data};
    g_autoptr(tar_reader) tar = tar_reader_new(&handler, &self);
    g_autoptr(GError) problem = NULL;
    gboolean missing;
    self.tar = tar;
    if (podman_container_archive(server, name, path, archive_chunk, &self, &missing, &problem))
        archive_end_file(&self);
    else
        debug_log(DEBUG_BOX, "%s of the container '%s': %s", path, name, problem->message);
    g_free(self.name);
    return !problem;
}

static void read_machine_file(const char *folder, const char *name, file_func file,
                              gpointer user_data)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *data = NULL;
    gsize length;
    if (fs_read(AT_FDCWD, path, SOURCE_FILE_MAX, &data, &length, NULL))
        file(name, data, length, user_data);
}

/* The same for PATH of this machine: a file, or apt's folder. */
static void read_machine(const char *path, file_func file, gpointer user_data)
{
    g_autofree char *parts = g_build_filename(path, APT_PARTS, NULL);
    g_autoptr(GDir) files = g_dir_open(parts, 0, NULL);
    read_machine_file(path, "", file, user_data);
    read_machine_file(path, "sources.list", file, user_data);
    for (const char *name; files && (name = g_dir_read_name(files));) {
        g_autofree char *tail = g_build_filename(APT_PARTS, name, NULL);
        read_machine_file(path, tail, file, user_data);
    }
}

typedef struct {
    podman_client *server;
    const char *id; /* NULL: this machine */
    json_t *image;  /* what Podman says of that of the container; NULL: unknown */
    GPtrArray *hosts;
    gboolean has_registry;
    gboolean has_failed; /* a file could not be read, and may be there */
} finder;

static void read_files(finder *self, const char *path, file_func file)
{
    if (!self->id)
        read_machine(path, file, self);
    else if (storage_may_have(self->image, path) &&
             !read_container(self->server, self->id, path, file, self))
        self->has_failed = TRUE;
}

static void on_apt_file(const char *name, const char *data, gsize length, gpointer user_data)
{
    finder *self = user_data;
    gboolean is_deb822 = g_str_has_suffix(name, ".sources");
    const char *part = g_str_has_prefix(name, APT_PARTS "/") ? name + strlen(APT_PARTS "/") : NULL;
    if (strcmp(name, "sources.list") == 0 ||
        (part && !strchr(part, '/') && (is_deb822 || g_str_has_suffix(part, ".list"))))
        apt_sources_parse(data, length, is_deb822, self->hosts);
}

static void on_npm_config(const char *name, const char *data, gsize length, gpointer user_data)
{
    finder *self = user_data;
    self->has_registry |= npm_config_parse(data, length, self->hosts);
}

static void on_npm_definitions(const char *name, const char *data, gsize length, gpointer user_data)
{
    finder *self = user_data;
    npm_definitions_parse(data, length, self->hosts);
    self->has_registry = self->hosts->len > 0;
}

static void find_npm(finder *self)
{
    for (gsize i = 0; i < G_N_ELEMENTS(npm_configs); i++)
        read_files(self, npm_configs[i], on_npm_config);
    for (gsize i = 0; i < G_N_ELEMENTS(npm_definitions) && !self->has_registry; i++)
        read_files(self, npm_definitions[i], on_npm_definitions);
}

/* Of an npm of this machine whose program is in FOLDER. A box that could write the file would
 * choose what it reaches. */
static void find_beside(finder *self, const char *folder, char **writable)
{
    g_autofree char *above = g_path_get_dirname(folder);
    for (gsize i = 0; i < G_N_ELEMENTS(npm_beside) && !self->has_registry; i++) {
        g_autofree char *path = g_build_filename(above, npm_beside[i], NULL);
        g_autofree char *refusal = safe_path_refusal(path, writable);
        if (!refusal)
            read_machine(path, on_npm_definitions, self);
    }
}

/* Those of WANTED: the user's toolchains, and with the host image folders of PATH. */
static void find_other_npm(finder *self, const settings *wanted, const plan_facts *facts)
{
    g_auto(GStrv) writable = registry_writable_folders();
    for (char **folder = wanted->box.path; !self->id && folder && *folder; folder++)
        if (**folder == '/')
            find_beside(self, *folder, writable);
    for (guint i = 0; wanted->home.share_toolchains && i < facts->toolchains->len; i++) {
        const plan_toolchain *each = facts->toolchains->pdata[i];
        if (each->real && each->bin)
            find_beside(self, each->bin, writable);
    }
}

/* A line of an image that says where npm gets its packages, which may be no host that can be a
 * rule. */
#define NPM_IS_SET "@npm"

static void add_lines(GPtrArray *lines, const char *group, GPtrArray *hosts)
{
    for (guint i = 0; i < hosts->len; i++)
        g_ptr_array_add(lines, g_strdup_printf("%s %s", group, (char *)hosts->pdata[i]));
    g_ptr_array_set_size(hosts, 0);
}

static char **find_lines(finder *self)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    read_files(self, APT_FOLDER, on_apt_file);
    add_lines(lines, "@apt", self->hosts);
    find_npm(self);
    add_lines(lines, "@npm", self->hosts);
    if (self->has_registry)
        g_ptr_array_add(lines, g_strdup(NPM_IS_SET));
    return text_list(g_steal_pointer(&lines));
}

static gboolean overlaps_any(const char *path, const char *const *ours, gsize count)
{
    for (gsize i = 0; i < count; i++)
        if (fs_is_below(path, ours[i]) || fs_is_below(ours[i], path))
            return TRUE;
    return FALSE;
}

/* A mount may hide what the image has. */
static gboolean has_mount_of_ours(const json_t *request)
{
    static const char *const apt[] = {APT_FOLDER};
    json_t *mount;
    size_t at;
    json_array_foreach (json_object_get(request, "mounts"), at, mount) {
        const char *path = json_string_value(json_object_get(mount, "destination"));
        if (path && (overlaps_any(path, apt, G_N_ELEMENTS(apt)) ||
                     overlaps_any(path, npm_configs, G_N_ELEMENTS(npm_configs)) ||
                     overlaps_any(path, npm_definitions, G_N_ELEMENTS(npm_definitions))))
            return TRUE;
    }
    return json_object_get(request, "volumes") != NULL;
}

/* What the image or the machine says; a new list. */
static char **find_or_recall(finder *self, const struct box *of,
                             const package_sources_container *container)
{
    char **known = container->image ? package_hosts_of_image(container->image) : NULL;
    if (known) {
        self->has_registry = g_strv_contains((const char *const *)known, NPM_IS_SET);
        return known;
    }
    log_step("looking where the image of box '%s' gets its packages", of->name);
    g_autoptr(json_t) inspect =
        self->id ? podman_container_inspect(self->server, self->id, NULL) : NULL;
    const char *made_from = json_string_value(json_object_get(inspect, "Image"));
    gboolean has_mount = has_mount_of_ours(container->request);
    g_autoptr(json_t) image =
        made_from && !has_mount ? podman_image_inspect(self->server, made_from, NULL) : NULL;
    self->image = image;
    char **lines = find_lines(self);
    self->image = NULL;
    /* The image's name may have got another image since it was looked up. */
    if (container->image && !self->has_failed && !has_mount &&
        g_strcmp0(made_from, container->image) == 0)
        package_hosts_keep_image(container->image, lines);
    log_step_done();
    return lines;
}

gboolean package_sources_record(const struct box *self, podman_client *server,
                                const package_sources_container *container, GError **error)
{
    g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    finder find = {
        .server = server, .id = container->is_host_image ? NULL : container->id, .hosts = hosts};
    g_auto(GStrv) found = find_or_recall(&find, self, container);
    for (char **line = found; *line; line++)
        if (strcmp(*line, NPM_IS_SET) != 0)
            g_ptr_array_add(lines, g_strdup(*line));
    find_other_npm(&find, container->wanted, container->facts);
    add_lines(lines, "@npm", hosts);
    g_ptr_array_add(lines, NULL);
    return package_hosts_write(self, container->id, (char *const *)lines->pdata, error);
}
