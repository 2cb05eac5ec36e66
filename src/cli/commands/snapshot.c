#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/lifecycle/lifecycle.h"
#include "box/snapshot/restore.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "cli/commands/show.h"
#include "common/text.h"
#include "common/units.h"
#include "config/config.h"
#include "console/ask.h"
#include "console/log.h"
#include "console/output.h"

static struct {
    gboolean yes, home, project, system, names;
    const char *note;
    GPtrArray *allow;
} snapshot_given;

static const option snapshot_given_options[] = {
    {"allow-protected", 0, OPTION_LIST, &snapshot_given.allow, "PATH",
     "restore: also this, which tools of this machine run or obey"},
    {"home", 0, OPTION_FLAG, &snapshot_given.home, NULL, "create, diff, restore: only the home"},
    {"names", 0, OPTION_FLAG, &snapshot_given.names, NULL, "show: also what is in it"},
    {"note", 'm', OPTION_TEXT, &snapshot_given.note, "TEXT",
     "create: a text for you, shown in the list"},
    {"project", 0, OPTION_FLAG, &snapshot_given.project, NULL,
     "create, diff, restore: only the project"},
    {"system", 0, OPTION_FLAG, &snapshot_given.system, NULL,
     "create, diff, restore: what is installed outside of the home"},
    {"yes", 'y', OPTION_FLAG, &snapshot_given.yes, NULL, "drop, restore: do not ask"},
    {0},
};

/* The snapshot that WORD means: NUMBER of the current project's box, or BOX.NUMBER. NULL with
 * ERROR; whether there is such a snapshot is not looked at. */
static struct box *find_snapshot(const char *word, guint *number, GError **error)
{
    const char *dot = strrchr(word, '.'), *digits = dot ? dot + 1 : word;
    guint64 value;
    if (!g_ascii_string_to_unsigned(digits, 10, 1, G_MAXINT, &value, NULL)) {
        g_autofree char *safe = text_safe(word, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' is no snapshot: use NUMBER or BOX.NUMBER, as 'box snapshot list' shows "
                    "them",
                    safe);
        return NULL;
    }
    *number = (guint)value;
    if (!dot)
        return project_box(NULL, PROJECT_EXISTING, error);
    g_autofree char *name = g_strndup(word, (gsize)(dot - word));
    return registry_by_name(name, error);
}

static int list_snapshots(const struct command_call *call, GError **error)
{
    g_auto(GStrv) names = project_box_names(call->operands[0], error);
    if (!names)
        return -1;
    snapshot_show_list(names, call->json);
    return 0;
}

static config *load_box(const struct box *self, GError **error)
{
    return config_load(self->project, self->name, NULL, TRUST_SKIP, error);
}

static gboolean check_note(GError **error)
{
    if (!snapshot_given.note || (strlen(snapshot_given.note) <= SNAPSHOT_NOTE_MAX &&
                                 g_utf8_validate(snapshot_given.note, -1, NULL)))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "a note is text of at most %d bytes",
                SNAPSHOT_NOTE_MAX);
    return FALSE;
}

static void say_created(const struct box *self, guint number)
{
    snapshot_header header;
    if (!snapshot_read_header(self, number, &header, NULL))
        return;
    guint64 bytes = 0, stored = 0;
    for (int part = 0; part < SNAPSHOT_PARTS; part++) {
        bytes += header.sum[part].bytes;
        stored += header.sum[part].stored;
    }
    g_autofree char *size = units_format_size((gint64)bytes);
    g_autofree char *new = units_format_size((gint64)stored);
    log_note("snapshot %u of box '%s': %s, of which %s are new on the disk", number, self->name,
             size, new);
    snapshot_header_clear(&header);
}

static int create(const struct command_call *call, GError **error)
{
    guint number = 0;
    g_autoptr(box) self =
        check_note(error) ? project_box(call->operands[0], PROJECT_EXISTING, error) : NULL;
    g_autoptr(config) read = self ? load_box(self, error) : NULL;
    if (!read)
        return -1;
    g_autoptr(podman_client) server = snapshot_given.system ? podman_connect(error) : NULL;
    if (snapshot_given.system && !server)
        return -1;
    /* A box that was never started has no home, and a project all the same. */
    gboolean any = snapshot_given.home || snapshot_given.project || snapshot_given.system;
    gboolean home = any ? snapshot_given.home : access(self->home, F_OK) == 0;
    snapshot_options how = {.parts = {home, snapshot_given.project || !any, snapshot_given.system},
                            .reason = SNAPSHOT_BY_USER,
                            .note = snapshot_given.note,
                            .wanted = config_settings(read),
                            .server = server};
    if (!snapshot_create(self, &how, &number, error))
        return -1;
    if (call->json)
        return snapshot_show_one(self, number, FALSE, TRUE, error) ? 0 : -1;
    say_created(self, number);
    return 0;
}

