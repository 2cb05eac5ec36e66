#include <signal.h>

#include "podman/client.h"
#include "podman/podman.h"
#include "podman_fake.h"

#define PING                                        \
    {                                               \
        OK_HEAD "Content-Length: 2\r\n\r\nOK", KEEP \
    }
/* A reply without a length, which ends with the connection. */
#define LOCKED                                                                   \
    {                                                                            \
        "HTTP/1.1 500 Error\r\nConnection: close\r\n\r\n"                        \
        "{\"cause\":\"database is locked\",\"message\":\"x\",\"response\":500}", \
            CLOSE                                                                \
    }
#define MISSING                                                      \
    {                                                                \
        "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"        \
        "{\"cause\":\"no such container\",\"message\":\"missing\"}", \
            CLOSE                                                    \
    }

/* Connects to a server that answers the ping and then follows STEPS. */
static podman_client *start(fake *server, const fake_step *steps)
{
    g_autoptr(GError) error = NULL;
    podman_client *self;

    fake_start(server, steps);
    g_autofree char *url = g_strconcat("unix://", server->path, NULL);
    g_setenv("CONTAINER_HOST", url, TRUE);
    self = podman_connect(&error);
    g_assert_no_error(error);
    g_assert_cmpstr(podman_socket(self), ==, server->path);
    return self;
}

static void stop(fake *server, podman_client *self)
{
    podman_free(self);
    fake_stop(server);
}

static void test_requests(void)
{
    fake server;
    const fake_step ok[] = {PING, {OK_HEAD "Content-Length: 2\r\n\r\n[]", KEEP}, {0}};
    podman_client *self = start(&server, ok);
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) body = json_pack("{s:s}", "a", "b"), reply = NULL;

    g_assert_cmpstr(podman_version(self, &error), ==, "4.3.1");
    g_assert_true(podman_at_least(self, 4, 3));
    g_assert_true(podman_at_least(self, 3, 9));
    g_assert_false(podman_at_least(self, 4, 4));
    g_assert_false(podman_at_least(self, 5, 0));
    g_assert_true(podman_call(self, "POST", "/a", body, &reply, &error));
    g_assert_true(json_is_array(reply));
    g_assert_nonnull(strstr(server.seen->str, "GET /v4.0.0/libpod/_ping HTTP/1.1\r\n"));
    g_assert_nonnull(strstr(server.seen->str, "POST /v4.0.0/libpod/a HTTP/1.1\r\n"));
    g_assert_nonnull(strstr(server.seen->str, "\r\nContent-Type: application/json\r\n"));
    g_assert_true(g_str_has_suffix(server.seen->str, "\r\n\r\n{\"a\":\"b\"}"));
    g_assert_true(podman_container_remove(self, "n/a me?", &error));
    g_assert_nonnull(strstr(server.seen->str, "DELETE /v4.0.0/libpod/containers/n%2Fa%20me%3F?"));
    g_assert_cmpint(server.connections, ==, 1);
    stop(&server, self);
}

static void expect_error(fake_step step, box_error code)
{
    fake server;
    const fake_step steps[] = {PING, step, {0}};
    podman_client *self = start(&server, steps);
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) reply = NULL;

    g_assert_false(podman_call(self, "POST", "/a", NULL, &reply, &error));
    g_assert_error(error, BOX_ERROR, (int)code);
    g_assert_null(reply);
    stop(&server, self);
}

static void test_errors(void)
{
    expect_error((fake_step)MISSING, BOX_ERROR_NOT_FOUND);
    expect_error((fake_step){OK_HEAD "Content-Length: 5\r\n\r\n{\"a\":", KEEP}, BOX_ERROR_PROTOCOL);
    expect_error((fake_step){"HTTP/1.1 301 x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", KEEP},
                 BOX_ERROR_PROTOCOL);
    expect_error((fake_step){"HTTP/1.1 404 x\r\nContent-Length: 9\r\n\r\nNot Found", KEEP},
                 BOX_ERROR_PROTOCOL);
    /* A POST is not repeated, because it may not be idempotent. */
    expect_error((fake_step)LOCKED, BOX_ERROR_BUSY);
    /* The connection is closed twice without a reply. */
    expect_error((fake_step){NULL, CLOSE}, BOX_ERROR_UNREACHABLE);
}

