/* Requests of a box to the desktop: the packet and the address. */
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/desktop-helper/url.h"
#include "proto/clip_content.h"
#include "proto/desktop_request.h"

#define PACKET(text) text, sizeof(text)

static void expect_packet(const char *wrong, const char *data, gsize size)
{
    struct desktop_request asked;
    /* Without the NUL that the compiler adds. */
    g_assert_cmpstr(desktop_request_parse(&asked, data, size - 1), ==, wrong);
}

static void test_packets(void)
{
    struct desktop_request asked;
    g_assert_null(desktop_request_parse(&asked, "open\0https://a/\0", 16));
    g_assert_cmpint(asked.kind, ==, REQUEST_OPEN);
    g_assert_cmpstr(asked.text[0], ==, "https://a/");
    g_assert_null(desktop_request_parse(&asked, "notify\0t\0\0", 10));
    g_assert_cmpint(asked.kind, ==, REQUEST_NOTIFY);
    g_assert_cmpstr(asked.text[1], ==, "");
    g_assert_null(desktop_request_parse(&asked, "picture\0", 8));
    g_assert_cmpint(asked.kind, ==, REQUEST_PICTURE);
    g_assert_null(desktop_request_parse(&asked, "picture-types\0", 14));
    g_assert_cmpint(asked.kind, ==, REQUEST_PICTURE_TYPES);
    expect_packet("the request has unexpected data at its end", PACKET("picture\0image/png\0"));
    expect_packet("there is no such request", PACKET("picture"));
    expect_packet("there is no such request", PACKET(""));
    expect_packet("there is no such request", PACKET("open"));
    expect_packet("there is no such request", PACKET("exec\0sh\0"));
    expect_packet("the request is incomplete", PACKET("open\0"));
    expect_packet("the request is incomplete", PACKET("open\0https://a/"));
    expect_packet("the request is incomplete", PACKET("notify\0t\0b"));
    expect_packet("the request has unexpected data at its end", PACKET("open\0https://a/\0b\0"));
    expect_packet("the request has unexpected data at its end", PACKET("notify\0t\0b\0\0"));
}

static void test_limits(void)
{
    struct desktop_request asked;
    g_autoptr(GString) data = g_string_new(NULL);
    g_string_append_len(data, "open\0", 5);
    for (int i = 0; i < REQUEST_ADDRESS_MAX; i++)
        g_string_append_c(data, 'a');
    g_assert_null(desktop_request_parse(&asked, data->str, data->len + 1));
    g_string_append_c(data, 'a');
    g_assert_cmpstr(desktop_request_parse(&asked, data->str, data->len + 1), ==,
                    "the request is too long");
    g_string_set_size(data, REQUEST_MAX + 1);
    g_assert_cmpstr(desktop_request_parse(&asked, data->str, data->len), ==,
                    "the request is too long");
}

typedef struct {
    int fd;
    gsize length;
} sender;

static gpointer send_picture(gpointer data)
{
    sender *self = data;
    g_autofree guchar *picture = g_malloc(self->length + 1);
    for (gsize i = 0; i < self->length; i++)
        picture[i] = (guchar)(i * 7);
    int sent = desktop_picture_send(self->fd, picture, self->length);
    close(self->fd);
    return GINT_TO_POINTER(sent);
}

/* Longer than the buffer of a socket, too. */
static void test_picture(void)
{
    static const gsize lengths[] = {1, REQUEST_PART_MAX, REQUEST_PART_MAX + 1, CLIP_MAX};
    for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
        int pair[2];
        gsize length;
        struct desktop_answer answer;
        g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), ==, 0);
        sender self = {pair[0], lengths[i]};
        GThread *thread = g_thread_new("sender", send_picture, &self);
        struct pollfd wait = {.fd = pair[1], .events = POLLIN};
        g_assert_cmpint(poll(&wait, 1, 60000), ==, 1);
        desktop_request_receive(pair[1], &answer);
        unsigned char *got = desktop_picture_receive(pair[1], &answer, &length);
        g_assert_nonnull(got);
        g_assert_cmpuint(length, ==, lengths[i]);
        g_assert_cmpint(got[length - 1], ==, (guchar)((length - 1) * 7));
        g_assert_cmpint(GPOINTER_TO_INT(g_thread_join(thread)), ==, 0);
        free(got);
        close(pair[1]);
    }
    g_assert_cmpint(desktop_picture_send(-1, (const guchar *)"", 0), ==, -1);
    g_assert_cmpint(desktop_picture_send(-1, (const guchar *)"", CLIP_MAX + 1), ==, -1);
}

static void test_announced(void)
{
    static const char *const rows[] = {
        "", "0", "-1", "1x", " 1", "16777217", "99999999999999999999", "0x10"};
    int pair[2];
    gsize length;
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), ==, 0);
    close(pair[0]);
    struct desktop_answer answer = {.outcome = REQUEST_DONE};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_strlcpy(answer.sentence, rows[i], sizeof answer.sentence);
        g_assert_null(desktop_picture_receive(pair[1], &answer, &length));
        g_assert_cmpuint(length, ==, 0);
    }
    /* It ends before all of it has come. */
    g_strlcpy(answer.sentence, "5", sizeof answer.sentence);
    g_assert_null(desktop_picture_receive(pair[1], &answer, &length));
    answer.outcome = REQUEST_REFUSED;
    g_assert_null(desktop_picture_receive(pair[1], &answer, &length));
    close(pair[1]);
}

