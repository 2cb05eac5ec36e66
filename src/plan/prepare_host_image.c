/*
 * The root folder of a box on the host image: mount points, the host's links below /, and an /etc
 * of copies and links.
 *
 * A stamp file beside the folder records what it was made from. While the stamp matches, only the
 * copies in /etc are compared with the originals, by size and time; otherwise the folder is written
 * anew.
 */
#include "plan/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/fs.h"

/* Increase when the contents change for the same facts. */
#define LAYOUT "2"

static const char *const folders[] = {
    "dev", "etc", "home", "media", "mnt",       "opt",     "proc",    "root",
    "run", "srv", "sys",  "tmp",   "var/cache", "var/lib", "var/log", "var/tmp",
};

static char *in_root(const plan_prepare_context *self, const char *tail)
{
    return g_build_filename(self->box->data, PLAN_DATA_ROOT, tail, NULL);
}

static char *in_etc(const plan_prepare_context *self, const char *name)
{
    return g_build_filename(self->box->data, PLAN_DATA_ROOT, "etc", name, NULL);
}

static gboolean make_image_folder(const char *path, GError **error)
{
    return g_mkdir_with_parents(path, 0755) == 0 || fs_fail(error, "make", path);
}

static gboolean make_parent(const char *path, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);

    return make_image_folder(parent, error);
}

static gboolean make_link(const char *target, const char *path, GError **error)
{
    if (!make_parent(path, error))
        return FALSE;
    return symlink(target, path) == 0 || errno == EEXIST || fs_fail(error, "make the link", path);
}

static gboolean make_etc_entry(const plan_prepare_context *self, const plan_etc *etc,
                               GError **error)
{
    g_autofree char *path = in_etc(self, etc->name);

    switch (etc->method) {
    case PLAN_ETC_LINK:
        return make_link(etc->target, path, error);
    case PLAN_ETC_BIND:
        return make_image_folder(path, error);
    case PLAN_ETC_COPY:
        break;
    }
    return make_parent(path, error);
}

static gboolean make_tree(const plan_prepare_context *self, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = in_root(self, folders[i]);
        if (!make_image_folder(path, error))
            return FALSE;
    }
    for (guint i = 0; i < self->facts->root_folders->len; i++) {
        const plan_root_folder *folder = self->facts->root_folders->pdata[i];
        g_autofree char *path = in_root(self, folder->name);
        if (!(folder->target ? make_link(folder->target, path, error)
                             : make_image_folder(path, error)))
            return FALSE;
    }
    for (guint i = 0; i < self->facts->etc->len; i++)
        if (!make_etc_entry(self, self->facts->etc->pdata[i], error))
            return FALSE;
    g_autofree char *run = in_root(self, "var/run");
    g_autofree char *mtab = in_etc(self, "mtab");
    return make_link("/run", run, error) && make_link("../proc/self/mounts", mtab, error);
}

static gboolean write_etc(const plan_prepare_context *self, const char *name, const char *text,
                          GError **error)
{
    g_autofree char *path = in_etc(self, name);

    return plan_write_file(path, text, -1, 0444, error);
}

static gboolean write_users(const plan_prepare_context *self, GError **error)
{
    const plan_facts *facts = self->facts;
    g_autofree char *passwd =
        g_strdup_printf("root:x:0:0:root:/root:/bin/sh\n%s:x:%u:%u::%s:%s\n"
                        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                        facts->user, facts->uid, facts->gid, facts->home, facts->shell);
    g_autofree char *group = g_strdup_printf("root:x:0:\ntty:x:5:\n%s:x:%u:\nnogroup:x:65534:\n",
                                             facts->group, facts->gid);
    g_autofree char *shells = g_strdup_printf("/bin/sh\n/bin/bash\n%s\n", facts->shell);

    return write_etc(self, "passwd", passwd, error) && write_etc(self, "group", group, error) &&
           write_etc(self, "shells", shells, error);
}

/* A random machine id: with the host's, boxes could tell that they run on the same machine. */
static gboolean write_machine_id(const plan_prepare_context *self, GError **error)
{
    g_autofree char *uuid = g_uuid_string_random();
    g_autoptr(GString) id = g_string_new(uuid);

    g_string_replace(id, "-", "", 0);
    g_string_append_c(id, '\n');
    return write_etc(self, "machine-id", id->str, error);
}

