/* The gate's resolver and its process: more queries than it takes at a time wait for their turn,
 * and can be forgotten; those for one name are asked once; the order of addresses; and no name but
 * the one that was asked for, in namespaces of the test with a DNS server of its own. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <glib.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/gate/resolver.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "proto/secret_files.h"

#define QUERIES 300

static const char *folder; /* of the box */
static int expected, found;

struct query {
    guint32 address;
    gboolean called;
};

static void done(void *owner, const struct resolved *result, int line)
{
    struct query *query = owner;
    g_assert_false(query->called);
    g_assert_cmpint(line, ==, -1);
    query->called = TRUE;
    for (gsize i = 0; i < result->count; i++)
        if (result->address[i].any.sa_family == AF_INET) {
            g_assert_cmpint(ntohl(result->address[i].v4.sin_addr.s_addr), ==, query->address);
            g_assert_cmpint(ntohs(result->address[i].v4.sin_port), ==, 443);
            found++;
            break;
        }
    if (--expected == 0)
        event_loop_quit();
}

static void many_queries_wait(void)
{
    g_assert_cmpint(resolver_init(resolver_fork(folder)), ==, 0);
    static struct query asked[QUERIES];
    static struct resolver_query *query[QUERIES];
    for (int i = 0; i < QUERIES; i++) {
        char name[INET_ADDRSTRLEN];
        asked[i].address = INADDR_LOOPBACK + (guint32)i;
        const struct in_addr address = {htonl(asked[i].address)};
        query[i] =
            resolver_begin(inet_ntop(AF_INET, &address, name, sizeof name), 443, done, &asked[i]);
        g_assert_nonnull(query[i]);
    }
    /* Those that are under way, the last that waits, and others that do. */
    for (int i = 2; i < QUERIES; i += 3)
        resolver_forget(query[i]);
    expected = QUERIES - QUERIES / 3;
    event_loop_run();
    g_assert_cmpint(found, ==, QUERIES - QUERIES / 3);
    for (int i = 0; i < QUERIES; i++)
        g_assert_cmpint(asked[i].called, ==, i % 3 != 2);
}

/* The test is the process from now on. */
static void one_name_is_asked_once(void)
{
    static struct query asked[4];
    static const char *const name[] = {"a.example", "b.example", "a.example", "a.example"};
    struct resolver_query *query[4];
    struct resolver_request request;
    struct resolver_answer answer = {.found.count = 1};
    int pair[2];
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), ==, 0);
    g_assert_cmpint(resolver_init(pair[0]), ==, 0);
    for (guint i = 0; i < 4; i++) {
        asked[i].address = name[i][0] == 'a' ? 1 : 2;
        query[i] = resolver_begin(name[i], 443, done, &asked[i]);
    }
    resolver_forget(query[2]);
    answer.found.address[0].v4.sin_family = AF_INET;
    for (guint i = 0; i < 2; i++) {
        g_assert_cmpint(read(pair[1], &request, sizeof request), ==, sizeof request);
        g_assert_cmpstr(request.name, ==, name[i]);
        answer.number = request.number;
        answer.found.address[0].v4.sin_addr.s_addr = htonl(asked[i].address);
        g_assert_cmpint(write(pair[1], &answer, sizeof answer), ==, sizeof answer);
    }
    g_assert_cmpint(read(pair[1], &request, sizeof request), ==, -1); /* no more */
    expected = 3;
    event_loop_run();
    g_assert_true(asked[0].called && asked[1].called && !asked[2].called && asked[3].called);
    /* What has been answered is asked anew. */
    asked[0].called = FALSE;
    g_assert_nonnull(resolver_begin("a.example", 443, done, &asked[0]));
    g_assert_cmpint(read(pair[1], &request, sizeof request), ==, sizeof request);
    answer.number = request.number;
    answer.found.address[0].v4.sin_addr.s_addr = htonl(1);
    g_assert_cmpint(write(pair[1], &answer, sizeof answer), ==, sizeof answer);
    expected = 1;
    event_loop_run();
    close(pair[0]);
    close(pair[1]);
}