static void test_busy(void)
{
    fake server;
    const fake_step steps[] = {PING, LOCKED, LOCKED, {OK_EMPTY, KEEP}, {0}};
    podman_client *self = start(&server, steps);
    g_autoptr(GError) error = NULL;

    g_assert_true(podman_call(self, "GET", "/a", NULL, NULL, &error));
    g_assert_no_error(error);
    g_assert_cmpint(server.requests, ==, 4);
    stop(&server, self);
}

static void on_alarm(int number)
{
    podman_cancel();
}

static void test_busy_cancelled(void)
{
    fake server;
    const fake_step steps[] = {PING, LOCKED, {0}};
    podman_client *self = start(&server, steps);
    g_autoptr(GError) error = NULL;

    signal(SIGALRM, on_alarm);
    alarm(1);
    g_assert_false(podman_container_start(self, "x", &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CANCELLED);
    podman_cancel_reset();
    stop(&server, self);
}

static void test_dropped(void)
{
    fake server;
    const fake_step steps[] = {PING, {NULL, CLOSE}, {OK_EMPTY, KEEP}, {0}};
    podman_client *self = start(&server, steps);
    g_autoptr(GError) error = NULL;

    g_assert_true(podman_call(self, "POST", "/a", NULL, NULL, &error));
    g_assert_no_error(error);
    stop(&server, self);
}

static void test_already(void)
{
    fake server;
    const fake_step steps[] = {PING, {"HTTP/1.1 304 Not Modified\r\n\r\n", KEEP}, MISSING, {0}};
    podman_client *self = start(&server, steps);
    g_autoptr(GError) error = NULL;

    g_assert_true(podman_container_start(self, "x", &error));
    g_assert_true(podman_container_remove(self, "x", &error)); /* missing */
    g_assert_false(podman_container_stop(self, "x\033", 1, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND);
    g_assert_nonnull(strstr(error->message, "cannot stop the container 'x\\x1b': "));
    g_clear_error(&error);
    g_assert_false(podman_image_exists(self, "x", &error));
    g_assert_no_error(error);
    stop(&server, self);
}

#define ENDED                                                                                        \
    {                                                                                                \
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 79\r\n\r\n"                           \
        "{\"cause\":\"container state improper\",\"message\":\"sending SIGKILL\",\"response\":500}", \
            KEEP                                                                                     \
    }

/* The container has ended before Podman could kill it. */
static void test_remove_again(void)
{
    fake server;
    const fake_step steps[] = {PING, ENDED, ENDED, {OK_EMPTY, KEEP}, ENDED, ENDED, ENDED, {0}};
    podman_client *self = start(&server, steps);
    g_autoptr(GError) error = NULL;

    g_assert_true(podman_container_remove(self, "x", &error));
    g_assert_no_error(error);
    g_assert_false(podman_container_remove(self, "x", &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_STATE);
    stop(&server, self);
}

static void test_path(void)
{
    g_autofree char *path = podman_path("/a/%s?b=%d&c=%s", "x/y:z é%", -5, "{\"k\":[\"v\"]}");

    g_assert_cmpstr(path, ==, "/a/x%2Fy%3Az%20%C3%A9%25?b=-5&c=%7B%22k%22%3A%5B%22v%22%5D%7D");
}

static void test_label_filter(void)
{
    g_autofree char *some = podman_label_filter("a=\"b\""), *all = podman_label_filter(NULL);

    g_assert_cmpstr(some, ==, "{\"label\":[\"a=\\\"b\\\"\"]}");
    g_assert_cmpstr(all, ==, "{}");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    signal(SIGPIPE, SIG_IGN);
    g_test_add_func("/podman/client/requests", test_requests);
    g_test_add_func("/podman/client/errors", test_errors);
    g_test_add_func("/podman/client/busy", test_busy);
    g_test_add_func("/podman/client/busy-cancelled", test_busy_cancelled);
    g_test_add_func("/podman/client/dropped", test_dropped);
    g_test_add_func("/podman/client/already", test_already);
    g_test_add_func("/podman/client/remove_again", test_remove_again);
    g_test_add_func("/podman/client/path", test_path);
    g_test_add_func("/podman/client/label-filter", test_label_filter);
    return g_test_run();
}
