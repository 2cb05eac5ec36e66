#include "host/gate/secret_routes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/descriptors.h"

static struct secret_route *routes;
static size_t route_count;

static int parse(const char *data, size_t size, struct secret_route **list, size_t *length)
{
    struct secret_route route;
    int result;
    while ((result = secret_route_parse(&data, &size, &route)) > 0) {
        struct secret_route *grown = reallocarray(*list, *length + 1, sizeof **list);
        if (!grown)
            return -1;
        *list = grown;
        grown[(*length)++] = route;
    }
    return result;
}

int secret_routes_load(const char *folder)
{
    struct secret_route *list = NULL;
    size_t length = 0;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" SECRETS_HOSTS, folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool is_missing = fd < 0 && errno == ENOENT;
    char *text = malloc(SECRETS_HOSTS_MAX);
    ssize_t got = fd < 0 || !text ? -1 : read(fd, text, SECRETS_HOSTS_MAX);
    int status = is_missing ? 0 : got < 0 ? -1 : parse(text, (size_t)got, &list, &length);
    free(text);
    if (fd >= 0)
        close(fd);
    if (status < 0) {
        free(list);
        return -1;
    }
    free(routes);
    routes = list;
    route_count = length;
    return 0;
}

const struct secret_route *secret_routes_find(const char *name, uint16_t port)
{
    for (size_t i = 0; i < route_count; i++)
        if (routes[i].port == port && strcmp(routes[i].name, name) == 0)
            return &routes[i];
    return NULL;
}

int secret_routes_hand_over(int line, const struct network_rules *rules,
                            const struct secret_route *route, int box, int server)
{
    char text[SECRETS_MESSAGE_MAX];
    const int fds[] = {box, server};
    ssize_t length = secrets_message_write(rules, route, text);
    return length > 0 &&
                   descriptors_send(line, text, (size_t)length, fds, 2, MSG_DONTWAIT) == length
               ? 0
               : -1;
}