static void keep_line(void *owner, const struct resolved *result, int line)
{
    g_assert_cmpuint(result->count, ==, 0);
    *(int *)owner = line;
    event_loop_quit();
}

static void lines_are_opened(void)
{
    int line, forgotten;
    char byte;
    g_assert_nonnull(resolver_begin_line(keep_line, &line));
    event_loop_run();
    g_assert_cmpint(line, ==, -1); /* nobody listens */
    g_autofree char *path = g_build_filename(folder, SECRETS_SOCKET, NULL);
    int listener = unix_socket_listen(path, SOCK_SEQPACKET, 0600, 8);
    g_assert_nonnull(resolver_begin_line(keep_line, &line));
    event_loop_run();
    int gate = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    g_assert_cmpint(write(line, "x", 1), ==, 1);
    g_assert_cmpint(read(gate, &byte, 1), ==, 1);
    close(line);
    g_assert_cmpint(read(gate, &byte, 1), ==, 0); /* the process has not kept it */
    close(gate);
    /* One that nobody wants any more is closed. */
    resolver_forget(resolver_begin_line(keep_line, &forgotten));
    g_assert_nonnull(resolver_begin_line(keep_line, &line));
    event_loop_run();
    gate = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    g_assert_cmpint(read(gate, &byte, 1), ==, 0);
    close(gate);
    close(line);
    close(listener);
    unlink(path);
}

/* "446" are two addresses of IPv4 and one of IPv6; each has a port of its own. */
static void assert_order(const char *families, const char *order)
{
    struct resolved list = {0};
    for (; families[list.count]; list.count++) {
        list.address[list.count].any.sa_family = families[list.count] == '6' ? AF_INET6 : AF_INET;
        list.address[list.count].v4.sin_port = (in_port_t)list.count;
    }
    int last[2] = {-1, -1};
    resolved_interleave(&list);
    for (gsize i = 0; i < list.count; i++) {
        gboolean is_v6 = list.address[i].any.sa_family == AF_INET6;
        g_assert_cmpint(order[i], ==, is_v6 ? '6' : '4');
        g_assert_cmpint(list.address[i].v4.sin_port, >, last[is_v6]);
        last[is_v6] = list.address[i].v4.sin_port;
    }
}

static void families_take_turns(void)
{
    assert_order("", "");
    assert_order("4", "4");
    assert_order("666", "666");
    assert_order("664", "646");
    assert_order("6644", "6464");
    assert_order("4446", "4644");
    assert_order("6444", "6444");
    assert_order("4466664", "4646466");
}

/* The search list of the machine's resolv.conf(5), whose servers know every name below it. */
#define SEARCH "corp.example"
#define RESOLV "search " SEARCH "\nnameserver 127.0.0.1\noptions timeout:1 attempts:1 ndots:"
#define KNOWN "known.example"
#define OF_KNOWN 0x0a000001u
#define OF_SEARCH 0x0a000002u
/* RFC 1035, 4.1.1: bytes of a message before its question. */
#define DNS_HEAD 12

/* Writes the answer over the QUERY of SIZE bytes. Returns its length. */
static gsize answer_dns(guint8 *query, gsize size)
{
    g_autoptr(GString) name = g_string_new(NULL);
    gsize at = DNS_HEAD;
    for (; at < size && query[at]; at += query[at] + 1u)
        g_string_append_printf(name, "%s%.*s", name->len ? "." : "", query[at], &query[at + 1]);
    gboolean is_v4 = query[at + 2] == 1, searched = g_str_has_suffix(name->str, "." SEARCH);
    gboolean exists = searched || g_str_equal(name->str, KNOWN);
    guint32 address = htonl(searched ? OF_SEARCH : OF_KNOWN);
    /* A pointer to the name, type A, class IN, seconds, length. */
    const guint8 record[] = {0xc0, DNS_HEAD, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4};
    gsize length = at + 5;
    memcpy(query + 2, (guint8[]){0x81, exists ? 0x80 : 0x83, 0, 1, 0, exists && is_v4, 0, 0, 0, 0},
           10);
    if (!exists || !is_v4)
        return length;
    memcpy(query + length, record, sizeof record);
    memcpy(query + length + sizeof record, &address, sizeof address);
    return length + sizeof record + sizeof address;
}

