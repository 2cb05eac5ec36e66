/*
 * Fuzzes the session protocol. The bytes go through a socket into session_receive(), and as the
 * body of a START into its parser: building what was parsed must give the same bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_start(const uint8_t *data, size_t size)
{
    struct session_command command;
    char *copy = malloc(size + 1), *again;
    size_t length;
    memcpy(copy, data, size);
    if (session_command_parse(&command, copy, size) == 0) {
        assert(session_command_build(&command, &again, &length) == 0);
        assert(length == size && memcmp(again, data, size) == 0);
        free(again);
        session_command_clear(&command);
    }
    free(copy);
}

/* Whatever a box-init sends, what is shown of it has an end. */
static void read_left(unsigned type, const char *body, size_t length)
{
    struct session_exited exited;
    struct session_info info;
    if (type != SESSION_EXITED && type != SESSION_INFO)
        return;
    session_exited_read(&exited, body, length);
    session_info_read(&info, body, length);
    assert(memcmp(&exited.left, &info.left, sizeof info.left) == 0);
    assert(info.left.fate < SESSION_FATES);
    for (int i = 0; i < SESSION_LEFT_MAX; i++)
        assert(strlen(info.left.programs[i].name) < SESSION_NAME_MAX);
}

static void receive(const uint8_t *data, size_t size)
{
    int pair[2], fds[3];
    struct session_header header;
    char *body;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return;
    if (send(pair[0], data, size, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
        shutdown(pair[0], SHUT_WR);
        while (session_receive(pair[1], &header, &body, fds) == 1) {
            assert(session_length_fits(header.type, header.length));
            int port = session_connect_parse(body, header.length);
            assert(port == -1 || (port >= 1 && port <= 65535));
            assert(body[header.length] == '\0');
            read_left(header.type, body, header.length);
            free(body);
        }
    }
    close(pair[0]);
    close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    parse_start(data + 1, size - 1);
    receive(data + 1, size - 1);
    return 0;
}
