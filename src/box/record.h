/*
 * What a running box's clients need to know without reading any configuration: written when the box
 * starts, into its runtime folder, which the box cannot see.
 */
#pragma once

#include "box/registry/registry.h"

typedef struct {
    char **pass_env;   /* names, or prefixes that end in "*" */
    char **protect;    /* names that tools of the host run or obey */
    char **setup;      /* [home] setup: no or one path, relative to the project */
    char **workdir;    /* [box] workdir: no or one absolute path in the box */
    char **editor;     /* [editor] command and args; none: to be found */
    char **terminal;   /* [editor] terminal: "true", "false", or none for auto */
    char **wayland;    /* [desktop] wayland: "auto", "plain", or none */
    char **x11;        /* [desktop] x11: "nested", "host", or none */
    char **clipboard;  /* [desktop] clipboard: "to-box", "from-box", "both", or none */
    char **open;       /* [desktop] open: "ask", "allow", or none */
    char **notify;     /* [desktop] notify: "true", or none */
    char **sound;      /* [desktop] sound: "playback", or none */
    char **microphone; /* [desktop] microphone: "true", or none */
    char **look;       /* [desktop] appearance: "true" and then "K=V" for each session, or none */
    char **stamps;     /* "SIZE MTIME INODE PATH" of every configuration file, there or not */
} record;
void record_free(record *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(record, record_free)

/* Writes KNOWN as the record of SELF, its stamps made of FILES as they are now. */
gboolean record_write(const box *self, const record *known, const char *const *files,
                      GError **error);
/* NULL when there is none, or none that can be believed. */
record *record_read(const box *self);
/* The first configuration file that changed since; NULL when none did. Points into SELF. */
const char *record_changed(const record *self);
