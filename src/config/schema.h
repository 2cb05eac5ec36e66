/*
 * The table of configuration keys. Parser, defaults, merge, `config show`, the trust summary, the
 * example file and litterbox.toml(5) are made from it. docs/architecture.md says how to add a key;
 * a new kind of value is a new schema_kind, which the compiler then misses in value_*.c.
 */
#pragma once

#include "config/settings.h"

typedef enum {
    SCHEMA_STRING,   /* char *; "" is stored as NULL: not set */
    SCHEMA_BOOL,     /* gboolean */
    SCHEMA_ENUM,     /* an enum with a table of words */
    SCHEMA_INT,      /* gint64 */
    SCHEMA_DOUBLE,   /* double */
    SCHEMA_SIZE,     /* gint64, bytes: units_parse_size, or a whole number */
    SCHEMA_DURATION, /* gint64, seconds: units_parse_duration, a whole number, or "never" */
    SCHEMA_LIST,     /* char **, without duplicates; replaces that of an earlier file */
    SCHEMA_MAP,      /* char ** of "K=V" sorted by K; merges with that of an earlier file by key */
    SCHEMA_PORTS,    /* GPtrArray of port_mapping; replaces */
    SCHEMA_SHARES,   /* GPtrArray of settings_mount from "path[:ro|rw]"; replaces */
    SCHEMA_MOUNTS,   /* GPtrArray of settings_mount from [[mount]]; appends, by target */
    SCHEMA_RAW,      /* char *, compact JSON of a whole section; merges by top-level key */
    N_SCHEMA_KINDS,
} schema_kind;

/* How a change of the value gives the box more than it had. */
typedef enum {
    WIDEN_NEVER,   /* opens nothing */
    WIDEN_DIFFERS, /* decides what code runs, or with what: any change counts */
    WIDEN_IMAGE,   /* the same, while no Containerfile takes its place */
    WIDEN_LARGER,  /* a limit: larger counts, 0 is no limit at all */
    WIDEN_CHOICE,  /* a choice of higher rank counts, and another of the same rank that is not 0 */
    WIDEN_PASTE,   /* the same; and what it is, where [desktop] x11 was none and is nested */
    WIDEN_TRUE,    /* becoming true counts */
    WIDEN_ASK,     /* the same, where nothing asked and mode "ask" does not say so itself */
    WIDEN_AUDIT,   /* the same, while [network] mode is filtered */
    WIDEN_FALSE,   /* becoming false counts */
    WIDEN_MORE,    /* each entry that was not there counts */
    WIDEN_PARTS,   /* the same; and each entry where [project] mode was overlay and is ro */
    WIDEN_FEWER,   /* each entry that is gone counts */
    N_WIDENS,
} schema_widen;

/*
 * Checks one text (a value, a list's entry, a map's value). Returns it normalised (a new string),
 * or NULL with *WRONG a sentence that goes on from the quoted text: "must be …".
 */
typedef char *(*schema_check)(const char *text, const char **wrong);

typedef struct {
    const char *section;
    const char *key; /* NULL: the section itself is the value ([podman], [[mount]]) */
    schema_kind kind;
    gsize offset;         /* of the field in settings */
    const char *fallback; /* the default, as TOML */
    const char *reason;   /* one line: what it is for, and why the default is what it is */
    schema_widen widen;
    const char *says;  /* for the trust summary: one %s for the value or entry where it has one */
    const char *unset; /* the same for WIDEN_DIFFERS when the value is no longer set; or NULL */
    const struct choice *choices; /* SCHEMA_ENUM */
    schema_check check;           /* strings, lists' entries, maps' values */
    schema_check check_key;       /* maps' keys */
    double least, most;           /* numbers, sizes, durations */
    const char *zero;             /* what 0 means, which is allowed besides; NULL: it is not */
    gboolean percent;             /* a size may be "N%" of the machine's memory */
    gboolean repeats;             /* an entry of a list may come twice */
    gboolean has_requests; /* or be a table of a host, methods and paths (value_requests.c) */
    gboolean project_only; /* makes no sense in the user's own files */
    gboolean user_only;    /* the user's choice alone: a project may not even ask */
    unsigned reaches;      /* REACHES_… */
} schema_key;

extern const schema_key schema_keys[];
extern const gsize schema_count;

/* The keys of one [[mount]], for the parser and the example. */
typedef struct {
    const char *key, *fallback, *reason;
} schema_mount_key;
enum { MOUNT_SOURCE, MOUNT_TARGET, MOUNT_MODE, N_MOUNT_KEYS };
extern const schema_mount_key schema_mount_keys[];

/* The row of SECTION and KEY (KEY NULL: the section as a value), or NULL. */
const schema_key *schema_find(const char *section, const char *key);
/* "section.key" or "section", a new string. */
char *schema_name(const schema_key *row);
/* TRUE when any row has SECTION. */
gboolean schema_has_section(const char *section);
/* The nearest section, or key of SECTION, to WORD; NULL when none is near. */
/* The row of any section whose key is KEY, else one whose key is near to it; NULL when none is. */
const schema_key *schema_nearest_anywhere(const char *key);
const char *schema_nearest_section(const char *word);
const char *schema_nearest_key(const char *section, const char *word);
/* "a, b, c": the choices that work. A new string. */
char *schema_choice_names(const struct choice *choices);

/* ROW's field in SELF. */
static inline void *schema_field(const schema_key *row, settings *self)
{
    return (char *)self + row->offset;
}

static inline const void *schema_field_const(const schema_key *row, const settings *self)
{
    return (const char *)self + row->offset;
}
