/*
 * git.host_keys: which host keys ssh in a box knows.
 *
 * That the user knows a host is told to a box for the remotes alone that the project had before the
 * box first ran: a box can write remotes, and would learn by them which hosts the user logs in to.
 * The names are kept in the box's data folder. A box that has run without them, as git.host_keys
 * was off, gets none. One that is made anew, after `box rm` or as an ephemeral one, asks for those
 * of that day.
 */
#include "plan/facts.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "identity/host_keys.h"
#include "proto/git_config_parser.h"

/* Bytes of the names. */
#define NAMES_MAX 8192

/* Of a branch the box may have. */
static gboolean has_run(const plan_box *box)
{
    g_autofree char *mark = plan_data_path(box, PLAN_DATA_HOME_IS_NEW);

    return box->is_branch || access(mark, F_OK) != 0;
}

/* The names as they were kept; NULL: none were. */
static char **kept_hosts(const plan_box *box)
{
    g_autofree char *path = plan_data_path(box, PLAN_DATA_REMOTE_HOSTS);
    g_autofree char *text = fs_read_text(path, NAMES_MAX);
    g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
    GPtrArray *names = text ? g_ptr_array_new() : NULL;

    for (char **line = lines; line && *line; line++)
        if (host_keys_is_name(*line))
            g_ptr_array_add(names, g_strdup(*line));
    if (!names)
        return NULL;
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

/* Follows no link at the end, as a box could have made it. */
static char **hosts_of_remotes(const plan_facts *self)
{
    g_autofree char *path =
        self->git.folder ? g_build_filename(self->git.folder, "config", NULL) : NULL;
    g_autofree char *config = NULL;
    gsize length = 0;

    if (!path || !fs_read(AT_FDCWD, path, GIT_CONFIG_MAX, &config, &length, NULL))
        return g_new0(char *, 1);
    return host_keys_of_remotes(config, length);
}

void plan_probe_host_keys(plan_facts *self, const plan_box *box)
{
    g_autofree char *path = g_build_filename(self->home, ".ssh", "known_hosts", NULL);
    g_autofree char *of_user = fs_read_text(path, HOST_KEYS_FILE_MAX);
    g_autofree char *of_host = fs_read_text("/etc/ssh/ssh_known_hosts", HOST_KEYS_FILE_MAX);
    g_autofree char *known =
        g_strdup_printf("%s\n%s", of_user ? of_user : "", of_host ? of_host : "");

    self->remote_hosts = kept_hosts(box);
    if (!self->remote_hosts)
        self->remote_hosts = has_run(box) ? g_new0(char *, 1) : hosts_of_remotes(self);
    self->host_keys = host_keys_text(self->remote_hosts, known);
}
