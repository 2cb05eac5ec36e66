/*
 * Desktop entries of a box: hostile bytes in, and out what the host's menu may hold.
 *
 * Of an entry only what is named here is taken, each value checked or made harmless. Its command
 * never leaves the box: what the menu runs is ours (menu/entry_write.c), and the box's own command
 * is split into arguments, without a shell, only to be run in the box (menu/entry_exec.c).
 */
#pragma once

#include "common/error.h"

/* Largest file, most of them, and longest id and command that are looked at. */
#define ENTRY_MAX (128 * 1024)
#define ENTRIES_MAX 2000
#define ENTRY_ID_MAX 120
#define ENTRY_EXEC_MAX 4096

typedef struct {
    char *id;                        /* "org.gnome.gedit": letters, digits and "._-" */
    char *source;                    /* its path in the box; hostile */
    char *name, *generic, *comment;  /* safe text; the last two may be NULL */
    char *exec;                      /* hostile, and for the box alone */
    char *icon;                      /* a name, valid as an id; or NULL */
    char *wm_class;                  /* or NULL */
    char **categories, **mime_types; /* of those that we know */
    char **keywords;                 /* safe text */
    gboolean terminal, notify;
    char field; /* what it takes: one of "fFuU"; 0: no files */
} entry;
void entry_free(entry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(entry, entry_free)

/* TRUE when ID can be part of a file's name, and of a command line that needs no quotes. */
gboolean entry_id_is_valid(const char *id, gssize length);

/*
 * The entry ID in LENGTH bytes of DATA, which may hold anything; NULL when it is not for a menu: no
 * program, hidden, too large, or not well formed.
 */
entry *entry_parse(const char *id, const char *source, const char *data, gsize length);

/*
 * All entries in what the box has sent: each NUL NUL "FOLDER" NUL "RELATIVE PATH" NUL and its
 * bytes. Of several with one id the first counts, even when it only hides the rest. Sorted by name;
 * *REFUSED is how many could not be taken for their names, size or form.
 */
GPtrArray *entries_parse(const char *data, gsize length, guint *refused);
const entry *entries_find(const GPtrArray *list, const char *id);

/* Whose entry it is on the host, and what it runs. */
typedef struct {
    const char *box, *instance; /* "" for the user's own instance */
    const char *program;        /* absolute path of `box` */
    const char *icon;           /* a name that the host's theme has; never NULL */
} entry_owner;

/* The keys by which an entry on the host is known as ours. */
#define ENTRY_GROUP "Desktop Entry"
#define ENTRY_KEY_BOX "X-Litterbox-Box"
#define ENTRY_KEY_INSTANCE "X-Litterbox-Instance"
#define ENTRY_KEY_APP "X-Litterbox-App"

/* What the host's menu gets to read: a new string. NULL with ERROR when OWNER's program cannot
 * stand in an entry. */
char *entry_write(const entry *self, const entry_owner *owner, GError **error);

/*
 * The command of SELF as arguments, with FILES (paths) where it takes them; NULL with ERROR when it
 * is not well formed, or does not take so many.
 */
char **entry_argv(const entry *self, const char *const *files, GError **error);
/* What SELF takes, by its command; 0: no files. */
char entry_field(const char *exec);
