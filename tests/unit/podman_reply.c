#include "podman/reply.h"

#include <string.h>

#include "common/error.h"

/* The stream of a build with Podman 4.3.1: one object per line. */
static const char build_stream[] =
    "{\"stream\":\"STEP 1/2: FROM debian\\n\"}\n"
    "{\"stream\":\"quote \\\" brace } bracket ] backslash \\\\\"}\n"
    "{\"stream\":\"nul \\u0000 caf\\u00e9 \\ud83d\\ude00\"}\n"
    "{\"a\":{\"b\":[{\"c\":\"{[\"},[]]}}{\"no\":\"space between\"} \t\r\n"
    "{\"error\":\"building at STEP\",\"errorDetail\":{\"message\":\"x\"}}\n";
#define BUILD_OBJECTS 6

static gboolean collect(json_t *object, gpointer user_data, GError **error)
{
    GString *all = user_data;
    char *text = json_dumps(object, JSON_COMPACT);

    g_string_append_printf(all, "%s;", text);
    free(text);
    return TRUE;
}

/* Feeds DATA in pieces of SIZE bytes, or in two pieces cut at -SIZE. Each piece is allocated
 * separately, so that the address sanitizer detects reads beyond it. */
static gboolean feed(reply_json_stream *self, const char *data, gsize length, gssize size,
                     GString *all, GError **error)
{
    for (gsize at = 0; at < length;) {
        gsize piece = MIN(length - at, size > 0 ? (gsize)size : at ? length : (gsize)-size);
        g_autofree char *copy = g_memdup2(data + at, piece);
        if (!reply_json_stream_feed(self, copy, piece, collect, all, error))
            return FALSE;
        at += piece;
    }
    return TRUE;
}

static char *split(gssize size)
{
    g_auto(reply_json_stream) objects = {0};
    g_autoptr(GString) all = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    g_assert_true(feed(&objects, build_stream, strlen(build_stream), size, all, &error));
    g_assert_true(reply_json_stream_end(&objects, &error));
    g_assert_no_error(error);
    return g_string_free(g_steal_pointer(&all), FALSE);
}

static void test_json_stream(void)
{
    gssize length = strlen(build_stream);
    g_autofree char *whole = split(length);
    int objects = 0;

    for (const char *p = whole; (p = strstr(p, "};")); p++)
        objects++;
    g_assert_cmpint(objects, ==, BUILD_OBJECTS);
    for (gssize size = 1; size < length; size++) {
        g_autofree char *pieces = split(size), *halves = split(-size);
        g_assert_cmpstr(pieces, ==, whole);
        g_assert_cmpstr(halves, ==, whole);
    }
}

