/*
 * TCP listeners in a box, seen from the host: the kernel's table of the box's network namespace,
 * and the box's processes that have these sockets open.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* A box can open any number; more than this would not be readable in a list. */
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
