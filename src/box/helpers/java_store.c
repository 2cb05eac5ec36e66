#include "box/helpers/java_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/der.h"
#include "box/helpers/java_pkcs12.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "plan/plan.h"

#define MAGIC 0xFEEDFEEDu
#define VERSION 2
#define HEADER_SIZE 12
#define COUNT_AT 8
#define DIGEST_SIZE 20
enum { TAG_KEY = 1, TAG_CERTIFICATE = 2 };
/* The password "changeit" in UTF-16, and what Java puts behind every password. */
#define SALT "\0c\0h\0a\0n\0g\0e\0i\0tMighty Aphrodite"
#define TYPE "X.509"
/* Java's own are in lower case. */
#define OURS "litterbox: the authority of this box alone"

#define PEM_BEGIN "-----BEGIN CERTIFICATE-----"
#define PEM_END "-----END CERTIFICATE-----"

/* Names in one folder that are looked at. */
#define NAMES_MAX 256
/* Files of one box. The contents of all are in memory at once. */
#define STORES_MAX 64

/* Of Debian, Ubuntu, Alpine and Arch; Fedora; openSUSE. Those in the runtimes of their packages
 * are links to them. */
static const char *const system_paths[] = {"/etc/ssl/certs/java/cacerts", "/etc/pki/java/cacerts",
                                           "/etc/pki/ca-trust/extracted/java/cacerts",
                                           "/var/lib/ca-certificates/java-cacerts", NULL};
/* Runtimes with a file of their own: packages of their makers, archives of those, and images. */
static const char *const runtime_folders[] = {"/usr/lib/jvm", "/usr/lib64/jvm",
                                              "/usr/java",    "/usr/lib64/graalvm",
                                              "/usr/local",   "/usr/local/sdkman/candidates/java",
                                              "/opt/java",    "/opt"};
/* The second is that of Java 8. */
static const char *const in_runtime[] = {"/lib/security/cacerts", "/jre/lib/security/cacerts"};

/* Whether there is a PATH, or a reason why it cannot be opened, which is told to the user. */
static gboolean is_there(int root, const char *path)
{
    int fd = fs_open_in_root(root, path, O_PATH);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
}

static void add_runtime(int root, const char *folder, const char *name, GPtrArray *paths)
{
    for (gsize i = 0; i < G_N_ELEMENTS(in_runtime) && paths->len < STORES_MAX; i++) {
        g_autofree char *path = g_strconcat(folder, "/", name, in_runtime[i], NULL);
        if (is_there(root, path))
            g_ptr_array_add(paths, g_steal_pointer(&path));
    }
}

static void add_runtimes(int root, const char *folder, GPtrArray *paths)
{
    int fd = fs_open_in_root(root, folder, O_RDONLY | O_DIRECTORY);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !list)
        close(fd);
    struct dirent *entry = NULL;
    for (guint i = 0; list && i < NAMES_MAX && (entry = readdir(list)); i++)
        if (entry->d_name[0] != '.' && text_has_only(entry->d_name, "._+-"))
            add_runtime(root, folder, entry->d_name, paths);
    if (list)
        closedir(list);
}

char **java_store_paths(int root)
{
    GPtrArray *paths = g_ptr_array_new();
    for (gsize i = 0; system_paths[i]; i++)
        g_ptr_array_add(paths, g_strdup(system_paths[i]));
    for (gsize i = 0; i < G_N_ELEMENTS(runtime_folders); i++)
        add_runtimes(root, runtime_folders[i], paths);
    return text_list(paths);
}

gboolean java_store_is_path(const char *path)
{
    for (gsize i = 0; i < G_N_ELEMENTS(runtime_folders); i++)
        if (fs_is_below(path, runtime_folders[i]) && g_str_has_suffix(path, in_runtime[0]))
            return TRUE;
    return g_strv_contains(system_paths, path);
}

/* What is left to read. */
typedef struct {
    const guint8 *at, *end;
} reader;