static gboolean write_names(const plan_prepare_context *self, GError **error)
{
    g_autofree char *hosts = plan_hosts_content(self->box, self->wanted);
    g_autofree char *resolv = plan_resolv_content(self->wanted);
    g_autofree char *hostname = g_strconcat(self->box->name, "\n", NULL);
    g_autofree char *path = plan_profile_content(self->box, self->request);
    g_autofree char *profile =
        g_strconcat("[ ! -r /etc/profile.host ] || . /etc/profile.host\n", path, NULL);

    return write_etc(self, "hosts", hosts, error) &&
           write_etc(self, "resolv.conf", resolv, error) &&
           write_etc(self, "hostname", hostname, error) &&
           write_etc(self, "profile", profile, error);
}

static const char nsswitch[] = "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n"
                               "networks: files\nprotocols: files\nservices: files\n"
                               "ethers: files\nrpc: files\n";

/* Copies /etc/NAME unless the copy has the same size and time. */
static gboolean copy_etc(const plan_prepare_context *self, const char *name, GError **error)
{
    g_autofree char *from = g_build_filename("/etc", name, NULL);
    /* The generated profile reads the host's first. */
    g_autofree char *to = in_etc(self, strcmp(name, "profile") == 0 ? "profile.host" : name);
    g_autofree char *text = NULL;
    struct stat old, new;
    gsize length = 0;

    /* The host may have removed it since the probe; then the box has none. */
    if (stat(from, &new) < 0)
        return TRUE;
    if (lstat(to, &old) == 0 && old.st_size == new.st_size &&
        old.st_mtim.tv_sec == new.st_mtim.tv_sec &&old.st_mtim.tv_nsec == new.st_mtim.tv_nsec)
        return TRUE;
    if (!g_file_get_contents(from, &text, &length, NULL))
        return TRUE;
    if (!plan_write_file(to, text, length, 0644, error))
        return FALSE;
    struct timespec times[] = {new.st_mtim, new.st_mtim};
    return utimensat(AT_FDCWD, to, times, 0) == 0 || fs_fail(error, "date", to);
}

static gboolean refresh_copies(const plan_prepare_context *self, GError **error)
{
    for (guint i = 0; i < self->facts->etc->len; i++) {
        const plan_etc *etc = self->facts->etc->pdata[i];
        if (etc->method == PLAN_ETC_COPY && !copy_etc(self, etc->name, error))
            return FALSE;
    }
    return write_names(self, error);
}

/* Everything that the folder is made from, except for what refresh_copies() compares. */
static char *stamp_text(const plan_prepare_context *self)
{
    const plan_facts *facts = self->facts;
    g_autoptr(GString) text = g_string_new(LAYOUT "\n");

    g_string_append_printf(text, "%u %u %s %s %s %s\n", facts->uid, facts->gid, facts->user,
                           facts->group, facts->home, facts->shell);
    for (guint i = 0; i < facts->root_folders->len; i++) {
        const plan_root_folder *folder = facts->root_folders->pdata[i];
        g_string_append_printf(text, "%s %s\n", folder->name,
                               folder->target ? folder->target : "-");
    }
    for (guint i = 0; i < facts->etc->len; i++) {
        const plan_etc *etc = facts->etc->pdata[i];
        g_string_append_printf(text, "%s %d %s\n", etc->name, etc->method,
                               etc->target ? etc->target : "-");
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static gboolean rebuild(const plan_prepare_context *self, const char *root, GError **error)
{
    return fs_remove_tree(root, error) && make_image_folder(root, error) &&
           make_tree(self, error) && write_users(self, error) && write_machine_id(self, error) &&
           write_etc(self, "nsswitch.conf", nsswitch, error) && refresh_copies(self, error);
}

gboolean plan_prepare_host_image(const plan_prepare_context *self, GError **error)
{
    g_autofree char *root = plan_data_path(self->box, PLAN_DATA_ROOT);
    g_autofree char *stamp = plan_data_path(self->box, PLAN_DATA_ROOT ".stamp");
    g_autofree char *text = stamp_text(self);
    g_autofree char *old = NULL;

    if (fs_read(AT_FDCWD, stamp, 1 << 20, &old, NULL, NULL) && strcmp(old, text) == 0)
        return refresh_copies(self, error);
    unlink(stamp);
    return rebuild(self, root, error) && plan_write_file(stamp, text, -1, 0600, error);
}
