#include "guest/portal/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/unix_socket.h"

/* Smallest size of the buffer; it grows for longer messages. */
#define CHUNK 16384
#define LINE_MAX_LENGTH 256

static int connection = -1;
static uint8_t *buffer;
static size_t capacity, used;
static struct dbus_writer out;
static uint32_t serial;

/* Writes the path of the bus that has started us, or else of the session bus, to PATH. Only
 * addresses of the form "unix:path=…" are supported. */
static int find_socket(char path[UNIX_SOCKET_ADDRESS_SIZE])
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

static int send_all(const void *data, size_t length)
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

/* Reads a line that must begin with START. Byte by byte, as messages may follow the last line. */
static int expect_line(const char *start)
{
    char line[LINE_MAX_LENGTH] = "";
    size_t length = 0;
    while (length < sizeof line - 1 && read(connection, line + length, 1) == 1)
        if (line[length++] == '\n')
            return strncmp(line, start, strlen(start)) == 0 ? 0 : -1;
    return -1;
}

/* Mechanism EXTERNAL: the bus checks the UID against the socket's credentials. */
static int authenticate(void)
{
    char uid[16], line[LINE_MAX_LENGTH];
    int length = snprintf(uid, sizeof uid, "%u", (unsigned)getuid());
    size_t end = (size_t)snprintf(line, sizeof line, "%cAUTH EXTERNAL ", '\0');
    for (int i = 0; i < length; i++)
        end += (size_t)snprintf(line + end, sizeof line - end, "%02x", (unsigned char)uid[i]);
    end += (size_t)snprintf(line + end, sizeof line - end, "\r\n");
    if (send_all(line, end) < 0 || expect_line("OK ") < 0)
        return -1;
    return send_all("BEGIN\r\n", strlen("BEGIN\r\n"));
}

int bus_connect(void)
{
    char path[UNIX_SOCKET_ADDRESS_SIZE];
    connection = find_socket(path) < 0 ? -1 : unix_socket_connect(path, SOCK_STREAM);
    if (connection < 0 || authenticate() < 0)
        return -1;
    return connection;
}

static int make_room(size_t wanted)
{
    if (wanted <= capacity)
        return 0;
    uint8_t *larger = realloc(buffer, wanted);
    if (!larger)
        return -1;
    buffer = larger;
    capacity = wanted;
    return 0;
}

/* The length of the first message in the buffer; 0: not known yet, -1: it is invalid. */
static ssize_t next_length(void)
{
    if (used < DBUS_MESSAGE_HEAD)
        return 0;
    size_t length = dbus_message_length(buffer);
    return length ? (ssize_t)length : -1;
}

static void drop(size_t length)
{
    used -= length;
    memmove(buffer, buffer + length, used);
}

int bus_read(void (*handle)(const struct dbus_message *message))
{
    struct dbus_message message;
    ssize_t length = next_length();
    if (length < 0 || make_room(length > CHUNK ? (size_t)length : CHUNK) < 0)
        return -1;
    ssize_t n = read(connection, buffer + used, capacity - used);
    if (n < 0 && errno == EINTR)
        return 0;
    if (n <= 0)
        return -1;
    used += (size_t)n;
    while ((length = next_length()) > 0 && used >= (size_t)length) {
        if (dbus_message_parse(&message, buffer, (size_t)length) < 0)
            return -1;
        handle(&message);
        drop((size_t)length);
    }
    return length < 0 ? -1 : 0;
}

struct dbus_writer *bus_begin(struct dbus_message_head head)
{
    head.serial = ++serial;
    dbus_message_begin(&out, &head);
    return &out;
}

uint32_t bus_end(void)
{
    return dbus_message_end(&out) < 0 || send_all(out.data, out.length) < 0 ? 0 : serial;
}
