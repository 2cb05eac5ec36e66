/* Which program has a socket: the kernel's table, and a search in /proc, here one of this test. */
#include "host/gate/program_names.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "host/gate/socket_diag.h"
#include "proto/network_address.h"

/* A connection over loopback, by IPv4 or from a socket of IPv6 that has an IPv4 address. */
static int make_connection(gboolean from_v6, struct sockaddr_in6 *from, struct sockaddr_in6 *to,
                           int *accepted)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, mine;
    socklen_t length = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    g_assert_cmpint(bind(listener, (struct sockaddr *)&at, sizeof at) | listen(listener, 1), ==, 0);
    g_assert_cmpint(getsockname(listener, (struct sockaddr *)&at, &length), ==, 0);
    *to = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = at.sin_port};
    to->sin6_addr = network_address_v4(INADDR_LOOPBACK);
    int fd = socket(from_v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    g_assert_cmpint(
        connect(fd, from_v6 ? (void *)to : (void *)&at, from_v6 ? sizeof *to : sizeof at), ==, 0);
    *accepted = accept(listener, (struct sockaddr *)&mine, &length);
    close(listener);
    *from = *to;
    from->sin6_port = mine.sin_port;
    return fd;
}

static guint32 inode_of(int fd)
{
    struct stat about;
    g_assert_cmpint(fstat(fd, &about), ==, 0);
    return (guint32)about.st_ino;
}

static void the_kernel_knows_a_socket(void)
{
    int diag = socket_diag_open(), accepted;
    struct sockaddr_in6 from, to;
    if (diag < 0) {
        g_test_skip("the kernel has no sock_diag");
        return;
    }
    for (int v6 = 0; v6 < 2; v6++) {
        int fd = make_connection(v6, &from, &to, &accepted);
        g_assert_cmpuint(socket_diag_inode(diag, &from, &to), ==, inode_of(fd));
        /* The other end is another one, and an address that nobody has is none. */
        g_assert_cmpuint(socket_diag_inode(diag, &to, &from), ==, inode_of(accepted));
        from.sin6_addr.s6_addr[15]++;
        g_assert_cmpuint(socket_diag_inode(diag, &from, &to), ==, 0);
        close(fd);
        close(accepted);
    }
    close(diag);
}

static void a_program_is_found_by_its_socket(void)
{
    char name[NETWORK_PROGRAM_SIZE];
    /* As /proc of a box with a single process: that of this machine may be long. */
    g_autofree char *folder = g_dir_make_tmp("gate-programs-XXXXXX", NULL);
    g_autofree char *one = g_build_filename(folder, "1", NULL);
    g_autofree char *self = g_strdup_printf("/proc/%d", (int)getpid());
    g_assert_cmpint(symlink(self, one), ==, 0);
    int proc = open(folder, O_RDONLY | O_DIRECTORY), fd = socket(AF_INET, SOCK_STREAM, 0);
    guint32 inode = inode_of(fd);
    prctl(PR_SET_NAME, "e\033[31mvil \xc3\xbc\n-");
    for (int again = 0; again < 2; again++) {
        program_finder_look(proc, inode, name);
        g_assert_cmpstr(name, ==, "e?[31mvil\?\?\?\?-");
    }
    close(fd);
    program_finder_look(proc, inode, name);
    g_assert_cmpstr(name, ==, "");
    close(proc);
    unlink(one);
    rmdir(folder);
}

#define OTHERS 1000

static volatile sig_atomic_t interruptions;

static void be_away(int number)
{
    interruptions++;
    usleep(50000);
}

/* Another program has the processor in the middle of the search, for longer than that may compute.
 */
static void a_busy_machine_hides_no_program(void)
{
    char name[NETWORK_PROGRAM_SIZE];
    int others[OTHERS];
    g_autofree char *folder = g_dir_make_tmp("gate-programs-XXXXXX", NULL);
    g_autofree char *one = g_build_filename(folder, "2", NULL);
    g_autofree char *self = g_strdup_printf("/proc/%d", (int)getpid());
    g_assert_cmpint(symlink(self, one), ==, 0);
    int proc = open(folder, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < OTHERS; i++)
        g_assert_cmpint(others[i] = dup(proc), >=, 0);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    signal(SIGALRM, be_away);
    prctl(PR_SET_NAME, "late");
    /* Until the signal came in its middle, and not before or behind it. */
    for (int i = 0; i < 20; i++) {
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 200}}, NULL);
        program_finder_look(proc, inode_of(fd), name);
        g_assert_cmpstr(name, ==, "late");
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    g_assert_cmpint(interruptions, >, 0);
    close(fd);
    for (int i = 0; i < OTHERS; i++)
        close(others[i]);
    close(proc);
    unlink(one);
    rmdir(folder);
}

static void names_are_one_word(void)
{
    char name[NETWORK_PROGRAM_SIZE];
    program_name_clean("", 0, name);
    g_assert_cmpstr(name, ==, "");
    program_name_clean("tmux: server\n", 13, name);
    g_assert_cmpstr(name, ==, "tmux:?server");
    program_name_clean("a\0b", 3, name);
    g_assert_cmpstr(name, ==, "a?b");
    program_name_clean("0123456789abcdefg", 17, name);
    g_assert_cmpstr(name, ==, "0123456789abcde");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate_programs/socket", the_kernel_knows_a_socket);
    g_test_add_func("/gate_programs/found", a_program_is_found_by_its_socket);
    g_test_add_func("/gate_programs/busy", a_busy_machine_hides_no_program);
    g_test_add_func("/gate_programs/names", names_are_one_word);
    return g_test_run();
}
