/* Unix sockets: symbolic links, modes, long paths. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/unix_socket.h"

static char *folder, *path; /* PATH: a socket's name in FOLDER */

static void begin(void)
{
    folder = g_dir_make_tmp("unix-socket-XXXXXX", NULL);
    path = g_build_filename(folder, "socket", NULL);
}

static void end(void)
{
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    for (const char *name; (name = g_dir_read_name(listing));) {
        g_autofree char *each = g_build_filename(folder, name, NULL);
        g_assert_cmpint(g_remove(each), ==, 0);
    }
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    g_clear_pointer(&folder, g_free);
    g_clear_pointer(&path, g_free);
}

static mode_t mode_of(const char *name)
{
    struct stat st;
    g_assert_cmpint(lstat(name, &st), ==, 0);
    g_assert_true(S_ISSOCK(st.st_mode));
    return st.st_mode & 07777;
}

static void assert_connects(int fd, int listener)
{
    struct ucred peer;
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(fcntl(fd, F_GETFD), ==, FD_CLOEXEC);
    int accepted = unix_socket_accept(listener, SOCK_NONBLOCK, &peer);
    g_assert_cmpint(accepted, >=, 0);
    g_assert_cmpint(fcntl(accepted, F_GETFD), ==, FD_CLOEXEC);
    g_assert_cmpint(fcntl(accepted, F_GETFL) & O_NONBLOCK, ==, O_NONBLOCK);
    g_assert_cmpint(peer.pid, ==, getpid());
    g_assert_cmpuint(peer.uid, ==, geteuid());
    g_assert_cmpint(unix_socket_peer_pid(fd), ==, getpid());
    close(accepted);
    close(fd);
}

static void assert_fails(int fd, int error)
{
    g_assert_cmpint(fd, ==, -1);
    g_assert_cmpint(errno, ==, error);
}

static void listener_is_found(void)
{
    begin();
    int listener = unix_socket_listen(path, SOCK_STREAM | SOCK_NONBLOCK, 0600, 4);
    g_assert_cmpint(fcntl(listener, F_GETFD), ==, FD_CLOEXEC);
    g_assert_cmpint(fcntl(listener, F_GETFL) & O_NONBLOCK, ==, O_NONBLOCK);
    assert_connects(unix_socket_connect(path, SOCK_STREAM), listener);
    assert_connects(unix_socket_connect_in(folder, "socket", SOCK_STREAM), listener);
    assert_fails(unix_socket_connect(path, SOCK_SEQPACKET), EPROTOTYPE);
    close(listener);
    end();
}

static void nobody_listens(void)
{
    begin();
    assert_fails(unix_socket_connect(path, SOCK_STREAM), ENOENT);
    assert_fails(unix_socket_connect_in(folder, "socket", SOCK_STREAM), ENOENT);
    assert_fails(unix_socket_connect_in(path, "socket", SOCK_STREAM), ENOENT);
    close(unix_socket_listen(path, SOCK_STREAM, 0600, 4)); /* leaves the file */
    assert_fails(unix_socket_connect(path, SOCK_STREAM), ECONNREFUSED);
    assert_fails(unix_socket_connect_in(folder, "socket", SOCK_STREAM), ECONNREFUSED);
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_assert_true(g_file_set_contents(path, "", 0, NULL));
    assert_fails(unix_socket_connect(path, SOCK_STREAM), ECONNREFUSED);
    assert_fails(unix_socket_connect_in(folder, "socket", SOCK_STREAM), ECONNREFUSED);
    end();
}

static void links_are_followed_only_where_asked(void)
{
    begin();
    g_autofree char *link_name = g_build_filename(folder, "link", NULL);
    g_autofree char *folder_link = g_strconcat(folder, ".link", NULL);
    g_autofree char *through = g_build_filename(folder_link, "socket", NULL);
    int listener = unix_socket_listen(path, SOCK_STREAM, 0600, 4);
    g_assert_cmpint(symlink("socket", link_name), ==, 0);
    g_assert_cmpint(symlink(folder, folder_link), ==, 0);
    assert_connects(unix_socket_connect(link_name, SOCK_STREAM), listener);
    assert_connects(unix_socket_connect(through, SOCK_STREAM), listener);
    assert_fails(unix_socket_connect_in(folder, "link", SOCK_STREAM), ECONNREFUSED);
    assert_fails(unix_socket_connect_in(folder_link, "socket", SOCK_STREAM), ENOTDIR);
    assert_fails(unix_socket_listen(through, SOCK_STREAM, 0600, 4), ENOTDIR);
    close(listener);
    g_assert_cmpint(g_unlink(folder_link), ==, 0);
    end();
}

