/*
 * What listens for TCP connections in a box, seen from the host: the kernel's table of the box's
 * network, and the processes of the box that have these sockets open.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* More than anybody looks at; a box may make as many as it likes. */
#define LISTENERS_MAX 256

typedef struct {
    guint16 port;
    guint64 inode;
    pid_t pid;     /* as the host sees it; 0: unknown */
    char *program; /* what it calls itself: the box's claim, made safe; NULL: unknown */
} listener;

/*
 * Takes the lines of /proc/PID/net/tcp (or tcp6) and adds the listeners that a connection to
 * loopback reaches to LIST, a port once. Lines that make no sense are passed over.
 */
void listeners_parse(const char *text, gboolean v6, GPtrArray *list);

/* Those of the box whose PID 1 is INIT, by port; free with g_ptr_array_unref. */
GPtrArray *listeners_find(pid_t init);

/* TRUE when INIT has the host's own network. */
gboolean listeners_share_host(pid_t init);
