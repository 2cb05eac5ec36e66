/*
 * TCP sockets in a box, seen from the host: the kernel's tables of the box's network namespace
 * (proc_net_tcp.txt of the kernel), and which processes of the box have a socket open.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* TCP_LISTEN of the kernel. */
#define SOCKET_LISTEN 0x0a

typedef struct {
    guint32 words[4]; /* the local address, in network byte order; of IPv4 the first one */
    guint port, remote_port;
    guint state;
    guint64 inode; /* 0: no process has it open any more */
} socket_line;

/* Parses a line of the table of TCP (V6: over IPv6). FALSE: it is no line of a socket. */
gboolean socket_line_parse(const char *line, gboolean v6, socket_line *found);

/* The table of the box whose PID 1 is INIT, at most MAX bytes of it; a new string, or NULL. */
char *socket_table_read(pid_t init, gboolean v6, gsize max);

/* Sets OWNERS[i] to a process that has the socket INODES[i] open, of the box whose PID 1 is INIT,
 * or in the network that INIT holds for a build; 0: none was found. */
void socket_owners_find(pid_t init, const guint64 *inodes, pid_t *owners, gsize count);

/* Which namespace NAME ("pid", "net") the process PROCESS, a name in /proc, is in. FALSE: unknown.
 */
gboolean process_namespace(const char *process, const char *name, ino_t *result);

/* A process of the box whose PID 1 is INIT that is connected from ADDRESS (host byte order) and
 * PORT to REMOTE_PORT; 0: none was found. */
pid_t socket_owner(pid_t init, guint32 address, guint16 port, guint16 remote_port);

/* Listeners. A box can open any number; more than this would not be readable in a list. */
#define LISTENERS_MAX 256

typedef struct {
    guint16 port;
    guint64 inode;
    pid_t pid;     /* on the host; 0: unknown */
    char *program; /* the process's comm, which the box chooses, made safe; NULL: unknown */
} listener;

/*
 * Parses /proc/PID/net/tcp (or tcp6) and adds the listeners that a connection to the loopback
 * address reaches to LIST, each port once. Skips lines that it cannot parse.
 */
void listeners_parse(const char *text, gboolean v6, GPtrArray *list);

/* The listeners of the box whose PID 1 is INIT, sorted by port; free with g_ptr_array_unref(). */
GPtrArray *listeners_find(pid_t init);

/* TRUE when INIT is in the host's network namespace. */
gboolean listeners_is_host_network(pid_t init);
