/*
 * The host keys that ssh in a box knows: those that forges publish, and those that the user knows
 * of the hosts that the project's remotes name. Keys are public; that the user knows a host is not,
 * and a box can write remotes. So their names are read before a box first runs, and kept
 * (plan/prepare.c), and they are few.
 */
#pragma once

#include <glib.h>

/* Most hosts of a project, and bytes of a known_hosts file that are read. */
#define HOST_KEYS_HOSTS_MAX 16
#define HOST_KEYS_FILE_MAX (4 << 20)

/* "NAME TYPE BASE64", NULL-terminated. */
extern const char *const forge_keys[];

/*
 * The hosts that the remotes in a repository's configuration reach by ssh, as known_hosts names
 * them: "host" or "[host]:port", in lower case. A new array; CONFIG has LENGTH hostile bytes.
 */
char **host_keys_of_remotes(const char *config, gsize length);

/* TRUE for a name that host_keys_of_remotes() can return. */
gboolean host_keys_is_name(const char *name);

/*
 * The contents of a known_hosts file, a new string: the forges' keys, and what the lines of KNOWN
 * (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT; may be NULL) say about HOSTS, one line each.
 */
char *host_keys_text(char *const *hosts, const char *known);

/* The public half of what a setting says about a key. */

/*
 * "TYPE BASE64" of the line TEXT, as a new string: what ssh-keygen writes to a .pub file and sshd
 * sends as its host key, without the comment. NULL unless the key is of the type that it says.
 */
char *public_key_from_line(const char *text);
