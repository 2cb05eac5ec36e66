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

void trust_bundle_add(GString *bundle, const char *authority)
{
    g_string_append_printf(bundle, BEGIN "%s" END "\n", authority);
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

static char *read_bundle(int root)
{
    for (gsize i = 0; trust_bundle_paths[i]; i++) {
        g_autofree char *text = NULL;
        gsize length = 0;
        if (read_in(root, trust_bundle_paths[i], TRUST_BUNDLE_MAX, &text, &length))
            return g_string_free(trust_bundle_without(text, length), FALSE);
    }
    return NULL;
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

gboolean trust_files_write(const struct box *self, pid_t pid, const char *authority, GError **error)
{
    int root = open_root(pid);
    g_autofree char *bundle = root >= 0 ? read_bundle(root) : NULL;
    g_autoptr(GString) java = root >= 0 ? read_java_store(root) : NULL;
    g_autofree char *folder = g_build_filename(self->data, PLAN_DATA_CERTIFICATES, NULL);
    g_autofree char *path = g_build_filename(folder, PLAN_CERTIFICATES_FILE, NULL);
    g_autofree char *java_path = g_build_filename(folder, PLAN_CERTIFICATES_JAVA, NULL);
    if (root >= 0)
        close(root);
    if (!bundle)
        bundle = read_host_bundle();
    g_autofree char *text = g_strconcat(authority, bundle, NULL);
    if (!java)
        java = java_store_of(bundle ? bundle : "");
    java_store_add(java, authority);
    /* A box of before this was there has no mount of it, and finds no file. */
    return fs_make_folder(folder, 0755, error) && fs_write(path, text, -1, 0644, error) &&
           fs_write(java_path, java->str, (gssize)java->len, 0644, error);
}