static int show_snapshot(const struct command_call *call, GError **error)
{
    guint number;
    g_autoptr(box) self = find_snapshot(call->operands[0], &number, error);
    return self && snapshot_show_one(self, number, snapshot_given.names, call->json, error) ? 0
                                                                                            : -1;
}

static gboolean confirm_snapshots(const char *question, GError **error)
{
    if (snapshot_given.yes || ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, ask_can() ? BOX_ERROR_CANCELLED : BOX_ERROR_USAGE,
                ask_can() ? "nothing was changed" : "there is no terminal to ask on: use --yes");
    return FALSE;
}

static gboolean drop_snapshot(const struct box *self, guint number, GError **error)
{
    snapshot_header header;
    guint64 freed = 0;
    if (!snapshot_read_header(self, number, &header, NULL)) {
        header = (snapshot_header){0};
    }
    g_autofree char *time = units_format_time(header.time);
    g_autofree char *question =
        g_strdup_printf("Drop snapshot %u of box '%s' (%s)?", number, self->name, time);
    snapshot_header_clear(&header);
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof number);
    g_array_append_val(numbers, number);
    if (!confirm_snapshots(question, error) || !snapshot_drop(self, numbers, &freed, error))
        return FALSE;
    g_autofree char *size = units_format_size((gint64)freed);
    log_note("dropped snapshot %u of box '%s': %s are free", number, self->name, size);
    return TRUE;
}

static int drop_snapshots(const struct command_call *call, GError **error)
{
    for (char **word = call->operands; *word; word++) {
        guint number;
        g_autoptr(box) self = find_snapshot(*word, &number, error);
        if (!self || !drop_snapshot(self, number, error))
            return -1;
    }
    return 0;
}

static int make_auto(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    g_autoptr(config) read = self ? load_box(self, error) : NULL;
    guint number = 0;
    if (!read || !snapshot_auto(self, config_settings(read), TRUE, TRUE, &number, error))
        return -1;
    if (number)
        say_created(self, number);
    return 0;
}

/* Sets the parts of snapshot NUMBER that were asked for: those that it has. FALSE with ERROR. */
static gboolean choose_parts(const struct box *self, guint number, gboolean parts[SNAPSHOT_PARTS],
                             GError **error)
{
    const gboolean named[] = {snapshot_given.home, snapshot_given.project, snapshot_given.system};
    gboolean all = !snapshot_given.home && !snapshot_given.project && !snapshot_given.system;
    snapshot_header header;
    if (!snapshot_read_header(self, number, &header, error))
        return FALSE;
    for (int i = 0; i < SNAPSHOT_PARTS; i++) {
        parts[i] = (all || named[i]) && header.has[i];
        if (named[i] && !header.has[i]) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "snapshot %u has no %s", number,
                        snapshot_part_name((enum snapshot_part)i));
            snapshot_header_clear(&header);
            return FALSE;
        }
    }
    snapshot_header_clear(&header);
    return TRUE;
}

static int diff_snapshots(const struct command_call *call, GError **error)
{
    guint number;
    snapshot_options how = {0};
    g_autoptr(box) self = find_snapshot(call->operands[0], &number, error);
    g_autoptr(config) read =
        self && choose_parts(self, number, how.parts, error) ? load_box(self, error) : NULL;
    if (!read)
        return -1;
    g_autoptr(podman_client) server = how.parts[SNAPSHOT_SYSTEM] ? podman_connect(error) : NULL;
    if (how.parts[SNAPSHOT_SYSTEM] && !server)
        return -1;
    how.wanted = config_settings(read);
    how.server = server;
    return snapshot_show_diff(self, number, &how, call->json, error) ? 0 : -1;
}

