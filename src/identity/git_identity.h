/*
 * Who the user is to git: names and harmless settings of the user's own configuration
 * (git_settings.h), which a box gets as its system configuration.
 *
 * It is read as git reads it, with includes, but by our own parser: git would look at the folder
 * that it is called in, and need not be installed. A repository's configuration is never read; of a
 * project only its path counts, for [includeIf "gitdir:…"]. Files that an include names may be ones
 * that a box can write, so nothing gets out of them but checked values of known settings.
 */
#pragma once

#include <glib.h>

typedef struct {
    char *section, *name, *key, *value; /* name: NULL where there is none */
} git_identity_setting;

typedef struct {
    GPtrArray *settings; /* of git_identity_setting, in the order in which they were first set */
    char *problem;       /* why some are missing: the end of a sentence; or NULL */
} git_identity;

/* How files are read: the contents of PATH, a new string of *LENGTH bytes; NULL: it has none. */
typedef struct {
    char *(*read)(const char *path, gsize *length, gpointer data);
    gpointer data;
    const char *home;       /* of "~/", a real path */
    const char *git_folder; /* of the repository, a real path, for conditions */
} git_identity_source;

git_identity *git_identity_new(void);
void git_identity_free(git_identity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_identity, git_identity_free)

/* Adds what the file PATH and those that it includes set; the last value of a setting counts. */
void git_identity_add_file(git_identity *self, const char *path, const git_identity_source *source);

/* The settings of the user with HOME, for a repository in GIT_FOLDER. */
git_identity *git_identity_read_host(const char *home, const char *git_folder);

/*
 * The configuration for a box, a new string. It includes SYSTEM_FILE, the box's own, first.
 * FOR_SIGNING FALSE leaves out which key signs.
 */
char *git_identity_text(const git_identity *self, const char *system_file, gboolean for_signing);
