/* The log of the agent: a line for each entry, rotation, and write failures. */
#include "ssh-agent/agent/audit.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char *folder;
    audit *log;
} place;

static place begin(void)
{
    place made = {g_dir_make_tmp("audit-XXXXXX", NULL), NULL};
    made.log = audit_new(made.folder);
    g_assert_nonnull(made.log);
    return made;
}

static void finish(place *self)
{
    for (int i = 0; i <= AUDIT_OLD + 1; i++) {
        g_autofree char *name = i ? g_strdup_printf(AUDIT_FILE ".%d", i) : g_strdup(AUDIT_FILE);
        g_autofree char *path = g_build_filename(self->folder, name, NULL);
        g_remove(path);
    }
    audit_free(self->log);
    g_assert_cmpint(g_rmdir(self->folder), ==, 0);
    g_free(self->folder);
}

static char *path_of(const place *self, const char *name)
{
    return g_build_filename(self->folder, name, NULL);
}

static void test_lines(void)
{
    place here = begin();
    g_autofree char *path = path_of(&here, AUDIT_FILE), *text = NULL;
    struct stat st;
    g_assert_true(audit_write(here.log, json_pack("{s:s}", "user", "a\nb")));
    g_assert_true(audit_write(here.log, json_pack("{s:i}", "n", 2)));
    g_assert_false(audit_write(here.log, NULL));
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 3);
    g_assert_true(g_str_has_prefix(lines[0], "{\"time\":\"2"));
    g_assert_true(g_str_has_suffix(lines[0], "\"user\":\"a\\nb\"}"));
    g_assert_true(g_str_has_suffix(lines[1], "\"n\":2}"));
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 07777, ==, 0600);
    finish(&here);
}

static void test_rotation(void)
{
    place here = begin();
    g_autofree char *long_text = g_strnfill(AUDIT_BYTES / 4, 'x');
    for (int i = 0; i < 4 * (AUDIT_OLD + 2); i++)
        g_assert_true(audit_write(here.log, json_pack("{s:s}", "x", long_text)));
    for (int i = 0; i <= AUDIT_OLD + 1; i++) {
        g_autofree char *name = i ? g_strdup_printf(AUDIT_FILE ".%d", i) : g_strdup(AUDIT_FILE);
        g_autofree char *path = path_of(&here, name);
        struct stat st;
        g_assert_cmpint(stat(path, &st), ==, i <= AUDIT_OLD ? 0 : -1);
        if (i <= AUDIT_OLD)
            g_assert_cmpint(st.st_size, <=, AUDIT_BYTES);
    }
    finish(&here);
}

static void test_failures(void)
{
    place here = begin();
    g_autofree char *path = path_of(&here, AUDIT_FILE), *target = path_of(&here, "elsewhere");
    g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
    g_assert_false(audit_write(here.log, json_object()));
    g_assert_cmpint(g_rmdir(path), ==, 0);
    /* A symbolic link is not followed. */
    g_assert_cmpint(symlink(target, path), ==, 0);
    g_assert_false(audit_write(here.log, json_object()));
    g_assert_false(g_file_test(target, G_FILE_TEST_EXISTS));
    g_assert_cmpint(g_remove(path), ==, 0);
    g_assert_true(audit_write(here.log, json_object()));
    finish(&here);
}

static guint lines_of(const place *self)
{
    g_autofree char *path = path_of(self, AUDIT_FILE), *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    return g_strv_length(lines) - 1;
}

/* Many refusals of a box do not push signatures out of the log. */
static void test_refusals(void)
{
    const gint64 pause = AUDIT_REFUSAL_SECONDS * (gint64)G_USEC_PER_SEC;
    place here = begin();
    g_autofree char *path = path_of(&here, AUDIT_FILE), *text = NULL;
    audit_write(here.log, json_pack("{s:s}", "decision", "signed"));
    for (int i = 0; i < 100000; i++)
        audit_write_refusal(here.log, "x", json_pack("{s:i}", "n", i), 0);
    g_assert_cmpuint(lines_of(&here), ==, 1 + AUDIT_REFUSALS);
    /* Each box has a limit of its own. */
    audit_write_refusal(here.log, "y", json_object(), 0);
    g_assert_cmpuint(lines_of(&here), ==, 2 + AUDIT_REFUSALS);
    audit_write_refusal(here.log, "x", json_object(), pause);
    audit_write_refusal(here.log, "x", json_object(), pause);
    g_assert_cmpuint(lines_of(&here), ==, 3 + AUDIT_REFUSALS);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_autofree char *left = g_strdup_printf("\"left_out\":%d}", 100000 - AUDIT_REFUSALS);
    g_assert_nonnull(strstr(text, left));
    g_assert_nonnull(strstr(text, "signed"));
    finish(&here);
}

static void test_partial_line(void)
{
    static const char *const left[][2] = {{"{\"n\":1}\n{\"n\":", "{\"n\":1}\n"},
                                          {"{\"n\":1}\n", "{\"n\":1}\n"},
                                          {"{\"n", ""},
                                          {"", ""}};
    for (gsize i = 0; i < G_N_ELEMENTS(left); i++) {
        place here = begin();
        g_autofree char *path = path_of(&here, AUDIT_FILE), *text = NULL;
        g_assert_true(g_file_set_contents(path, left[i][0], -1, NULL));
        audit_free(here.log);
        here.log = audit_new(here.folder);
        g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
        g_assert_cmpstr(text, ==, left[i][1]);
        finish(&here);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent-audit/lines", test_lines);
    g_test_add_func("/agent-audit/rotation", test_rotation);
    g_test_add_func("/agent-audit/failures", test_failures);
    g_test_add_func("/agent-audit/refusals", test_refusals);
    g_test_add_func("/agent-audit/partial-line-is-dropped", test_partial_line);
    return g_test_run();
}