static void *serve_dns(void *data)
{
    guint8 message[1024];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int fd = GPOINTER_TO_INT(data);
    for (ssize_t size; (size = recvfrom(fd, message, 512, 0, (void *)&from, &length)) > 0;)
        sendto(fd, message, answer_dns(message, (gsize)size), 0, (void *)&from, length);
    return NULL;
}

static gboolean cover(const char *path, const char *text)
{
    g_autofree char *own = g_build_filename(folder, "covers", NULL);
    gboolean done =
        g_file_set_contents(own, text, -1, NULL) && mount(own, path, NULL, MS_BIND, NULL) == 0;
    unlink(own);
    return done;
}

/* The socket of its DNS server, which answers when serve_dns() runs; -1: it cannot have namespaces
 * here. */
static int enter_own_network(const char *ndots)
{
    g_autofree char *resolv = g_strconcat(RESOLV, ndots, "\n", NULL);
    g_autofree char *uids = g_strdup_printf("0 %d 1", (int)getuid());
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(53)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) < 0 ||
        !g_file_set_contents_full("/proc/self/uid_map", uids, -1, G_FILE_SET_CONTENTS_NONE, 0,
                                  NULL))
        return -1;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return cover("/etc/resolv.conf", resolv) && cover("/etc/nsswitch.conf", "hosts: files dns\n") &&
                   ioctl(fd, SIOCSIFFLAGS, &lo) == 0 && bind(fd, (void *)&at, sizeof at) == 0
               ? fd
               : -1;
}

static void keep_address(void *owner, const struct resolved *result, int line)
{
    g_assert_cmpint(line, ==, -1);
    *(guint32 *)owner = result->count ? ntohl(result->address[0].v4.sin_addr.s_addr) : 0;
    event_loop_quit();
}

static guint32 look_up(const char *name)
{
    guint32 address;
    g_assert_nonnull(resolver_begin(name, 443, keep_address, &address));
    event_loop_run();
    return address;
}

/* A rule for a name is none for NAME.SEARCH, which may be a server of the user's company. */
static void nothing_is_searched(gconstpointer ndots)
{
    int status;
    /* Another process would look names up, by its own resolv.conf. */
    if (access("/run/nscd/socket", F_OK) == 0 || access("/etc/nsswitch.conf", F_OK) < 0) {
        g_test_skip("needs a machine whose libc looks names up by itself");
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        int server = enter_own_network(ndots);
        if (server < 0)
            _exit(77);
        /* First, as the gate does: a process that is forked beside a thread has the locks that the
         * thread held, such as malloc's, and waits for them for ever. */
        g_assert_cmpint(resolver_init(resolver_fork(folder)), ==, 0);
        g_assert_cmpint(pthread_create(&thread, NULL, serve_dns, GINT_TO_POINTER(server)), ==, 0);
        g_assert_cmphex(look_up(KNOWN), ==, OF_KNOWN);
        g_assert_cmphex(look_up("none." SEARCH), ==, OF_SEARCH);
        g_assert_cmphex(look_up("none.example"), ==, 0);
        _exit(0);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        g_test_skip("needs user namespaces");
    else
        g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *made = g_dir_make_tmp("gate-resolver-XXXXXX", NULL);
    folder = made;
    /* They have event loops of their own. */
    g_test_add_data_func("/gate_resolver/searched_last", "1", nothing_is_searched);
    g_test_add_data_func("/gate_resolver/searched_first", "5", nothing_is_searched);
    g_test_add_func("/gate_resolver/order", families_take_turns);
    g_test_add_func("/gate_resolver/many", many_queries_wait);
    g_test_add_func("/gate_resolver/lines", lines_are_opened);
    g_test_add_func("/gate_resolver/once", one_name_is_asked_once);
    int status = g_test_run();
    rmdir(folder);
    return status;
}