static url *parse(const char *text)
{
    enum request_outcome outcome;
    const char *why = NULL;
    url *self = url_parse(text, &outcome, &why);
    if (!self)
        g_error("%s: %s", text, why);
    return self;
}

static void test_good(void)
{
    static const struct {
        const char *given, *text, *host;
    } rows[] = {
        {"https://example.com", "https://example.com/", "example.com"},
        {"HTTPS://EXAMPLE.com?a", "https://example.com/?a", "example.com"},
        {"http://a:80/b c\"<>`{|}\\^\xc3\xbc", "http://a:80/b%20c%22%3C%3E%60%7B%7C%7D%5C%5E%C3%BC",
         "a"},
        {"https://a:/", "https://a/", "a"},
        {"https://a:0443/", "https://a:443/", "a"},
        {"https://a/%2e%00%zz", "https://a/%2e%00%zz", "a"},
        {"https://b\xc3\xbc"
         "cher.example/",
         "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
        {"http://[0:0::1]:8080/", "http://[::1]:8080/", "[::1]"},
        {"http://2130706433/", "http://127.0.0.1/", "127.0.0.1"},
        {"http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1"},
        {"https://a/--help", "https://a/--help", "a"},
        {"https://a.example./", "https://a.example./", "a.example."},
        {"https://good.com:x@evil.com/", "https://good.com:x@evil.com/", "evil.com"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(url) self = parse(rows[i].given);
        g_assert_cmpstr(self->text, ==, rows[i].text);
        g_assert_cmpstr(self->host, ==, rows[i].host);
        g_assert_null(self->mail);
    }
}

static void test_wrong(void)
{
    static const struct {
        const char *given;
        enum request_outcome outcome;
    } rows[] = {
        {"", REQUEST_FILE},
        {"a.html", REQUEST_FILE},
        {"/etc/passwd", REQUEST_FILE},
        {"--help", REQUEST_FILE},
        {"-x:y", REQUEST_FILE},
        {"File:///etc/passwd", REQUEST_FILE},
        {"javascript:alert(1)", REQUEST_WRONG},
        {"data:text/html,x", REQUEST_WRONG},
        {"ftp://example.com/", REQUEST_WRONG},
        {"https:example.com", REQUEST_WRONG},
        {"https:/example.com", REQUEST_WRONG},
        {"https:\\\\example.com", REQUEST_WRONG},
        {"https://", REQUEST_WRONG},
        {"https:///a", REQUEST_WRONG},
        {"https://user@/", REQUEST_WRONG},
        {"https://good.com\\@evil.com/", REQUEST_WRONG},
        {"https://a b/", REQUEST_WRONG},
        {"https://a%2fb/", REQUEST_WRONG},
        {"https://a..b/", REQUEST_WRONG},
        {"https://-a/", REQUEST_WRONG},
        {"https://a:0/", REQUEST_WRONG},
        {"https://a:65536/", REQUEST_WRONG},
        {"https://a:8x/", REQUEST_WRONG},
        {"https://[::1/", REQUEST_WRONG},
        {"https://[1.2.3.4]/", REQUEST_WRONG},
        {"https://1.2.3.256/", REQUEST_WRONG},
        {"http://127.0.0.1./", REQUEST_WRONG}, /* an address for browsers, a name for us */
        {"http://2130706433./", REQUEST_WRONG},
        {"http://0x7f000001./", REQUEST_WRONG},
        {"https://u\"@a/", REQUEST_WRONG},
        {"https://a/\nb", REQUEST_WRONG},
        {"https://a/\tb", REQUEST_WRONG},
        {"https://a/\x1b[31m", REQUEST_WRONG},
        {"https://a/\xe2\x80\xae", REQUEST_WRONG},
        {"https://a/\xff", REQUEST_WRONG},
        {"mailto:a@b?attach=/etc/passwd", REQUEST_WRONG},
        {"mailto:a@b?subject=x&Att%61ch=/etc/passwd", REQUEST_WRONG},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        enum request_outcome outcome = REQUEST_DONE;
        const char *why = NULL;
        g_autoptr(url) self = url_parse(rows[i].given, &outcome, &why);
        if (self)
            g_error("'%s' was taken", rows[i].given);
        g_assert_nonnull(why);
        g_assert_cmpint(outcome, ==, rows[i].outcome);
    }
}

static void test_marks(void)
{
    g_autoptr(url) mixed = parse("https://\xd0\xb0pple.com/"); /* a Cyrillic first letter */
    g_assert_cmpstr(mixed->host, ==, "xn--pple-43d.com");
    g_assert_cmpstr(mixed->unicode, ==, "\xd0\xb0pple.com");
    g_assert_cmpstr(mixed->scripts, ==, "Cyrillic, Latin");
    g_autoptr(url) coded = parse("https://xn--pple-43d.com/");
    g_assert_cmpstr(coded->unicode, ==, mixed->unicode);
    g_autoptr(url) plain = parse("https://user@example.com/");
    g_assert_null(plain->unicode);
    g_assert_cmpstr(plain->user, ==, "user");
    g_assert_false(plain->is_loopback);
    static const char *const here[] = {"http://localhost/", "http://LOCALHOST./",
                                       "http://127.1/",     "http://[::1]:80/",
                                       "http://0/",         "http://a.localhost/"};
    for (gsize i = 0; i < G_N_ELEMENTS(here); i++) {
        g_autoptr(url) self = parse(here[i]);
        g_assert_true(self->is_loopback);
    }
    g_autoptr(url) mail = parse("MailTo:a@b.example?Subject=x&body=y z");
    g_assert_cmpstr(mail->text, ==, "mailto:a@b.example?Subject=x&body=y%20z");
    g_assert_cmpstr(mail->mail, ==, "a@b.example");
    g_assert_null(mail->host);
}

/* Browsers of this machine reach its services by these too. */
static void test_own_host(void)
{
    struct ifaddrs *all;
    char name[256] = "";
    int addresses = 0;
    g_assert_cmpint(gethostname(name, sizeof name - 1), ==, 0);
    g_autofree char *address = g_strdup_printf("http://%s/", name);
    g_autofree char *domain = g_strdup_printf("http://%.*s.local/", (int)strcspn(name, "."), name);
    g_autoptr(url) own = parse(address), local = parse(domain),
                   other = parse("https://example.com/");
    g_assert_true(own_host_is(own->host));
    g_assert_true(own_host_is(local->host));
    g_assert_false(own_host_is(other->host));
    g_assert_cmpint(getifaddrs(&all), ==, 0);
    for (struct ifaddrs *one = all; one; one = one->ifa_next) {
        char text[64];
        if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET)
            continue;
        g_assert_cmpint(getnameinfo(one->ifa_addr, sizeof(struct sockaddr_in), text, sizeof text,
                                    NULL, 0, NI_NUMERICHOST),
                        ==, 0);
        g_autofree char *page = g_strdup_printf("http://%s:8080/", text);
        g_autofree char *mapped = g_strdup_printf("http://[::ffff:%s]/", text);
        g_autoptr(url) numeric = parse(page), v6 = parse(mapped);
        g_assert_true(own_host_is(numeric->host));
        g_assert_true(own_host_is(v6->host));
        addresses++;
    }
    freeifaddrs(all);
    g_assert_cmpint(addresses, >, 0);
}

static void test_logins(void)
{
    static const struct {
        const char *tail;
        int port;
    } rows[] = {
        {"?redirect_uri=http://localhost:8085/cb", 8085},
        {"?a=b&redirect_uri=http%3A%2F%2F127.0.0.1%3A1024&c", 1024},
        {"?redirect_uri=http%3a%2f%2f[::1]:65535%3fx", 65535},
        {"", 0},
        {"?redirect_uri=http://localhost/", 0},
        {"?redirect_uri=http://localhost:80/", 0},
        {"?redirect_uri=http://localhost:1023/", 0},
        {"?redirect_uri=http://localhost:65536/", 0},
        {"?redirect_uri=http://localhost:123456789012/", 0},
        {"?redirect_uri=http://localhost:8085@evil.com/", 0},
        {"?redirect_uri=http://localhost:8085.evil.com/", 0},
        {"?redirect_uri=http://localhost.evil.com:8085/", 0},
        {"?redirect_uri=https://localhost:8085/", 0},
        {"?redirect_uri=http%253A//localhost:8085/", 0}, /* encoded twice */
        {"?redirect_uri=http://localhost:8085%00/", 0},
        {"?redirect_uri=http://localhost:8085/&redirect_uri=http://localhost:8086/", 0},
        {"?xredirect_uri=http://localhost:8085/", 0},
        {"#?redirect_uri=http://localhost:8085/", 0},
        {"?a#&redirect_uri=http://localhost:8085/", 0},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat("https://login.example/", rows[i].tail, NULL);
        g_autoptr(url) self = parse(text);
        if (self->login_port != rows[i].port)
            g_error("%s: %d", rows[i].tail, self->login_port);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/desktop-request/a packet is one complete request", test_packets);
    g_test_add_func("/desktop-request/texts have limits", test_limits);
    g_test_add_func("/desktop-request/a picture arrives whole", test_picture);
    g_test_add_func("/desktop-request/no other length is believed", test_announced);
    g_test_add_func("/desktop-request/addresses are normalised", test_good);
    g_test_add_func("/desktop-request/other addresses are refused", test_wrong);
    g_test_add_func("/desktop-request/the host, its letters and the user name are told apart",
                    test_marks);
    g_test_add_func("/desktop-request/finds the port of a login", test_logins);
    g_test_add_func("/desktop-request/knows this machine's own names and addresses", test_own_host);
    return g_test_run();
}
