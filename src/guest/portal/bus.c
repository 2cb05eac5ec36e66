#include "guest/portal/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/unix_socket.h"

/* Read at once; messages that are longer get the room that they need. */
#define CHUNK 16384
#define LINE_MAX_LENGTH 256

static int connection = -1;
static uint8_t *buffer;
static size_t room, used;
static struct wire_out out;
static uint32_t serial;

/* The bus that has started us, or else that of the session: a "unix:path=", nothing else. */
static int find(char path[UNIX_SOCKET_ADDRESS_SIZE])
{
    static const char start[] = "unix:path=";
    const char *text = getenv("DBUS_STARTER_ADDRESS");
    if (!text)
        text = getenv("DBUS_SESSION_BUS_ADDRESS");
    if (!text || strncmp(text, start, sizeof start - 1) != 0)
        return -1;
    text += sizeof start - 1;
    size_t length = strcspn(text, ",;");
    if (length >= UNIX_SOCKET_ADDRESS_SIZE || memchr(text, '%', length))
        return -1;
    memcpy(path, text, length);
    path[length] = '\0';
    return 0;
}

static int say(const void *data, size_t length)
{
    const char *at = data;
    while (length > 0) {
        ssize_t n = send(connection, at, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

/* A line of the greeting, byte by byte: behind the last one messages may follow. */
static int hear(const char *start)
{
    char line[LINE_MAX_LENGTH] = "";
    size_t length = 0;
    while (length < sizeof line - 1 && read(connection, line + length, 1) == 1)
        if (line[length++] == '\n')
            return strncmp(line, start, strlen(start)) == 0 ? 0 : -1;
    return -1;
}

/* The bus knows who is at the other end of the socket, and only wants to hear it (EXTERNAL). */
static int greet(void)
{
    char uid[16], line[LINE_MAX_LENGTH];
    int length = snprintf(uid, sizeof uid, "%u", (unsigned)getuid());
    size_t end = (size_t)snprintf(line, sizeof line, "%cAUTH EXTERNAL ", '\0');
    for (int i = 0; i < length; i++)
        end += (size_t)snprintf(line + end, sizeof line - end, "%02x", (unsigned char)uid[i]);
    end += (size_t)snprintf(line + end, sizeof line - end, "\r\n");
    if (say(line, end) < 0 || hear("OK ") < 0)
        return -1;
    return say("BEGIN\r\n", strlen("BEGIN\r\n"));
}

int bus_connect(void)
{
    char path[UNIX_SOCKET_ADDRESS_SIZE];
    connection = find(path) < 0 ? -1 : unix_socket_connect(path, SOCK_STREAM);
    if (connection < 0 || greet() < 0)
        return -1;
    return connection;
}

static int make_room(size_t wanted)
{
    if (wanted <= room)
        return 0;
    uint8_t *larger = realloc(buffer, wanted);
    if (!larger)
        return -1;
    buffer = larger;
    room = wanted;
    return 0;
}

/* How long the first message in the buffer is; 0 as long as nobody knows, -1: it is none. */
static ssize_t next_length(void)
{
    if (used < MESSAGE_HEAD)
        return 0;
    size_t length = message_length(buffer);
    return length ? (ssize_t)length : -1;
}

static void drop(size_t length)
{
    used -= length;
    memmove(buffer, buffer + length, used);
}

int bus_read(void (*take)(const struct message *message))
{
    struct message message;
    ssize_t length = next_length();
    if (length < 0 || make_room(length > CHUNK ? (size_t)length : CHUNK) < 0)
        return -1;
    ssize_t n = read(connection, buffer + used, room - used);
    if (n < 0 && errno == EINTR)
        return 0;
    if (n <= 0)
        return -1;
    used += (size_t)n;
    while ((length = next_length()) > 0 && used >= (size_t)length) {
        if (message_parse(&message, buffer, (size_t)length) < 0)
            return -1;
        take(&message);
        drop((size_t)length);
    }
    return length < 0 ? -1 : 0;
}

struct wire_out *bus_begin(struct message_head head)
{
    head.serial = ++serial;
    message_begin(&out, &head);
    return &out;
}

uint32_t bus_end(void)
{
    return message_end(&out) < 0 || say(out.data, out.length) < 0 ? 0 : serial;
}
