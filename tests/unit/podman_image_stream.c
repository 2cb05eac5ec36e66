#include "podman/image_stream.h"

#include <string.h>

#include "common/error.h"

#define ID "9c1c7dd36912292e7e2a54d4b5e23c0ca858f2c79973e4fa2193f78ed86f1fc7"

typedef struct {
    GString *lines;
    podman_progress last;
    int ticks;
} seen;

static void note(const podman_progress *progress, gpointer user_data)
{
    seen *self = user_data;

    self->last = *progress;
    if (progress->is_repeat)
        self->ticks++;
    else
        g_string_append_printf(self->lines, "%s|", progress->text);
}

/* Returns the ID, or NULL with ERROR. LINES receives the reports. */
static char *run(const char *json, gsize size, gboolean output, GString *lines, seen *also,
                 GError **error)
{
    seen self = {.lines = lines};
    g_auto(image_stream) state;
    char *id = NULL;
    gsize length = strlen(json);
    gboolean ok = TRUE;

    image_stream_init(&state, "begin", note, &self);
    for (gsize at = 0; ok && at < length; at += size)
        ok = image_stream_chunk(json + at, MIN(size, length - at), &state, error);
    if (ok && image_stream_end(&state, output, error))
        id = g_strdup(state.id);
    self.last.text = NULL;
    if (also)
        *also = self;
    return id;
}

static void test_build(void)
{
    const char json[] = "{\"stream\":\"[1/2] STEP 2/5: FROM x\\n\"}\n"
                        "{\"stream\":\"half of \"}\n{\"stream\":\"a line\\r\\nbar 1\\rbar 2\\n\"}\n"
                        "{\"stream\":\"nul \\u0000.\\n\\n  \\n\"}\n{\"stream\":\"" ID "\\n\"}\n";

    for (gsize size = 1; size < strlen(json); size++) {
        g_autoptr(GString) lines = g_string_new(NULL);
        g_autoptr(GError) error = NULL;
        seen also;
        g_autofree char *id = run(json, size, TRUE, lines, &also, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(id, ==, ID);
        g_assert_cmpstr(lines->str, ==,
                        "[1/2] STEP 2/5: FROM x|half of a line|bar 1|bar 2|nul  .|" ID "|");
        g_assert_cmpint(also.last.step, ==, 2);
        g_assert_cmpint(also.last.steps, ==, 5);
    }
}

static void test_pull(void)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *id = run("{\"stream\":\"Copying blob\"}{\"stream\":\"\\n\"}"
                              "{\"images\":[\"" ID "\"],\"id\":\"sha256:" ID "\"}",
                              7, FALSE, lines, NULL, &error);

    g_assert_no_error(error);
    g_assert_cmpstr(id, ==, ID);
    g_assert_cmpstr(lines->str, ==, "Copying blob|");
}

static void expect_error(const char *json, box_error code, const char *says)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *id = run(json, 5, TRUE, lines, NULL, &error);

    g_assert_null(id);
    g_assert_error(error, BOX_ERROR, (int)code);
    g_assert_nonnull(strstr(error->message, says));
}

static void test_failures(void)
{
    expect_error("", BOX_ERROR_PROTOCOL, "without an image");
    expect_error("{\"stream\":\"only text\\n\"}", BOX_ERROR_PROTOCOL, "only text");
    expect_error("{\"stream\":\"cut", BOX_ERROR_PROTOCOL, "in the middle");
    expect_error("{\"stream\":1}{\"error\":2}{\"id\":[]}", BOX_ERROR_PROTOCOL, "without an image");
    /* Only the last line is an ID, whatever a step prints. */
    expect_error("{\"stream\":\"" ID "\\nmore\\n\"}", BOX_ERROR_PROTOCOL, "without an image");
    expect_error("{\"stream\":\"" ID "0\\n\"}", BOX_ERROR_PROTOCOL, "without an image");
    expect_error("{\"stream\":\"abcdef\\n\"}", BOX_ERROR_PROTOCOL, "without an image");
    /* A stream can fail after status 200, and after a line that looks like an ID. */
    expect_error("{\"stream\":\"one\\ntwo\\n" ID "\\n\"}{\"error\":\"exit status 3\\n\"}",
                 BOX_ERROR_FAILED, "podman: exit status 3\n  one\n  two\n");
    expect_error("{\"images\":[],\"id\":\"" ID "\",\"error\":\"x: manifest unknown\"}",
                 BOX_ERROR_NOT_FOUND, "manifest unknown");
}

/* A build decides what it prints. */
static void test_harmless(void)
{
    g_autoptr(GString) json = g_string_new("{\"stream\":\"");
    g_autoptr(GString) lines = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    for (int i = 0; i < 100; i++)
        g_string_append_printf(json, "\\u001b[31mline %d\\u202e\\n", i);
    for (int i = 0; i < 3 * IMAGE_STREAM_LINE_MAX; i++)
        g_string_append_c(json, 'x');
    g_string_append(json, "\"}{\"error\":\"failed\"}");
    g_autofree char *id = run(json->str, 4096, TRUE, lines, NULL, &error);
    g_assert_null(id);
    g_assert_null(strpbrk(error->message, "\033\r"));
    g_assert_null(strstr(error->message, "\u202e"));
    g_assert_null(strstr(error->message, "line 85"));
    g_assert_nonnull(strstr(error->message, "line 99"));
    g_assert_cmpuint(strlen(error->message), <, IMAGE_STREAM_TAIL_LINES * 400);
}

static void test_ticks(void)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    seen self = {.lines = lines};
    g_auto(image_stream) state;

    image_stream_init(&state, "sending", note, &self);
    image_stream_tick(0, &state);
    g_assert_cmpint(self.last.bytes, ==, -1);
    g_assert_cmpstr(self.last.text, ==, "sending");
    image_stream_tick(512, &state);
    g_assert_cmpint(self.last.bytes, ==, 512);
    g_assert_cmpint(self.ticks, ==, 2);
    g_assert_cmpstr(lines->str, ==, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/podman/image-stream/build", test_build);
    g_test_add_func("/podman/image-stream/pull", test_pull);
    g_test_add_func("/podman/image-stream/failures", test_failures);
    g_test_add_func("/podman/image-stream/harmless", test_harmless);
    g_test_add_func("/podman/image-stream/ticks", test_ticks);
    return g_test_run();
}