/* An existing file is replaced; a symbolic link is not followed. */
static void listener_replaces_what_has_its_name(void)
{
    begin();
    g_autofree char *other = g_build_filename(folder, "other", NULL);
    g_assert_true(g_file_set_contents(other, "kept", 4, NULL));
    g_assert_cmpint(symlink("other", path), ==, 0);
    int first = unix_socket_listen(path, SOCK_STREAM, 0600, 4);
    g_assert_cmpint(first, >=, 0);
    g_assert_cmpuint(mode_of(path), ==, 0600);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(other, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "kept");
    int second = unix_socket_listen(path, SOCK_STREAM, 0600, 4);
    assert_connects(unix_socket_connect(path, SOCK_STREAM), second);
    close(first);
    close(second);
    end();
}

static void mode_is_limited_by_umask(void)
{
    static const struct {
        mode_t mask, wanted, expected;
    } cases[] = {{022, 0600, 0600}, {0, 0600, 0600}, {0, 0666, 0666}, {077, 0666, 0600}};
    begin();
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        mode_t old = umask(cases[i].mask);
        int listener = unix_socket_listen(path, SOCK_STREAM, cases[i].wanted, 4);
        umask(old);
        g_assert_cmpint(listener, >=, 0);
        g_assert_cmpuint(mode_of(path), ==, cases[i].expected);
        close(listener);
    }
    end();
}

/* As another user than root, who may connect to everything; 0 or an errno. */
static int connect_as_nobody(const char *name)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
            _exit(255);
        _exit(unix_socket_connect(name, SOCK_STREAM) < 0 ? errno : 0);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void mode_keeps_others_out(void)
{
    begin();
    g_assert_cmpint(g_chmod(folder, 0755), ==, 0);
    mode_t old = umask(0);
    int closed = unix_socket_listen(path, SOCK_STREAM, geteuid() ? 0 : 0600, 4);
    g_assert_cmpint(connect_as_nobody(path), ==, EACCES);
    int open_to_all = unix_socket_listen(path, SOCK_STREAM, 0666, 4);
    g_assert_cmpint(connect_as_nobody(path), ==, 0);
    umask(old);
    close(closed);
    close(open_to_all);
    end();
}

static void no_path_is_too_long(void)
{
    begin();
    g_autofree char *name = g_strnfill(150, 'x');
    g_autofree char *deep = g_build_filename(folder, name, NULL);
    g_autofree char *long_path = g_build_filename(deep, "socket", NULL);
    char address[UNIX_SOCKET_ADDRESS_SIZE];
    int through;
    assert_fails(unix_socket_connect(long_path, SOCK_STREAM), ENOENT);
    assert_fails(unix_socket_listen(long_path, SOCK_STREAM, 0600, 4), ENOENT);
    g_assert_cmpint(g_mkdir(deep, 0700), ==, 0);
    int listener = unix_socket_listen(long_path, SOCK_STREAM, 0600, 4);
    g_assert_cmpint(listener, >=, 0);
    g_assert_cmpuint(mode_of(long_path), ==, 0600);
    assert_connects(unix_socket_connect(long_path, SOCK_STREAM), listener);
    assert_connects(unix_socket_connect_in(deep, "socket", SOCK_STREAM), listener);
    g_assert_cmpint(unix_socket_address(long_path, address, &through), ==, 0);
    g_assert_cmpint(through, >=, 0);
    assert_connects(unix_socket_connect(address, SOCK_STREAM), listener);
    close(through);
    close(listener);
    /* The folder alone still has to fit into the kernel's PATH_MAX, and the name into an address.
     */
    g_autofree char *huge = g_strnfill(5000, 'x');
    g_autofree char *huge_path = g_strconcat(huge, "/socket", NULL);
    assert_fails(unix_socket_connect(huge_path, SOCK_STREAM), ENAMETOOLONG);
    assert_fails(unix_socket_connect(name, SOCK_STREAM), ENAMETOOLONG);
    g_assert_cmpint(unix_socket_address("/short", address, &through), ==, 0);
    g_assert_cmpint(through, ==, -1);
    g_assert_cmpstr(address, ==, "/short");
    g_assert_cmpint(g_unlink(long_path), ==, 0);
    end();
}

