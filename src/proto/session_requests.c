/* The bodies of what clients ask for: START and CONNECT. */
#include "proto/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The string at *AT, which moves behind its NUL; NULL when none ends before END. */
static char *take_string(char **at, const char *end)
{
    char *start = *at;
    char *nul = start < end ? memchr(start, '\0', (size_t)(end - start)) : NULL;
    if (nul)
        *at = nul + 1;
    return nul ? start : NULL;
}

static char **take_strings(char **at, const char *end, uint32_t count)
{
    char **list = calloc((size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = take_string(at, end);
        if (!list[i]) {
            free(list);
            errno = EINVAL;
            return NULL;
        }
    }
    return list;
}

static int start_fits(const struct session_start *start, size_t rest)
{
    return !(start->flags & ~(uint32_t)SESSION_FLAGS) && start->wait < SESSION_WAITS &&
           start->argc >= 1 && start->argc <= SESSION_STRINGS_MAX &&
           start->envc <= SESSION_STRINGS_MAX &&
           /* every string has its NUL, so there are never more strings than bytes */
           (size_t)start->argc + start->envc + 1 <= rest &&
           !((start->flags & SESSION_TTY) && (start->flags & SESSION_DETACH));
}

int session_command_parse(struct session_command *command, char *body, size_t length)
{
    *command = (struct session_command){0};
    errno = EINVAL;
    if (length <= sizeof command->start)
        return -1;
    memcpy(&command->start, body, sizeof command->start);
    if (!start_fits(&command->start, length - sizeof command->start))
        return -1;
    char *at = body + sizeof command->start;
    const char *end = body + length;
    command->cwd = take_string(&at, end);
    if (!command->cwd)
        return -1;
    command->argv = take_strings(&at, end, command->start.argc);
    if (command->argv)
        command->env = take_strings(&at, end, command->start.envc);
    if (!command->argv || !command->env || at != end || !command->argv[0][0]) {
        int saved = command->env ? EINVAL : errno;
        session_command_clear(command);
        errno = saved;
        return -1;
    }
    return 0;
}

void session_command_clear(struct session_command *command)
{
    free(command->argv);
    free(command->env);
    command->argv = command->env = NULL;
}

int session_connect_parse(const char *body, size_t length)
{
    struct session_connect request = {0};
    if (length == sizeof request)
        memcpy(&request, body, sizeof request);
    if (request.port >= 1 && request.port <= UINT16_MAX)
        return (int)request.port;
    errno = EINVAL;
    return -1;
}

static size_t strings_size(char *const *list, uint32_t *count)
{
    size_t size = 0;
    *count = 0;
    for (; list && list[*count]; ++*count)
        size += strlen(list[*count]) + 1;
    return size;
}

static char *put_strings(char *at, char *const *list)
{
    for (; list && *list; list++)
        at = stpcpy(at, *list) + 1;
    return at;
}

int session_command_build(const struct session_command *command, char **body, size_t *length)
{
    struct session_start start = command->start;
    size_t size = sizeof start + strlen(command->cwd) + 1;
    size += strings_size(command->argv, &start.argc);
    size += strings_size(command->env, &start.envc);
    if (start.argc == 0) {
        errno = EINVAL;
        return -1;
    }
    if (size > SESSION_START_MAX) {
        errno = E2BIG;
        return -1;
    }
    *body = malloc(size);
    if (!*body)
        return -1;
    memcpy(*body, &start, sizeof start);
    char *at = stpcpy(*body + sizeof start, command->cwd) + 1;
    at = put_strings(at, command->argv);
    put_strings(at, command->env);
    *length = size;
    return 0;
}
