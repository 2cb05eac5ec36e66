/*
 * A command of `box` is one row (struct command): main, help, completion, the manual page box(1)
 * and the tests read it. A command with verbs ("box consent approve") has a row for each of them.
 * docs/architecture.md says how to add a command.
 */
#pragma once

#include "common/error.h"
#include "podman/podman.h"

/*
 * options.c: command-line options from a table: the parser, the help and the completion read the
 * same rows.
 *
 * Options may stand between operands, up to a "--". What follows "--" is the command that is run in
 * a box, with options of its own.
 */

typedef enum { OPTION_END, OPTION_FLAG, OPTION_TEXT, OPTION_LIST } option_kind;

typedef struct {
    const char *name; /* "env" for --env */
    char letter;      /* 'e' for -e, or 0 */
    option_kind kind;
    void *target; /* gboolean, const char *, or GPtrArray * of const char * (NULL until used) */
    const char *argument; /* "K=V"; NULL for a flag. One with it may have a value behind "=": its
                             target is a const char *, "" without one */
    /* One line, lower case, no full stop. "diff, take: …": these verbs alone take it. */
    const char *summary;
    const char *choices; /* "a b c": the only values; or NULL */
} option;

typedef struct {
    char **operands; /* the words before "--" that are not options; NULL-terminated */
    char **command;  /* the words after "--"; NULL when there was no "--" */
} arguments;

/* An option of podman or distrobox that is called differently here, or not needed. */
typedef struct {
    const char *name; /* "volume" for --volume; NULL ends the table */
    char letter;      /* 'v' for -v, or 0 */
    const char *says; /* what to do instead, the end of a sentence */
} foreign_option;

/*
 * Parses ARGV (without the command's name) by TABLE, which OPTION_END ends, and stores values that
 * point into ARGV in the targets. Fails with BOX_ERROR_USAGE; for an unknown option the message is
 * that of FOREIGN (may be NULL), or names the nearest known one.
 */
gboolean options_parse(const option *table, const foreign_option *foreign, char **argv,
                       arguments *result, GError **error);

/* The first of ARGV that is neither an option of TABLE nor the value of one; its end when all are.
 */
char **options_skip(const option *table, char **argv);

/* The values of an OPTION_LIST, NULL-terminated; NULL when it was not given. Call it once. */
const char *const *options_list(GPtrArray *list);

/* TRUE when options_parse() has found EACH, whose target was 0 before. */
gboolean option_is_given(const option *each);

typedef enum { GROUP_WORK, GROUP_LIFECYCLE, GROUP_SETUP, GROUP_INSPECT, N_GROUPS } command_group;

/* What `box completion words` prints: the kind's name there, and the function in
 * completion_words.c. */
#define COMPLETION_WORDS(ROW)                                                               \
    ROW(BOXES, "boxes", print_boxes)                                                        \
    ROW(BOXES_AND_BRANCHES, "boxes-and-branches", print_boxes_and_branches)                 \
    ROW(BRANCHES, "branches", print_branches)                /* of the current box */       \
    ROW(SNAPSHOTS, "snapshots", print_snapshots)             /* of the current box */       \
    ROW(QUESTIONS, "questions", print_questions)             /* that the SSH agent asks */  \
    ROW(CHOICES, "choices", print_choices)                   /* of a question */            \
    ROW(GRANTS, "grants", print_grants)                      /* of the SSH agent */         \
    ROW(OWN_KEYS, "own-keys", print_own_keys)                /* of Litterbox's store */     \
    ROW(OFFERED_KEYS, "offered-keys", print_offered_keys)    /* of both agents */           \
    ROW(ATTACHED_KEYS, "attached-keys", print_attached_keys) /* of the current box */       \
    ROW(AGENTS, "agents", print_agents)                      /* that have a preset */       \
    ROW(SHIMS, "shims", print_shims)                                                        \
    ROW(DEVICES, "devices", print_devices)                   /* that were given to a box */ \
    ROW(NEW_DEVICES, "new-devices", print_new_devices)       /* that a box could have */    \
    ROW(FORWARDS, "forwards", print_forwards)                /* of ports, of a box */       \
    ROW(SECRETS, "secrets", print_secrets)                   /* that boxes may use */       \
    ROW(NET_RULES, "net-rules", print_net_rules)             /* of box net, of a box */     \
    ROW(APPS, "apps", print_apps)                            /* of a box that runs */       \
    ROW(EXPORTED_APPS, "exported-apps", print_exported_apps) /* in the host's menu */       \
    ROW(IMAGES, "images", print_images)                      /* that Litterbox made */      \
    ROW(DISTRIBUTIONS, "distributions", print_distributions) /* of box image bootstrap */   \
    ROW(KINDS, "kinds", print_words_kinds)                   /* these names */

