#include <string.h>

#include "box/exec/tree_copy.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "config/config.h"

static struct {
    gboolean protected, recursive, root;
} cp_given;

static const option cp_options[] = {
    {"protected", 0, OPTION_FLAG, &cp_given.protected, NULL,
     "copy from the box also what tools on this machine run or obey"},
    {"recursive", 'r', OPTION_FLAG, &cp_given.recursive, NULL,
     "copy folders with all that is in them, which is the default"},
    {"root", 0, OPTION_FLAG, &cp_given.root, NULL, "read or write as root of the box"},
    {0},
};

static const foreign_option cp_foreign[] = {
    {"archive", 'a', "permissions and times are always kept"},
    {"preserve", 'p', "permissions and times are always kept"},
    {0},
};

/* The path in "BOX:PATH", whose box is "" for that of the current project; NULL for a path of this
 * machine, which has a "/" before a ":" or no ":". */
static const char *path_in_box(const char *operand)
{
    const char *colon = strchr(operand, ':');
    return colon && !memchr(operand, '/', (gsize)(colon - operand)) ? colon + 1 : NULL;
}

static struct box *find_operand(const char *operand, project_need need, GError **error)
{
    g_autofree char *name = g_strndup(operand, strcspn(operand, ":"));
    return *name ? registry_by_name(name, error) : project_box(NULL, need, error);
}

/* The last part of PATH, which the copy is called; a new string. */
static char *name_of(const char *path)
{
    return g_path_get_basename(path);
}

/* FALSE with ERROR when the configuration, which has the names, cannot be read. */
static gboolean copy_out(const char *source, const char *target, GError **error)
{
    const char *path = path_in_box(source);
    g_auto(tree_place) to = {.folder = -1};
    g_autofree char *name = name_of(path);
    g_autoptr(box) self = find_operand(source, PROJECT_EXISTING, error);
    if (!self || !tree_place_target(&to, target, name, error))
        return FALSE;
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_SKIP, error);
    if (!read)
        return FALSE;
    tree_copy_options how = {
        .root = cp_given.root, .wanted = config_settings(read), .protected = cp_given.protected};
    return tree_copy_from_box(self, path, &to, &how, error);
}

static gboolean copy_in(const char *source, const char *target, GError **error)
{
    g_auto(tree_place) from = {.folder = -1};
    tree_copy_options how = {.root = cp_given.root};
    g_autoptr(box) self = find_operand(target, PROJECT_REGISTER, error);
    if (!self || !tree_place_source(&from, source, error))
        return FALSE;
    g_autofree char *name = name_of(source);
    gboolean named = strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    return tree_copy_to_box(self, &from, path_in_box(target), named ? name : from.name, &how,
                            error);
}

static int run_cp(const struct command_call *call, GError **error)
{
    const char *source = call->operands[0], *target = source ? call->operands[1] : NULL;
    gboolean from = source && path_in_box(source), to = target && path_in_box(target);
    if (!target)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "missing argument; usage: box cp %s",
                    call->row->operands);
    else if (from == to)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    from ? "SRC and DST are both in a box: copy to this machine first"
                         : "one of SRC and DST must be BOX:PATH, or :PATH for this project's box");
    else
        return (from ? copy_out : copy_in)(source, target, error) ? 0 : -1;
    return -1;
}

const struct command command_cp = {
    .name = "cp",
    .group = GROUP_WORK,
    .operands = "SRC DST",
    .summary = "copy files and folders into a box, or out of it",
    .details =
        "SRC or DST is BOX:PATH, or :PATH for the box of the current project. PATH is relative to\n"
        "the home in the box. If DST is a folder, the copy goes into it.",
    .options = cp_options,
    .foreign = cp_foreign,
    .completes = COMPLETE_FILES,
    .then = {COMPLETE_FILES},
    .most = 2,
    .run = run_cp,
};
