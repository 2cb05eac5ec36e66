/*
 * For LD_PRELOAD: a helper that a box has taken over. What the helper receives with recv(2) may be
 * the line "take over DEED PATH": it then does that, with the rights that it has by now, and what
 * came of it takes the place of the line. DEED: "connect", in every way, to a Unix socket; "read",
 * "write" a new file, or "run" a program.
 */
#undef _FORTIFY_SOURCE /* with it recv() is an inline function already */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char order[] = "take over ";

static const char *reach(const char *path)
{
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int why = EPERM, pair[2];
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int fd = socket(AF_UNIX, types[i], 0);
        int status = fd < 0 ? -1 : connect(fd, (struct sockaddr *)&address, sizeof address);
        if (status < 0 && errno != EPERM)
            why = errno;
        if (fd >= 0)
            close(fd);
        if (status == 0)
            return "connected";
    }
    /* It sends to a path, too. */
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 ? "has a datagram socket" : strerror(why);
}

static const char *open_file(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return strerror(errno);
    close(fd);
    return "opened";
}

static const char *read_file(const char *path)
{
    return open_file(path, O_RDONLY);
}

static const char *write_file(const char *path)
{
    return open_file(path, O_WRONLY | O_CREAT | O_EXCL);
}

/* In a child; where there can be none, in this process, which is gone then if that works. */
static const char *run_program(const char *path)
{
    int status = 0;
    pid_t pid = fork();
    if (pid <= 0)
        execl(path, path, (char *)NULL);
    if (pid == 0)
        _exit(errno);
    if (pid < 0)
        return strerror(errno);
    return waitpid(pid, &status, 0) == pid && status ? strerror(WEXITSTATUS(status)) : "ran";
}

static const struct {
    const char *name;
    const char *(*perform)(const char *path);
} deeds[] = {
    {"connect ", reach}, {"read ", read_file}, {"write ", write_file}, {"run ", run_program}};

static const char *perform(const char *what)
{
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        size_t length = strlen(deeds[i].name);
        if (strncmp(what, deeds[i].name, length) == 0)
            return deeds[i].perform(what + length);
    }
    return "no such deed";
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    char *text = data;
    ssize_t got = syscall(SYS_recvfrom, fd, data, size, flags, NULL, NULL);
    char *end = got > (ssize_t)sizeof order ? memchr(text, '\n', (size_t)got) : NULL;
    if (!end || memcmp(text, order, sizeof order - 1) != 0)
        return got;
    *end = '\0';
    const char *result = perform(text + sizeof order - 1);
    return snprintf(text, size, "%s\n", result);
}

/* As recv(2) is called with _FORTIFY_SOURCE. */
ssize_t __recv_chk(int fd, void *data, size_t size, size_t room, int flags);
ssize_t __recv_chk(int fd, void *data, size_t size, size_t room, int flags)
{
    return recv(fd, data, size, flags);
}