/* What an operand is completed with. */
enum completion_kind {
    COMPLETE_NOTHING,           /* there is no operand */
    COMPLETE_FREE_TEXT,         /* nobody can know it */
    COMPLETE_PROJECT,           /* box names and folders */
    COMPLETE_PROJECT_OR_BRANCH, /* the same, and BOX.NAME */
    COMPLETE_FILES,
    COMPLETE_COMMANDS, /* of box */
    COMPLETE_PROGRAMS, /* of this machine, and agents that have a preset */
#define COMPLETION_CONSTANT(kind, name, print) COMPLETE_##kind,
    COMPLETION_WORDS(COMPLETION_CONSTANT)
#undef COMPLETION_CONSTANT
        N_COMPLETION_KINDS,
};

/* Most words in `operands` of a row. */
#define OPERANDS_MAX 3

enum command_flags {
    COMMAND_NEEDS_PODMAN = 1 << 0,  /* call->server is connected */
    COMMAND_JSON = 1 << 1,          /* takes --json */
    COMMAND_TAKES_COMMAND = 1 << 2, /* takes "-- COMMAND…" */
    COMMAND_VERB_OPTIONAL = 1 << 3, /* without operands the first verb runs */
};

#define COMMAND_NO_LIMIT G_MAXUINT

struct command;
struct command_verb;

/* A command line, parsed and checked. */
struct command_call {
    const struct command *row;
    const struct command_verb *verb; /* NULL when ROW has no verbs */
    char **operands;                 /* without the verb; NULL-terminated, not NULL */
    char **command;                  /* what came after "--"; NULL when there was no "--" */
    gboolean json;                   /* --json was given */
    gboolean debug;                  /* --debug was given, which every command takes */
    podman_client *server;           /* of COMMAND_NEEDS_PODMAN; else NULL. Not owned. */
};
typedef struct command_call command_call;
void command_call_clear(struct command_call *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(command_call, command_call_clear)

/* Returns the exit status of `box`. With ERROR set, box_error_exit_status() of it counts. */
typedef int (*command_action)(const struct command_call *call, GError **error);

struct command_verb {
    const char *name;     /* NULL ends the table */
    const char *operands; /* "[PROJECT] DEVICE", for help and usage; "" */
    guint least, most;    /* number of operands; COMMAND_NO_LIMIT */
    command_action run;   /* NULL: run of the command's row */
    const char *summary;  /* one line, lower case, no full stop */
    unsigned flags;       /* enum command_flags */
    /* The first operand, and those behind it: one for each word of `operands`. */
    enum completion_kind completes, then[OPERANDS_MAX - 1];
};

struct command {
    const char *name;
    const char *alias; /* or NULL */
    command_group group;
    const char *summary;   /* one line, lower case, no full stop */
    const char *details;   /* paragraphs for --help; or NULL */
    const option *options; /* ends with a row of OPTION_END; or NULL; --json comes by its flag */
    const foreign_option *foreign; /* or NULL */
    const char *json;              /* what --json prints, where that is not only "print JSON" */
    unsigned flags;                /* enum command_flags; verbs add theirs */
    /* A command with verbs: */
    const struct command_verb *verbs; /* or NULL */
    /* A command without: */
    const char *operands; /* "[PROJECT] -- COMMAND…", for help and usage; "" */
    guint most;           /* number of operands */
    enum completion_kind completes, then[OPERANDS_MAX - 1]; /* as of a verb */
    command_action run;
};

/* All commands, in the order of the help. The row of NAME is command_NAME. */
/* clang-format off */
#define COMMANDS(ROW) \
    ROW(enter) ROW(run) ROW(edit) ROW(branch) ROW(snapshot) ROW(cp) ROW(agent) ROW(mcp) ROW(port) ROW(net) \
    ROW(start) ROW(stop) ROW(restart) ROW(apply) ROW(upgrade) ROW(rename) ROW(rm) ROW(prune) ROW(uninstall) \
    ROW(init) ROW(clone) ROW(build) ROW(trust) ROW(config) ROW(plan) ROW(image) ROW(keys) ROW(secret) ROW(device) \
    ROW(shim) ROW(app) ROW(doctor) ROW(completion) \
    ROW(list) ROW(status) ROW(consent) ROW(stats) ROW(top) ROW(logs) ROW(help)
/* clang-format on */

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARE)

/* The same as a table, NULL-terminated. */
extern const struct command *const commands[];

/* By name or alias; NULL. */
const struct command *command_find(const char *word);
const char *command_group_title(command_group group);

/* The options of ROW with those that its flags give it: a new array that ends with OPTION_END. */
option *command_options(const struct command *row);

/*
 * Parses ARGV, the words after the command's name, by ROW: options, verb, number of operands.
 * BOX_ERROR_USAGE says what is wrong and how the command is used. Does not connect to Podman.
 */
gboolean command_parse(const struct command *row, char **argv, struct command_call *call,
                       GError **error);
/* The flags of the verb of CALL, or of its command. */
unsigned command_flags(const struct command_call *call);
/* Calls run() of the verb or the command. */
int command_execute(const struct command_call *call, GError **error);
