/* What the parts of the bridge share: where it serves, and for whom. */
#pragma once

#include <stddef.h>

struct bridge {
    int runtime;        /* the box's runtime folder on the host, */
    int folder;         /* and the one in it that is mounted into the box: O_PATH both */
    const char *path;   /* of the first */
    const char *app_id; /* what the box's windows are called */
    const char *run;    /* which run of the box: its PID 1 */
    char **options;     /* KEY=VALUE each, NULL-terminated */
};
extern struct bridge bridge;

/* The value of the option KEY; "" when it is not given. */
const char *bridge_option(const char *key);

/*
 * A socket of TYPE that listens as NAME in the mounted folder, not blocking; other users have no
 * access. It has its whole path for a name where that fits (sun_path): then `box` finds its
 * connections in /proc/net/unix. -1 with errno.
 */
int bridge_listen(const char *name, int type);
/* The same in FOLDER (O_PATH), which is SUBFOLDER of the box's runtime folder. */
int bridge_listen_in(int folder, const char *subfolder, const char *name, int type);
/* A stream to the socket PATH. -1 with errno. */
int bridge_connect(const char *path);
/* The same for one that does not block, nor waits where too many wait already (EAGAIN). */
int bridge_connect_now(const char *path);
/* The path of the program NAME that lies beside our own. -1 when it does not fit into SIZE. */
int bridge_beside(const char *name, char *path, size_t size);
/* Takes a name of bridge_listen() away. */
void bridge_unlink(const char *name);
