#include "box/helpers/trust_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/java_store.h"
#include "common/fs.h"
#include "plan/plan.h"

/* What is not a certificate is a comment (RFC 7468, 5.2). The empty line is for a bundle whose last
 * line does not end. */
#define BEGIN "\n# Litterbox: the authority of this box alone, which each start renews\n"
#define END "# Litterbox: end"

/* Of Debian and Alpine, Fedora, Alpine, openSUSE; and what those of Fedora, Arch and openSUSE are
 * links to. */
const char *const trust_bundle_paths[] = {"/etc/ssl/certs/ca-certificates.crt",
                                          "/etc/pki/tls/certs/ca-bundle.crt",
                                          "/etc/ssl/cert.pem",
                                          "/etc/ssl/ca-bundle.pem",
                                          "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                          "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
                                          "/var/lib/ca-certificates/ca-bundle.pem",
                                          NULL};

const char *const trust_p11_kit_paths[] = {
    "/usr/share/pki/ca-trust-source/ca-bundle.trust.p11-kit",
    "/usr/share/ca-certificates/trust-source/mozilla.trust.p11-kit",
    "/usr/share/pki/trust/ca-certificates-mozilla.trust.p11-kit", NULL};

GString *trust_bundle_without(const char *text, gsize length)
{
    GString *rest = g_string_sized_new(length);
    const char *stop = text + length;
    for (;;) {
        const char *begin = memmem(text, (gsize)(stop - text), BEGIN, strlen(BEGIN));
        const char *end = begin ? memmem(begin, (gsize)(stop - begin), END, strlen(END)) : NULL;
        if (!end)
            break;
        g_string_append_len(rest, text, begin - text);
        text = end + strlen(END);
        text += text < stop && *text == '\n';
        /* What a program has added behind it is a line of its own. */
        if (text < stop && *text != '\n' && rest->len > 0 && rest->str[rest->len - 1] != '\n')
            g_string_append_c(rest, '\n');
    }
    return g_string_append_len(rest, text, stop - text);
}

gboolean trust_bundle_add(GString *bundle, const char *authority)
{
    g_string_append_printf(bundle, BEGIN "%s" END "\n", authority);
    return TRUE;
}

gboolean trust_p11_kit_add(GString *text, const char *authority)
{
    g_autofree char *object = g_strconcat("[p11-kit-object-v1]\ntrusted: true\n", authority, NULL);
    return trust_bundle_add(text, object);
}

/* O_NONBLOCK: it may be a FIFO. */
static gboolean read_in(int root, const char *path, gsize max, char **text, gsize *length)
{
    int fd = fs_open_in_root(root, path, O_RDONLY | O_NONBLOCK);
    gboolean got = fd >= 0 && fs_read_fd(fd, path, max, text, length, NULL);
    if (fd >= 0)
        close(fd);
    return got;
}

/* The first of PATHS that can be read, as the image has it. */
static GString *read_first(int root, const char *const *paths)
{
    for (; *paths; paths++) {
        g_autofree char *text = NULL;
        gsize length = 0;
        if (read_in(root, *paths, TRUST_BUNDLE_MAX, &text, &length))
            return trust_bundle_without(text, length);
    }
    return NULL;
}

static char *read_bundle(int root)
{
    GString *bundle = read_first(root, trust_bundle_paths);
    return bundle ? g_string_free(bundle, FALSE) : NULL;
}

/* Java's own may have more than the bundle. NULL: it has none that we know. */
static GString *read_java_store(int root)
{
    g_auto(GStrv) paths = java_store_paths(root);
    for (char **path = paths; *path; path++) {
        g_autofree char *data = NULL;
        gsize length = 0;
        GString *store = read_in(root, *path, JAVA_STORE_MAX, &data, &length)
                             ? java_store_without(data, length, NULL)
                             : NULL;
        if (store)
            return store;
    }
    return NULL;
}

static int open_root(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/root", (int)pid);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static char *read_host_bundle(void)
{
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char *bundle = root >= 0 ? read_bundle(root) : NULL;
    if (root >= 0)
        close(root);
    return bundle;
}

/* In a system that has none nobody reads it. */
static gboolean write_p11_kit(int root, const char *folder, const char *authority, GError **error)
{
    g_autofree char *path = g_build_filename(folder, PLAN_CERTIFICATES_P11_KIT, NULL);
    g_autoptr(GString) text = read_first(root, trust_p11_kit_paths);
    if (!text)
        return TRUE;
    trust_p11_kit_add(text, authority);
    return fs_write(path, text->str, (gssize)text->len, 0644, error);
}

/* With AUTHORITY at its beginning, and the certificates of BUNDLE. */
static gboolean write_bundle(const char *folder, const char *bundle, const char *authority,
                             GError **error)
{
    g_autofree char *path = g_build_filename(folder, PLAN_CERTIFICATES_FILE, NULL);
    g_autofree char *text = g_strconcat(authority, bundle, NULL);
    return fs_write(path, text, -1, 0644, error);
}

static gboolean write_java_store(int root, const char *folder, const char *bundle,
                                 const char *authority, GError **error)
{
    g_autofree char *path = g_build_filename(folder, PLAN_CERTIFICATES_JAVA, NULL);
    g_autoptr(GString) store = read_java_store(root);
    if (!store)
        store = java_store_of(bundle ? bundle : "");
    java_store_add(store, authority);
    return fs_write(path, store->str, (gssize)store->len, 0644, error);
}

gboolean trust_files_write(const struct box *self, pid_t pid, const char *authority, GError **error)
{
    int root = open_root(pid);
    g_autofree char *bundle = read_bundle(root);
    g_autofree char *folder = g_build_filename(self->data, PLAN_DATA_CERTIFICATES, NULL);
    if (!bundle)
        bundle = read_host_bundle();
    /* A box of before this was there has no mount of it, and finds no file. */
    gboolean done = fs_make_folder(folder, 0755, error) &&
                    write_bundle(folder, bundle, authority, error) &&
                    write_java_store(root, folder, bundle, authority, error) &&
                    write_p11_kit(root, folder, authority, error);
    if (root >= 0)
        close(root);
    return done;
}