static gboolean skip(reader *self, guint32 count)
{
    if (count > (gsize)(self->end - self->at))
        return FALSE;
    self->at += count;
    return TRUE;
}

/* A number of SIZE bytes. */
static gboolean take(reader *self, guint size, guint32 *number)
{
    const guint8 *from = self->at;
    *number = 0;
    if (!skip(self, size))
        return FALSE;
    for (guint i = 0; i < size; i++)
        *number = *number << 8 | from[i];
    return TRUE;
}

static gboolean skip_counted(reader *self, guint size)
{
    guint32 length;
    return take(self, size, &length) && skip(self, length);
}

static gboolean skip_certificate(reader *self)
{
    return skip_counted(self, 2) && skip_counted(self, 4);
}

static gboolean skip_chain(reader *self)
{
    guint32 count;
    if (!skip_counted(self, 4) || !take(self, 4, &count))
        return FALSE;
    for (; count > 0; count--)
        if (!skip_certificate(self))
            return FALSE;
    return TRUE;
}

/* *IS_OURS: java_store_add() has added it. */
static gboolean skip_entry(reader *self, gboolean *is_ours)
{
    guint32 tag, length;
    if (!take(self, 4, &tag) || !take(self, 2, &length))
        return FALSE;
    const guint8 *name = self->at;
    if (!skip(self, length) || !skip(self, 8))
        return FALSE;
    *is_ours = tag == TAG_CERTIFICATE && length == strlen(OURS) && memcmp(name, OURS, length) == 0;
    return tag == TAG_CERTIFICATE ? skip_certificate(self) : tag == TAG_KEY && skip_chain(self);
}

static void put(GString *to, guint size, guint32 number)
{
    for (guint shift = size * 8; shift > 0; shift -= 8)
        g_string_append_c(to, (char)(number >> (shift - 8) & 0xff));
}

static void put_counted(GString *to, guint size, const void *data, gsize length)
{
    put(to, size, (guint32)length);
    g_string_append_len(to, data, (gssize)length);
}

static void set_count(GString *store, guint32 count)
{
    for (guint i = 0; i < 4; i++)
        store->str[COUNT_AT + i] = (char)(count >> (24 - 8 * i) & 0xff);
}

static void digest(const char *data, gsize length, guint8 into[DIGEST_SIZE])
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA1);
    gsize size = DIGEST_SIZE;
    g_checksum_update(sum, (const guchar *)SALT, sizeof SALT - 1);
    g_checksum_update(sum, (const guchar *)data, (gssize)length);
    g_checksum_get_digest(sum, into, &size);
    g_checksum_free(sum);
}

static void seal(GString *store)
{
    guint8 sum[DIGEST_SIZE];
    digest(store->str, store->len, sum);
    g_string_append_len(store, (const char *)sum, DIGEST_SIZE);
}

static gboolean is_sealed(const char *data, gsize length)
{
    guint8 sum[DIGEST_SIZE];
    if (length < HEADER_SIZE + DIGEST_SIZE)
        return FALSE;
    digest(data, length - DIGEST_SIZE, sum);
    return memcmp(sum, data + length - DIGEST_SIZE, DIGEST_SIZE) == 0;
}

/* Appends those entries that are not ours to REST, which has the header. */
static gboolean copy_entries(reader *from, guint32 count, GString *rest)
{
    guint32 kept = 0;
    for (; count > 0; count--) {
        const guint8 *start = from->at;
        gboolean is_ours = FALSE;
        if (!skip_entry(from, &is_ours))
            return FALSE;
        kept += !is_ours;
        if (!is_ours)
            g_string_append_len(rest, (const char *)start, from->at - start);
    }
    set_count(rest, kept);
    return from->at == from->end;
}

