#include "guest/init/session_request.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "guest/init/bus.h"
#include "guest/init/dial.h"
#include "guest/init/question.h"

/* A client that dribbles its request must not hold a process for ever. */
#define REQUEST_TIMEOUT_S 10

static int refuse(const struct session_context *context, enum session_stage stage, int error)
{
    struct session_failed failure = {stage, error};
    session_send(context->connection, SESSION_FAILED, &failure, sizeof failure, NULL, 0);
    return -1;
}

static int allowed(const struct session_context *context, struct session_command *request)
{
    if (context->side == SESSION_FROM_HOST)
        return 1;
    request->start.flags |= SESSION_ROOT;
    if (request->start.flags & SESSION_DETACH)
        return 0;
    return context->options->sudo == SUDO_ALLOW ||
           (context->options->sudo == SUDO_ASK && question_ask(context->questions, request));
}

/* What the host alone may ask for, and what takes no command. Ends the process when it was that. */
static void serve_host(const struct session_context *context, const struct session_header *header,
                       const char *body)
{
    if (header->type == SESSION_QUERY) {
        session_send(context->connection, SESSION_INFO, &context->info, sizeof context->info, NULL,
                     0);
        _exit(SESSION_ONLY_ASKED);
    }
    if (header->type == SESSION_CONNECT)
        _exit(dial_serve(context->options, context->connection, body, header->length));
}

static int take_bus(const struct session_context *context, struct session_command *request)
{
    static char *argv[] = {BUS_PROGRAM, NULL}, *env[] = {NULL};
    *request = (struct session_command){.start = {.flags = SESSION_DETACH | SESSION_CWD_HINT},
                                        .cwd = context->options->home,
                                        .argv = argv,
                                        .env = env};
    return 0;
}

int session_request(const struct session_context *context, struct session_command *request,
                    char **body, int received[3])
{
    if (context->side == SESSION_OF_BUS)
        return take_bus(context, request);
    struct session_header header;
    struct timeval limit = {.tv_sec = REQUEST_TIMEOUT_S};
    setsockopt(context->connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(context->connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (session_receive(context->connection, &header, body, received) != 1)
        return -1;
    if (context->side == SESSION_FROM_HOST)
        serve_host(context, &header, *body);
    if (header.type != SESSION_START || session_command_parse(request, *body, header.length) < 0)
        return refuse(context, SESSION_STAGE_REQUEST, EINVAL);
    if (!allowed(context, request))
        return refuse(context, SESSION_STAGE_DENIED, EPERM);
    return 0;
}
