#include "host/gate/resolver.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <pthread.h>
#include <resolv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/supervisor/launcher.h"
#include "net/unix_socket.h"
#include "proto/secret_files.h"
#include "sys/confine.h"
#include "sys/descriptors.h"

#define STACK_SIZE ((size_t)256 * 1024)

static const char *folder_of_box;
static int gate;

/* The folder of the file that the resolver reads at PATH: such files are replaced. NULL: none. */
static const char *folder_of(const char *path, char room[PATH_MAX])
{
    char *slash = realpath(path, room) ? strrchr(room, '/') : NULL;
    if (!slash || slash == room)
        return NULL;
    *slash = '\0';
    return room;
}

/* getaddrinfo(3) reads its configuration, and libraries that this names, and talks to servers. */
static void confine(void)
{
    static char resolv[PATH_MAX], hosts[PATH_MAX];
    const struct confine_path paths[] = {
        {"/etc", CONFINE_READ},
        {"/usr/lib", CONFINE_READ},
        {"/usr/lib64", CONFINE_READ},
        {"/lib", CONFINE_READ},
        {"/lib64", CONFINE_READ},
        {"/nix/store", CONFINE_READ},
        {"/run/systemd/resolve", CONFINE_READ},
        {"/run/nscd", CONFINE_READ},
        {folder_of("/etc/resolv.conf", resolv), CONFINE_READ},
        {folder_of("/etc/hosts", hosts), CONFINE_READ},
    };
    confine_process("litterbox-gate", paths, sizeof paths / sizeof *paths,
                    CONFINE_CONNECT | CONFINE_INTERNET | CONFINE_THREADS);
}

static void answer(const struct resolver_answer *self, int line)
{
    if (descriptors_send(gate, self, sizeof *self, &line, line >= 0, 0) < 0)
        _exit(1);
}

static void add(struct resolved *self, const struct sockaddr *address, size_t length)
{
    if (self->count < RESOLVED_MAX && length <= sizeof self->address[0])
        memcpy(&self->address[self->count++], address, length);
}

/* Of this thread. Rules are for names in full: by a search list of resolv.conf(5) a name that does
 * not exist, or by "ndots" one that does, would lead to another one below the machine's domain. */
static int search_nowhere(void)
{
    if (res_init() < 0)
        return -1;
    _res.options &= ~(unsigned long)(RES_DEFNAMES | RES_DNSRCH);
    return 0;
}

static void *resolve(void *data)
{
    struct resolver_request *self = data;
    struct resolver_answer made = {.number = self->number};
    struct addrinfo *list = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    if (search_nowhere() == 0 && getaddrinfo(self->name, NULL, &hints, &list) == 0) {
        for (const struct addrinfo *each = list; each; each = each->ai_next)
            add(&made.found, each->ai_addr, each->ai_addrlen);
        freeaddrinfo(list);
    }
    free(self);
    answer(&made, -1);
    return NULL;
}

/* 0, or an errno. Then the thread has not got REQUEST. */
static int start_thread(struct resolver_request *request)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    int error = pthread_create(&thread, &attributes, resolve, request);
    pthread_attr_destroy(&attributes);
    return error;
}

static void begin_to_resolve(const struct resolver_request *request)
{
    const struct resolver_answer nothing = {.number = request->number};
    struct resolver_request *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *request;
    if (!copy || start_thread(copy) != 0) {
        free(copy);
        answer(&nothing, -1);
    }
}

static void connect_to_secrets(const struct resolver_request *request)
{
    const struct resolver_answer made = {.number = request->number};
    int line =
        unix_socket_connect_in(folder_of_box, SECRETS_SOCKET, SOCK_SEQPACKET | SOCK_NONBLOCK);
    answer(&made, line);
    if (line >= 0)
        close(line);
}

static void run(int socket, void *data)
{
    struct resolver_request request;
    gate = socket;
    confine();
    while (recv(socket, &request, sizeof request, 0) == sizeof request &&
           memchr(request.name, '\0', sizeof request.name)) {
        if (request.name[0])
            begin_to_resolve(&request);
        else
            connect_to_secrets(&request);
    }
}

int resolver_fork(const char *folder)
{
    folder_of_box = folder;
    return launcher_fork("gate-resolver", run, NULL);
}