/* WHAT: "the home". */
static gboolean confirm_part(const struct box *self, guint number, const char *what, GError **error)
{
    g_autofree char *sessions = box_describe_sessions(self);
    g_autofree char *question = g_strdup_printf(
        "%s%sReplace %s of box '%s' by that of snapshot %u? What is there now becomes a snapshot.",
        sessions ? sessions : "", sessions ? ".\n" : "", what, self->name, number);
    return confirm_snapshots(question, error);
}

static gboolean restore_part(struct box *self, guint number, enum snapshot_part part,
                             const restore_options *how, const struct command_call *call,
                             const settings *wanted, GError **error)
{
    guint before = 0;
    gboolean done = FALSE;
    if (part == SNAPSHOT_HOME)
        done = confirm_part(self, number, "the home", error) &&
               restore_home(self, number, wanted, call->server, confirm_snapshots, &before, error);
    else if (part == SNAPSHOT_SYSTEM)
        done = confirm_part(self, number, "the system (what is installed outside of the home)",
                            error) &&
               restore_system(self, number, wanted, call->server, &before, error);
    else
        done = restore_project(self, number, wanted, how, &before, error);
    if (done && before)
        log_note("restored the %s; 'box snapshot restore %s.%u' undoes that",
                 snapshot_part_name(part), self->name, before);
    return done;
}

static int restore(const struct command_call *call, GError **error)
{
    guint number;
    gboolean parts[SNAPSHOT_PARTS];
    g_autoptr(box) self = find_snapshot(call->operands[0], &number, error);
    /* Paths are those of the project. */
    snapshot_given.project |= call->operands[1] != NULL;
    g_autoptr(config) read =
        self && choose_parts(self, number, parts, error) ? load_box(self, error) : NULL;
    g_auto(GStrv) paths = read ? branch_paths_of(self->project, call->operands + 1, error) : NULL;
    g_auto(GStrv) allowed =
        paths ? branch_paths_of(self->project, (char *const *)options_list(snapshot_given.allow),
                                error)
              : NULL;
    if (!allowed)
        return -1;
    if (*paths && (snapshot_given.home || snapshot_given.system)) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "PATH is of the project: a home or a system is restored as a whole");
        return -1;
    }
    restore_options how = {.paths = paths, .allowed = allowed, .confirm = confirm_snapshots};
    for (int part = SNAPSHOT_PARTS; part-- > 0;)
        if (parts[part] && !restore_part(self, number, (enum snapshot_part)part, &how, call,
                                         config_settings(read), error))
            return -1;
    return 0;
}

static const struct command_verb snapshot_verbs[] = {
    {"list", "[PROJECT]", 0, 1, list_snapshots, "list snapshots", COMMAND_JSON, COMPLETE_PROJECT},
    {"create", "[PROJECT]", 0, 1, create, "make one of home and project, or of the parts asked for",
     COMMAND_JSON, COMPLETE_PROJECT},
    {"auto", "[PROJECT]", 0, 1, make_auto,
     "make one if something has changed, and drop old ones made so", 0, COMPLETE_PROJECT},
    {"show", "NUMBER", 1, 1, show_snapshot, "show when a snapshot was made, and what is in it",
     COMMAND_JSON, COMPLETE_SNAPSHOTS},
    {"diff", "NUMBER", 1, 1, diff_snapshots, "show how what is there now differs from a snapshot",
     COMMAND_JSON, COMPLETE_SNAPSHOTS},
    {"restore",
     "NUMBER [PATH…]",
     1,
     COMMAND_NO_LIMIT,
     restore,
     "make home, project or system what they were",
     COMMAND_NEEDS_PODMAN,
     COMPLETE_SNAPSHOTS,
     {COMPLETE_FILES}},
    {"drop", "NUMBER…", 1, COMMAND_NO_LIMIT, drop_snapshots, "remove snapshots", 0,
     COMPLETE_SNAPSHOTS},
    {0},
};

const struct command command_snapshot = {
    .name = "snapshot",
    .group = GROUP_WORK,
    .verbs = snapshot_verbs,
    .summary = "keep what a box's home, project and system are, and go back to it",
    .details = "NUMBER is a snapshot of the current project's box, or BOX.NUMBER.",
    .options = snapshot_given_options,
    .flags = COMMAND_VERB_OPTIONAL,
};
