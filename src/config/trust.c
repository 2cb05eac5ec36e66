/* Approvals on disk: one file a project path, with the path in its first line; see trust.h. */
#include "config/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/file.h"

/* First line: keeps a file that was copied or renamed from speaking for another project. */
#define HEADER "# approved for "
/* The contents' ceiling and room for the first line (a path of 4,095 bytes, each as \ooo). */
#define APPROVAL_MAX (CONFIG_FILE_MAX + 4 * 4096 + 64)

void trust_free(trust *self)
{
    if (!self)
        return;
    g_free(self->contents);
    g_free(self->approved);
    g_free(self);
}

static char *approval_path(const char *project)
{
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, project, -1);
    g_autofree char *tail = g_strdup_printf("trust/%s.toml", hash);
    return paths_state(tail);
}

static char *header_of(const char *project)
{
    g_autofree char *escaped = g_strescape(project, NULL);
    return g_strconcat(HEADER, escaped, "\n", NULL);
}

/* *APPROVED is NULL when there is no approval, or one that is not this project's. */
static gboolean read_approval(const char *project, char **approved, GError **error)
{
    g_autofree char *path = approval_path(project);
    g_autofree char *header = header_of(project);
    g_autofree char *text = NULL;
    g_autoptr(GError) wrong = NULL;
    gsize length = 0;

    *approved = NULL;
    if (!fs_read(AT_FDCWD, path, APPROVAL_MAX, &text, &length, &wrong)) {
        if (g_error_matches(wrong, G_FILE_ERROR, G_FILE_ERROR_NOENT))
            return TRUE;
        g_propagate_prefixed_error(error, g_steal_pointer(&wrong), "the record of trust: ");
        return FALSE;
    }
    if (strlen(text) == length && g_str_has_prefix(text, header))
        *approved = g_strdup(text + strlen(header));
    return TRUE;
}

trust *trust_check(const char *project, GError **error)
{
    g_autoptr(trust) self = g_new0(trust, 1);
    gsize length;

    if (!file_read_project(project, &self->contents, &length, error) ||
        !read_approval(project, &self->approved, error))
        return NULL;
    if (!self->contents)
        self->state = TRUST_NO_FILE;
    else if (!self->approved)
        self->state = TRUST_NEW;
    else if (!strcmp(self->contents, self->approved))
        self->state = TRUST_APPROVED;
    else
        self->state = TRUST_CHANGED;
    return g_steal_pointer(&self);
}

gboolean trust_approve(const char *project, const char *contents, GError **error)
{
    g_autofree char *folder = paths_state("trust");
    g_autofree char *path = approval_path(project);
    g_autofree char *header = header_of(project);
    g_autofree char *text = g_strconcat(header, contents, NULL);
    return fs_make_folder(folder, 0700, error) && fs_write(path, text, -1, 0600, error);
}

gboolean trust_revoke(const char *project, GError **error)
{
    g_autofree char *path = approval_path(project);
    if (unlink(path) == 0 || errno == ENOENT)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot forget the approval: %s",
                g_strerror(errno));
    return FALSE;
}
