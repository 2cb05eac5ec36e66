/*
 * Desktop entries of a box (Desktop Entry Specification): from hostile bytes to an entry that the
 * host's menu may show.
 *
 * Only the fields below are read, and each value is checked or made safe. The host's menu runs
 * `box app run`, never a command from the box. The box's own command is split into arguments,
 * without a shell, and runs only in the box.
 */
#pragma once

#include "common/error.h"

/* Limits: bytes of a file, number of entries, bytes of an ID and of a command. */
#define ENTRY_MAX (128 * 1024)
#define ENTRIES_MAX 1000
#define ENTRY_ID_MAX 120
#define ENTRY_EXEC_MAX 4096

typedef struct {
    char *id;                        /* "org.gnome.gedit": letters, digits and "._-" */
    char *source;                    /* path in the box; not safe */
    char *name, *generic, *comment;  /* safe text; generic and comment may be NULL */
    char *exec;                      /* not safe; only for the box */
    char *icon;                      /* a name with the rules of an ID; or NULL */
    char *wm_class;                  /* or NULL */
    char **categories, **mime_types; /* only known ones */
    char **keywords;                 /* safe text */
    gboolean terminal, notify;
    char field; /* field code for files in exec, one of "fFuU"; 0: it takes no files */
} desktop_entry;
void desktop_entry_free(desktop_entry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(desktop_entry, desktop_entry_free)

/* TRUE when ID is safe in a file name and needs no quotes in a command line. LENGTH -1: to its NUL.
 */
gboolean desktop_entry_id_is_valid(const char *id, gssize length);

/*
 * The entry ID in LENGTH bytes of DATA; NULL when it is not for a menu: not a program, hidden, too
 * large, or not well-formed.
 */
desktop_entry *desktop_entry_parse(const char *id, const char *source, const char *data,
                                   gsize length);

/*
 * All entries that the box has sent, each as NUL NUL "FOLDER" NUL "RELATIVE PATH" NUL and the file.
 * If several have one ID the first counts, even when it only hides the others. Returns an array of
 * desktop_entry sorted by name; *REFUSED is the number of entries with a bad name, size or form.
 */
GPtrArray *desktop_entries_parse(const char *data, gsize length, guint *refused);
/* The entry ID in LIST, or NULL. */
const desktop_entry *desktop_entries_find(const GPtrArray *list, const char *id);

/* What the host's entry runs and shows. */
typedef struct {
    const char *box, *instance; /* instance "" outside of tests */
    const char *program;        /* absolute path of `box` */
    const char *icon;           /* a name in the host's icon theme; never NULL */
} desktop_entry_owner;

/* Keys that mark an entry on the host as Litterbox's. */
#define ENTRY_GROUP "Desktop Entry"
#define ENTRY_KEY_BOX "X-Litterbox-Box"
#define ENTRY_KEY_INSTANCE "X-Litterbox-Instance"
#define ENTRY_KEY_APP "X-Litterbox-App"

/* The host's entry as a new string. NULL with ERROR when OWNER's program has a path that an entry
 * cannot contain. */
char *desktop_entry_to_text(const desktop_entry *self, const desktop_entry_owner *owner,
                            GError **error);

/*
 * desktop_entry_exec.c: the command of SELF as arguments, with FILES (paths; may be NULL) at its
 * field code. NULL with ERROR when the command is not well-formed, or does not take so many files.
 */
char **desktop_entry_argv(const desktop_entry *self, const char *const *files, GError **error);
/* The field code for files in the command EXEC, one of "fFuU"; 0: none. */
char desktop_entry_field_code(const char *exec);