static void expect_broken(const char *data, gssize length)
{
    g_auto(reply_json_stream) objects = {0};
    g_autoptr(GString) all = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (feed(&objects, data, length < 0 ? strlen(data) : (gsize)length, 3, all, &error))
        g_assert_false(reply_json_stream_end(&objects, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
}

static void test_json_stream_broken(void)
{
    expect_broken("{", -1);
    expect_broken("{\"a\":\"", -1);
    expect_broken("{\"a\":1}{\"b\"", -1);
    expect_broken("[1]", -1);
    expect_broken("null", -1);
    expect_broken("}", -1);
    expect_broken("{]", -1);
    expect_broken("{\"a\":1]", -1);
    expect_broken("{\"a\"}", -1);
    expect_broken("{} \0 {}", 7);
    expect_broken("{\"a\":\"\xff\"}", -1);
    expect_broken("<html>", -1);
}

static void test_json_stream_ceiling(void)
{
    g_auto(reply_json_stream) fits = {0}, over = {0};
    g_autoptr(GString) all = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strnfill(REPLY_JSON_MAX, 'x');
    g_autofree char *largest = NULL;

    memcpy(text, "{\"a\":\"", 6);
    memcpy(text + REPLY_JSON_MAX - 2, "\"}", 2);
    g_assert_true(feed(&fits, text, REPLY_JSON_MAX, 4096, all, &error));
    g_assert_true(reply_json_stream_end(&fits, &error));
    g_assert_no_error(error);
    largest = g_strconcat("{", text, NULL);
    memcpy(largest, "{\"a\":\"xx", 8);
    g_assert_false(feed(&over, largest, REPLY_JSON_MAX + 1, 4096, all, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
    g_clear_error(&error);
    /* Nesting uses no stack, and the parser has its own limit. */
    memset(text, '[', REPLY_JSON_MAX);
    memcpy(text, "{\"a\":", 5);
    expect_broken(text, REPLY_JSON_MAX);
}

static gboolean refuse(json_t *object, gpointer user_data, GError **error)
{
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_STATE, "enough");
    return FALSE;
}

static void test_json_stream_refused(void)
{
    g_auto(reply_json_stream) objects = {0};
    g_autoptr(GError) error = NULL;

    g_assert_false(reply_json_stream_feed(&objects, "{}{}", 4, refuse, NULL, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_STATE);
}

/* stdout "hello", an empty message, stderr "bad\n". */
static const char frames[] = "\1\0\0\0\0\0\0\5hello\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\4bad\n";
#define FRAMES_LENGTH (sizeof frames - 1)

static void collect_frame(int stream, const char *data, gsize length, gpointer user_data)
{
    GString **streams = user_data;

    g_string_append_len(streams[stream], data, length);
}

static gboolean feed_frames(const char *data, gsize length, gsize size, GString **streams,
                            GError **error)
{
    g_auto(reply_log_stream) decoder = {0};

    for (gsize at = 0; at < length; at += size) {
        gsize piece = MIN(size, length - at);
        g_autofree char *copy = g_memdup2(data + at, piece);
        if (!reply_log_stream_feed(&decoder, copy, piece, collect_frame, streams, error))
            return FALSE;
    }
    return reply_log_stream_end(&decoder, error);
}

static void test_log_stream(void)
{
    for (gsize size = 1; size <= FRAMES_LENGTH; size++) {
        g_autoptr(GString) out = g_string_new(NULL), err = g_string_new(NULL);
        GString *streams[] = {NULL, out, err};
        g_autoptr(GError) error = NULL;
        g_assert_true(feed_frames(frames, FRAMES_LENGTH, size, streams, &error));
        g_assert_no_error(error);
        g_assert_cmpstr(out->str, ==, "hello");
        g_assert_cmpstr(err->str, ==, "bad\n");
    }
}

static void expect_broken_frame(const char *data, gsize length, box_error code)
{
    g_autoptr(GString) out = g_string_new(NULL);
    GString *streams[] = {NULL, out, out};

    for (gsize size = 1; size <= length; size++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(feed_frames(data, length, size, streams, &error));
        g_assert_error(error, BOX_ERROR, (int)code);
    }
}

static void test_log_stream_broken(void)
{
    /* Cut off at each byte inside a message. */
    for (gsize length = 1; length < FRAMES_LENGTH; length++)
        if (length != 13 && length != 21)
            expect_broken_frame(frames, length, BOX_ERROR_PROTOCOL);
    expect_broken_frame("\0\0\0\0\0\0\0\1x", 9, BOX_ERROR_PROTOCOL);
    expect_broken_frame("\4\0\0\0\0\0\0\1x", 9, BOX_ERROR_PROTOCOL);
    expect_broken_frame("\1\1\0\0\0\0\0\1x", 9, BOX_ERROR_PROTOCOL);
    expect_broken_frame("\1\0\0\1\0\0\0\1x", 9, BOX_ERROR_PROTOCOL);
    expect_broken_frame("\1\0\0\0\xff\xff\xff\xffx", 9, BOX_ERROR_PROTOCOL);
    expect_broken_frame("\1\0\0\0\x40\0\0\1x", 9, BOX_ERROR_PROTOCOL);
    expect_broken_frame("plain text", 10, BOX_ERROR_PROTOCOL);
    expect_broken_frame("\3\0\0\0\0\0\0\3odd", 11, BOX_ERROR_FAILED);
    expect_broken_frame("\3\0\0\0\0\2\0\0odd", 11, BOX_ERROR_PROTOCOL);
}

static void expect_failure(const char *body, const char *cause, const char *message)
{
    g_auto(reply_failure) failure = {0};
    g_autofree char *copy = g_memdup2(body, strlen(body));

    reply_failure_parse(copy, strlen(body), &failure);
    g_assert_cmpstr(failure.cause, ==, cause);
    g_assert_cmpstr(failure.message, ==, message);
}

static void test_failure(void)
{
    expect_failure("{\"cause\":\"c\",\"message\":\"m\",\"response\":404}", "c", "m");
    /* Podman 4.3.1 writes the error twice. */
    expect_failure("{\"cause\":\"c\",\"message\":\"m\",\"response\":500}\n"
                   "{\"cause\":\"d\",\"message\":\"n\",\"response\":404}\n",
                   "c", "m");
    expect_failure("{\"cause\":1,\"message\":[\"m\"]}", NULL, NULL);
    expect_failure("{\"message\":\"m\"}", NULL, "m");
    expect_failure("[]", NULL, NULL);
    expect_failure("Not Found\n", NULL, NULL);
    expect_failure("{\"cause\":\"c\"", NULL, NULL);
    expect_failure("", NULL, NULL);
}

static void test_parse(void)
{
    const char *broken[] = {"", "{", "{}x", "{\"a\":1", "nul", "\xff", "{} {}"};
    g_autoptr(GError) error = NULL;
    const char array[] = " [1, {\"a\": 0}] \n";
    json_t *value = reply_parse(array, strlen(array), &error);

    g_assert_no_error(error);
    g_assert_true(json_is_array(value));
    json_decref(value);
    value = reply_parse("137\n", 4, &error); /* the reply of "wait" */
    g_assert_cmpint(json_integer_value(value), ==, 137);
    json_decref(value);
    for (gsize i = 0; i < G_N_ELEMENTS(broken); i++) {
        g_assert_null(reply_parse(broken[i], strlen(broken[i]), &error));
        g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
        g_clear_error(&error);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/podman/reply/json-stream", test_json_stream);
    g_test_add_func("/podman/reply/json-stream/broken", test_json_stream_broken);
    g_test_add_func("/podman/reply/json-stream/ceiling", test_json_stream_ceiling);
    g_test_add_func("/podman/reply/json-stream/refused", test_json_stream_refused);
    g_test_add_func("/podman/reply/log-stream", test_log_stream);
    g_test_add_func("/podman/reply/log-stream/broken", test_log_stream_broken);
    g_test_add_func("/podman/reply/failure", test_failure);
    g_test_add_func("/podman/reply/parse", test_parse);
    return g_test_run();
}