static GString *jks_without(const char *data, gsize length)
{
    guint32 magic = 0, version = 0, count = 0;
    reader from = {(const guint8 *)data, (const guint8 *)data + length};
    if (!take(&from, 4, &magic) || !take(&from, 4, &version) || !take(&from, 4, &count) ||
        magic != MAGIC || version != VERSION || !is_sealed(data, length))
        return NULL;
    from.end -= DIGEST_SIZE;
    g_autoptr(GString) rest = g_string_new_len(data, HEADER_SIZE);
    if (!copy_entries(&from, count, rest))
        return NULL;
    seal(rest);
    return g_steal_pointer(&rest);
}

static gboolean is_pkcs12(const char *data, gsize length)
{
    return length > 0 && (guint8)data[0] == DER_SEQUENCE;
}

GString *java_store_without(const char *data, gsize length, GError **error)
{
    GString *rest = is_pkcs12(data, length) ? java_pkcs12_without(data, length, OURS)
                                            : jks_without(data, length);
    if (!rest)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_FAILED,
            "it is neither a JKS with the usual password nor a PKCS12 without one; its Java "
            "needs -Djavax.net.ssl.trustStore=" PLAN_CERTIFICATES "/" PLAN_CERTIFICATES_JAVA);
    return rest;
}

static gboolean is_certificate(const guint8 *data, gsize length)
{
    der_reader rest = {data, data + length}, contents;
    return der_take(&rest, DER_SEQUENCE, &contents) && rest.at == rest.end;
}

/* The next certificate of *TEXT, which is then what is behind it. NULL at the end; else *LENGTH may
 * be 0, as it is none. */
static guint8 *next_certificate(const char **text, gsize *length)
{
    const char *begin = strstr(*text, PEM_BEGIN);
    begin = begin ? begin + strlen(PEM_BEGIN) : NULL;
    const char *end = begin ? strstr(begin, PEM_END) : NULL;
    if (!end)
        return NULL;
    *text = end + strlen(PEM_END);
    g_autofree char *encoded = g_strndup(begin, (gsize)(end - begin));
    guint8 *der = g_base64_decode(encoded, length);
    if (!is_certificate(der, *length))
        *length = 0;
    return der;
}

static void append_entry(GString *store, const char *name, const guint8 *der, gsize length)
{
    put(store, 4, TAG_CERTIFICATE);
    put_counted(store, 2, name, strlen(name));
    /* No date: what is made of the same certificates is the same. */
    put(store, 4, 0);
    put(store, 4, 0);
    put_counted(store, 2, TYPE, strlen(TYPE));
    put_counted(store, 4, der, length);
}

GString *java_store_of(const char *bundle)
{
    GString *store = g_string_new(NULL);
    guint32 count = 0;
    gsize length;
    guint8 *der;
    put(store, 4, MAGIC);
    put(store, 4, VERSION);
    put(store, 4, 0);
    while ((der = next_certificate(&bundle, &length))) {
        g_autofree char *name = g_strdup_printf("certificate %u", count);
        if (length > 0) {
            append_entry(store, name, der, length);
            count++;
        }
        g_free(der);
    }
    set_count(store, count);
    seal(store);
    return store;
}

static gboolean jks_add(GString *store, const guint8 *der, gsize length)
{
    guint32 count = 0;
    reader at_count = {(const guint8 *)store->str + COUNT_AT,
                       (const guint8 *)store->str + HEADER_SIZE};
    if (!take(&at_count, 4, &count) || count == G_MAXUINT32)
        return FALSE;
    g_string_truncate(store, store->len - DIGEST_SIZE);
    append_entry(store, OURS, der, length);
    set_count(store, count + 1);
    seal(store);
    return TRUE;
}

gboolean java_store_add(GString *store, const char *authority)
{
    gsize length = 0;
    g_autofree guint8 *der = next_certificate(&authority, &length);
    if (length == 0)
        return FALSE;
    if (!is_pkcs12(store->str, store->len))
        return jks_add(store, der, length);
    java_pkcs12_add(store, OURS, der, length);
    return TRUE;
}
