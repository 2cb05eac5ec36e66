/* floor-relay BYTES ADDRESS PORT: prints a port on which it takes TCP connections, and passes each
 * to ADDRESS by splice(2), BYTES at a time, looking at nothing: the least that any relay takes. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void pass(int from, int to, size_t bytes)
{
    int ends[2];
    ssize_t n, left;
    if (pipe(ends) < 0 || fcntl(ends[1], F_SETPIPE_SZ, (int)bytes) < 0)
        return;
    while ((n = splice(from, NULL, ends[1], NULL, bytes, SPLICE_F_MOVE)) > 0) {
        for (left = n; left > 0; left -= n) {
            n = splice(ends[0], NULL, to, NULL, (size_t)left, SPLICE_F_MOVE);
            if (n <= 0)
                return;
        }
    }
    shutdown(to, SHUT_WR);
}

static void relay(int client, const struct sockaddr_in *target, size_t bytes)
{
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(server, (const struct sockaddr *)target, sizeof *target) < 0)
        exit(1);
    if (fork() == 0)
        pass(client, server, bytes);
    else
        pass(server, client, bytes);
    exit(0);
}

int main(int argc, char **argv)
{
    struct sockaddr_in self = {.sin_family = AF_INET}, target = {.sin_family = AF_INET};
    socklen_t size = sizeof self;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    if (argc != 4 || inet_pton(AF_INET, argv[2], &target.sin_addr) != 1 ||
        bind(door, (struct sockaddr *)&self, size) < 0 || listen(door, 1) < 0 ||
        getsockname(door, (struct sockaddr *)&self, &size) < 0)
        return 2;
    target.sin_port = htons((uint16_t)atoi(argv[3]));
    signal(SIGCHLD, SIG_IGN);
    printf("%d\n", ntohs(self.sin_port));
    fflush(stdout);
    for (;;) {
        int client = accept(door, NULL, NULL);
        if (client >= 0 && fork() == 0)
            relay(client, &target, (size_t)atoi(argv[1]));
        close(client);
    }
}
