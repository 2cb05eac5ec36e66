/* Finding a cookie in an .Xauthority file, and writing one. */
#include "host/bridge/core/x_display.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIT "MIT-MAGIC-COOKIE-1"

static void add_field(GByteArray *file, const char *bytes, gsize length)
{
    guint8 size[] = {(guint8)(length >> 8), (guint8)length};
    g_byte_array_append(file, size, 2);
    g_byte_array_append(file, (const guint8 *)bytes, (guint)length);
}

static void add(GByteArray *file, guint family, const char *address, const char *number,
                const char *name, const char *cookie)
{
    guint8 bytes[] = {(guint8)(family >> 8), (guint8)family};
    g_byte_array_append(file, bytes, 2);
    add_field(file, address, strlen(address));
    add_field(file, number, strlen(number));
    add_field(file, name, strlen(name));
    add_field(file, cookie, strlen(cookie));
}

static char *find(const GByteArray *file, gsize length)
{
    const unsigned char *found = xauthority_find(file->data, length, "host", "1");
    return found ? g_strndup((const char *)found, XAUTHORITY_COOKIE) : NULL;
}

static void test_find(void)
{
    g_autoptr(GByteArray) file = g_byte_array_new();
    add(file, 0, "host", "1", MIT, "an-internet-one.");
    add(file, 256, "other", "1", MIT, "another-machine.");
    add(file, 256, "host", "11", MIT, "another-display.");
    add(file, 256, "host", "1", "XDM-AUTHORIZATION-1", "another-kind-of.");
    add(file, 256, "host", "1", MIT, "too-short");
    g_autofree char *none = find(file, file->len);
    g_assert_null(none);
    add(file, 256, "host", "1", MIT, "the-right-cookie");
    add(file, 256, "host", "1", MIT, "not-the-first---");
    g_autofree char *found = find(file, file->len);
    g_assert_cmpstr(found, ==, "the-right-cookie");
}

static void test_cut_off(void)
{
    g_autoptr(GByteArray) file = g_byte_array_new();
    add(file, 65535, "", "", MIT, "the-right-cookie");
    for (gsize length = 0; length < file->len; length++) {
        g_autofree guint8 *copy = g_memdup2(file->data, length ? length : 1);
        g_assert_null(xauthority_find(copy, length, "host", "1"));
    }
    g_autofree char *found = find(file, file->len);
    g_assert_cmpstr(found, ==, "the-right-cookie");
}

static void test_write(void)
{
    unsigned char entry[XAUTHORITY_ENTRY];
    g_autoptr(GByteArray) file = g_byte_array_new();
    add(file, 65535, "", "", MIT, "the-right-cookie");
    xauthority_write(entry, (const unsigned char *)"the-right-cookie");
    g_assert_cmpmem(entry, sizeof entry, file->data, file->len);
}

/* An existing file, or a symbolic link, is left alone. */
static void test_save(void)
{
    g_autofree char *folder = g_dir_make_tmp("xauthority-XXXXXX", NULL), *found = NULL;
    g_autofree char *path = g_build_filename(folder, "cookie", NULL);
    unsigned char entry[XAUTHORITY_ENTRY];
    gsize length;
    int at = open(folder, O_PATH | O_CLOEXEC);
    const unsigned char *cookie = (const unsigned char *)"the-right-cookie";
    struct stat st;
    xauthority_write(entry, cookie);
    g_assert_cmpint(xauthority_save(at, "cookie", cookie), ==, 0);
    g_assert_true(g_file_get_contents(path, &found, &length, NULL));
    g_assert_cmpmem(entry, sizeof entry, found, length);
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpuint(st.st_mode & 07777, ==, 0600);
    g_assert_cmpint(xauthority_save(at, "cookie", cookie), ==, -1);
    g_assert_cmpint(symlinkat("new", at, "link"), ==, 0);
    g_assert_cmpint(xauthority_save(at, "link", cookie), ==, -1);
    g_assert_cmpint(unlinkat(at, "link", 0) | unlinkat(at, "cookie", 0), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    close(at);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/xauthority/finds the cookie of a display", test_find);
    g_test_add_func("/xauthority/reads nothing beyond the end", test_cut_off);
    g_test_add_func("/xauthority/writes an entry for all displays", test_write);
    g_test_add_func("/xauthority/does not overwrite a file or follow a link", test_save);
    return g_test_run();
}