static gboolean kernel_lists(const char *name)
{
    g_autofree char *text = NULL, *end_of_line = g_strconcat(" ", name, "\n", NULL);
    g_assert_true(g_file_get_contents("/proc/net/unix", &text, NULL, NULL));
    return strstr(text, end_of_line) != NULL;
}

static void kernel_lists_the_path_only_where_asked(void)
{
    begin();
    int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int shown = unix_socket_listen(path, SOCK_STREAM, 0600, 4);
    g_assert_true(kernel_lists(path));
    close(shown);
    int hidden = unix_socket_listen_at(dir, "socket", SOCK_STREAM, 0600, 4);
    g_assert_cmpuint(mode_of(path), ==, 0600);
    g_assert_false(kernel_lists(path));
    assert_connects(unix_socket_connect(path, SOCK_STREAM), hidden);
    close(hidden);
    close(dir);
    end();
}

static void name_in_the_working_folder(void)
{
    begin();
    g_autofree char *before = g_get_current_dir();
    g_assert_cmpint(g_chdir(folder), ==, 0);
    int listener = unix_socket_listen_at(AT_FDCWD, "socket", SOCK_STREAM, 0600, 4);
    assert_connects(unix_socket_connect("socket", SOCK_STREAM), listener);
    close(listener);
    listener = unix_socket_listen("socket", SOCK_STREAM, 0600, 4);
    assert_connects(unix_socket_connect(path, SOCK_STREAM), listener);
    close(listener);
    g_assert_cmpint(g_chdir(before), ==, 0);
    end();
}

static void full_queue_does_not_block(void)
{
    int fds[8], count = 0;
    begin();
    int listener = unix_socket_listen(path, SOCK_STREAM, 0600, 1);
    do
        fds[count] = unix_socket_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
    while (fds[count] >= 0 && ++count < 8);
    assert_fails(fds[count], EAGAIN);
    /* Nor for ever, where a box could have filled it, for who waits for room. */
    assert_fails(unix_socket_connect_in(folder, "socket", SOCK_STREAM), EAGAIN);
    while (count > 0)
        close(fds[--count]);
    close(listener);
    end();
}

static void rest_is_sent_as_there_is_room(void)
{
    static char data[1 << 20], got[sizeof data];
    int pair[2];
    size_t sent = 0, read_so_far = 0;
    memset(data, 'x', sizeof data);
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), ==, 0);
    g_assert_cmpint(unix_socket_send_rest(pair[0], data, sizeof data, &sent), ==, 0);
    g_assert_cmpuint(sent, >, 0);
    g_assert_cmpuint(sent, <, sizeof data);
    while (read_so_far < sizeof data) {
        ssize_t n = read(pair[1], got + read_so_far, sizeof got - read_so_far);
        g_assert_cmpint(n, >, 0);
        read_so_far += (size_t)n;
        g_assert_cmpint(unix_socket_send_rest(pair[0], data, sizeof data, &sent), ==,
                        sent == sizeof data);
    }
    g_assert_cmpmem(data, sizeof data, got, sizeof got);
    close(pair[1]);
    sent = 0;
    assert_fails(unix_socket_send_rest(pair[0], data, 1, &sent), EPIPE);
    close(pair[0]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/unix-socket/listener-is-found", listener_is_found);
    g_test_add_func("/unix-socket/nobody-listens", nobody_listens);
    g_test_add_func("/unix-socket/links", links_are_followed_only_where_asked);
    g_test_add_func("/unix-socket/replaces-its-name", listener_replaces_what_has_its_name);
    g_test_add_func("/unix-socket/mode-and-umask", mode_is_limited_by_umask);
    g_test_add_func("/unix-socket/mode-keeps-others-out", mode_keeps_others_out);
    g_test_add_func("/unix-socket/long-paths", no_path_is_too_long);
    g_test_add_func("/unix-socket/listed-paths", kernel_lists_the_path_only_where_asked);
    g_test_add_func("/unix-socket/working-folder", name_in_the_working_folder);
    g_test_add_func("/unix-socket/full-queue", full_queue_does_not_block);
    g_test_add_func("/unix-socket/rest", rest_is_sent_as_there_is_room);
    return g_test_run();
}
