/*
 * podman-request [--status] METHOD PATH [BODY]
 *
 * Sends one request of the libpod API to the service at CONTAINER_HOST (unix://PATH) and prints the
 * body of the reply; with --status also its status, on a line of its own. Ends with 1 when there is
 * no reply. Tests ask a few times each, and curl costs ten times as much: it loads 40 libraries.
 *
 * HTTP/1.0 (RFC 1945): the body ends with the connection.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_service(void)
{
    const char *host = getenv("CONTAINER_HOST"), *prefix = "unix://";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!host || strncmp(host, prefix, strlen(prefix)) != 0)
        errx(1, "CONTAINER_HOST is no unix:// address");
    host += strlen(prefix);
    if (strlen(host) >= sizeof address.sun_path)
        errx(1, "CONTAINER_HOST is too long");
    strcpy(address.sun_path, host);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        err(1, "%s", host);
    return fd;
}

static void send_request(int fd, const char *method, const char *path, const char *body)
{
    size_t length = body ? strlen(body) : 0;
    if (dprintf(fd,
                "%s /v4.0.0/libpod/%s HTTP/1.0\r\nContent-Type: application/json\r\n"
                "Content-Length: %zu\r\n\r\n%s",
                method, path, length, body ? body : "") < 0)
        err(1, "send");
}

/* The whole reply, which ends with a NUL; SIZE is without it. */
static char *read_reply(int fd, size_t *size)
{
    char *reply = NULL;
    size_t room = 0;
    for (*size = 0;;) {
        if (room - *size < 2)
            reply = realloc(reply, room = room ? 2 * room : 16384);
        if (!reply)
            err(1, "reply");
        ssize_t got = read(fd, reply + *size, room - *size - 1);
        if (got < 0)
            err(1, "read");
        if (got == 0)
            break;
        *size += (size_t)got;
    }
    reply[*size] = '\0';
    return reply;
}

int main(int argc, char **argv)
{
    int with_status = argc > 1 && strcmp(argv[1], "--status") == 0, status;
    argc -= with_status;
    argv += with_status;
    if (argc < 3 || argc > 4)
        errx(2, "usage: podman-request [--status] METHOD PATH [BODY]");
    size_t size;
    int fd = connect_service();
    send_request(fd, argv[1], argv[2], argv[3]);
    char *reply = read_reply(fd, &size);
    const char *end = strstr(reply, "\r\n\r\n");
    if (!end || sscanf(reply, "HTTP/%*s %d", &status) != 1)
        errx(1, "no reply to %s %s", argv[1], argv[2]);
    end += 4;
    fwrite(end, 1, size - (size_t)(end - reply), stdout);
    if (with_status)
        printf("%d\n", status);
    return fflush(stdout) ? 1 : 0;
}
