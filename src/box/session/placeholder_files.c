#include "box/session/placeholder_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/secrets.h"
#include "common/error.h"
#include "common/fs.h"
#include "config/secret_file.h"
#include "console/log.h"
#include "proto/secret_files.h"

#define IS_OTHER 3
#define IS_NO_FOLDER 4
#define IS_MOUNTED 5

/*
 * For sh -c: "write" or "remove", a path below the home, contents, and how many bytes they are.
 * Each folder is entered, and looked at once more from inside, so none is exchanged for a link
 * meanwhile. One of another mount than the home, such as the project, is the host's or belongs to
 * several boxes (proc_pid_fdinfo(5)). The new file has a random name until it is whole. One that a
 * killed script has left is known by that and by what it holds, and removed by the next.
 */
static const char home_file_script[] =
    "umask 077\n"
    "what=$1 rest=$2 text=$3 length=$4\n"
    "cd -P -- \"$HOME\" || exit 1\n"
    "mount_id() {\n"
    "    while read -r key id; do [ \"$key\" != mnt_id: ] || echo \"$id\"; done\n"
    "}\n"
    "at=$(pwd -P) && at=${at%/} home=$(mount_id 3<. </proc/self/fdinfo/3)\n"
    "[ -n \"$home\" ] || exit 1\n"
    "while [ \"$rest\" != \"${rest#*/}\" ]; do\n"
    "    part=${rest%%/*} rest=${rest#*/}\n"
    "    if [ $what = write ] && [ ! -e \"./$part\" ] && [ ! -L \"./$part\" ]; then\n"
    "        mkdir \"./$part\" || exit 1\n"
    "    fi\n"
    "    [ -d \"./$part\" ] && [ ! -L \"./$part\" ] || exit 4\n"
    "    cd -P -- \"./$part\" || exit 1\n"
    "    at=$at/$part\n"
    "    [ \"$(pwd -P)\" = \"$at\" ] || exit 4\n"
    "    here=$(mount_id 3<. </proc/self/fdinfo/3)\n"
    "    [ -n \"$here\" ] || exit 1\n"
    "    [ \"$here\" = \"$home\" ] || exit 5\n"
    "done\n"
    "file=./$rest\n"
    "read -r id </proc/sys/kernel/random/uuid && [ -n \"$id\" ] || exit 1\n"
    "new=./.litterbox.$id\n"
    "has_length() {\n"
    "    [ -f \"$1\" ] && [ ! -L \"$1\" ] &&\n"
    "        [ \"$(head -c $((length + 1)) <\"$1\" | wc -c)\" \"$2\" \"$length\" ]\n"
    "}\n"
    "is_ours() { has_length \"$file\" -eq && [ \"$(cat \"$file\" && echo .)\" = \"$text.\" ]; }\n"
    "for left in ./.litterbox.*-*-*-*-*; do\n"
    "    has_length \"$left\" -le && part=$(cat \"$left\" && echo .) || continue\n"
    "    case $text in \"${part%.}\"*) rm -f \"$left\" ;; esac\n"
    "done\n"
    "is_there() { [ -e \"$file\" ] || [ -L \"$file\" ]; }\n"
    "if [ $what = remove ]; then\n"
    "    is_there || exit 0\n"
    "    is_ours || exit 3\n"
    "    rm -f \"$file\"\n"
    "    exit\n"
    "fi\n"
    "if ! is_there; then\n"
    "    (set -C && printf %s \"$text\" >\"$new\") && ln -T \"$new\" \"$file\"\n"
    "    status=$?\n"
    "    rm -f \"$new\"\n"
    "    [ $status = 0 ] || exit 1\n"
    "fi\n"
    "is_ours || exit 3\n"
    "chmod 600 \"$file\"\n";

typedef struct {
    char *name, *path, *text;
} home_file;

static void home_file_clear(home_file *self)
{
    g_free(self->name);
    g_free(self->path);
    g_free(self->text);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(home_file, home_file_clear)

/* A line of SECRETS_FILES. */
static gboolean read_home_file(const char *line, home_file *self)
{
    const char *space = strchr(line, ' '), *tab = space ? strchr(space, '\t') : NULL;
    if (!tab)
        return FALSE;
    self->name = g_strndup(line, (gsize)(space - line));
    self->path = g_strndup(space + 1, (gsize)(tab - space - 1));
    self->text = g_strcompress(tab + 1);
    return TRUE;
}

static char *wanted_path(const struct box *self)
{
    return g_build_filename(self->runtime, SECRETS_FILES, NULL);
}

static char *done_path(const struct box *self)
{
    return g_build_filename(self->runtime, SECRETS_FILES_DONE, NULL);
}

/* "" as well when the helper has not written it yet, or cannot. */
static char *read_wanted(const struct box *self)
{
    g_autofree char *path = wanted_path(self);
    char *text = fs_read_text(path, SECRETS_FILES_MAX);
    return text ? text : g_strdup("");
}

gboolean placeholder_files_are_pending(const struct box *self)
{
    g_autofree char *wanted = read_wanted(self);
    g_autofree char *record = box_home_mark(self, SECRETS_WRITTEN);
    if (!*wanted && access(record, F_OK) < 0)
        return FALSE;
    g_autofree char *done_file = done_path(self);
    g_autofree char *done = fs_read_text(done_file, SECRETS_FILES_MAX);
    return g_strcmp0(wanted, done) != 0;
}

void placeholder_files_each(const struct box *self, placeholder_file_visitor each, void *data)
{
    g_autofree char *path = box_home_mark(self, SECRETS_WRITTEN);
    g_autofree char *record = fs_read_text(path, SECRETS_FILES_MAX);
    g_auto(GStrv) lines = g_strsplit(record ? record : "", "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(home_file) file = {0};
        if (read_home_file(*line, &file))
            each(data, file.path, file.text);
    }
}

typedef struct {
    const home_session *session;
    gboolean has_timed_out; /* the user does not wait for each of the other files, too */
} home_files;

/* The exit status of the script, or as of new_home_run(). */
static int run_script(home_files *self, const char *what, const home_file *file)
{
    g_autofree char *length = g_strdup_printf("%zu", strlen(file->text));
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)home_file_script,
                    (char *)"secret",  (char *)what, file->path,
                    file->text,        length,       NULL};
    if (self->has_timed_out)
        return NEW_HOME_TIMED_OUT;
    int status = new_home_run(self->session, argv, "/", NEW_HOME_FILE_MS);
    self->has_timed_out = status == NEW_HOME_TIMED_OUT;
    return status;
}

static void write_home_file(home_files *self, const char *line)
{
    g_auto(home_file) file = {0};
    int status = read_home_file(line, &file) ? run_script(self, "write", &file) : 0;
    const char *why = status == IS_OTHER             ? "something else is there, and stays"
                      : status == IS_NO_FOLDER       ? "its folder is a link, or no folder"
                      : status == IS_MOUNTED         ? "its folder is not of this box alone"
                      : status == NEW_HOME_TIMED_OUT ? "it takes too long"
                                                     : "it cannot be written";
    if (status != 0)
        log_warning("~/%s does not get the placeholder of secret '%s': %s", file.path, file.name,
                    why);
}

/* FALSE: nobody knows whether LINE's file is still there. */
static gboolean remove_home_file(home_files *self, const char *line)
{
    g_auto(home_file) file = {0};
    int status = read_home_file(line, &file) ? run_script(self, "remove", &file) : 0;
    if (status == 0 || status == IS_OTHER || status == IS_NO_FOLDER || status == IS_MOUNTED)
        return TRUE;
    log_warning("~/%s may still have the placeholder of secret '%s': it could not be removed, "
                "which is tried again after the next start",
                file.path, file.name);
    return FALSE;
}

static gboolean has_file(char *const *lines, const home_file *file)
{
    g_autofree char *begin = g_strdup_printf("%s %s\t", file->name, file->path);
    while (*lines && !g_str_has_prefix(*lines, begin))
        lines++;
    return *lines != NULL;
}

/*
 * TRUE: LINE, which WANTED has not, stays all the same. The box has this secret and its file, but
 * at this start no value could be had, or no secret can be used in its network mode; and a branch
 * with the same home may have both.
 */
static gboolean line_stays(const char *line, char *const *wanted, char *const *attached)
{
    g_auto(home_file) file = {0};
    if (!read_home_file(line, &file) || has_file(wanted, &file) ||
        !g_strv_contains((const char *const *)attached, file.name))
        return FALSE;
    g_autoptr(secret_definition) read = secret_file_read(file.name, NULL);
    return read && g_strcmp0(read->file, file.path) == 0;
}

/* Adds those of the lines OLD that WANTED has not to STAYS or GONE. */
static void sort_lines(const struct box *self, char *const *old, char *const *wanted,
                       GString *stays, GString *gone)
{
    g_auto(GStrv) attached = secrets_attached(self, NULL);
    char *none[] = {NULL};
    for (; *old; old++)
        if (**old && !g_strv_contains((const char *const *)wanted, *old))
            g_string_append_printf(
                line_stays(*old, wanted, attached ? attached : none) ? stays : gone, "%s\n", *old);
}

/* Removes the files of the lines GONE. Those that may still be there, in a new string. */
static char *remove_files(home_files *self, const char *gone)
{
    g_auto(GStrv) lines = g_strsplit(gone, "\n", -1);
    GString *left = g_string_new(NULL);
    for (char **line = lines; *line; line++)
        if (**line && !remove_home_file(self, *line))
            g_string_append_printf(left, "%s\n", *line);
    return g_string_free(left, FALSE);
}

/* What would be too long to be read again is not written. */
static gboolean save_written(const char *path, const char *old, const char *stays,
                             const char *wanted)
{
    g_autofree char *text = g_strconcat(old, stays, wanted, NULL);
    g_autoptr(GError) problem = NULL;
    if (strlen(text) > SECRETS_FILES_MAX)
        g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED, "they are too long");
    else if (!*text ? fs_remove_tree(path, &problem) : fs_write(path, text, -1, 0600, &problem))
        return TRUE;
    log_warning("files of secrets are not written: %s", problem->message);
    return FALSE;
}

/* The record has a file before that is written, so none is there that it does not know. */
static void update_files(home_files *self, const char *wanted)
{
    const struct box *of = self->session->box;
    g_autofree char *record_file = box_home_mark(of, SECRETS_WRITTEN), *done_file = done_path(of);
    g_autofree char *record = fs_read_text(record_file, SECRETS_FILES_MAX);
    g_auto(GStrv) lines = g_strsplit(wanted, "\n", -1);
    g_auto(GStrv) old = g_strsplit(record ? record : "", "\n", -1);
    g_autoptr(GString) stays = g_string_new(NULL), gone = g_string_new(NULL);
    sort_lines(of, old, lines, stays, gone);
    if (!save_written(record_file, gone->str, stays->str, wanted))
        return;
    g_autofree char *left = remove_files(self, gone->str);
    for (char **line = lines; *line; line++)
        if (**line)
            write_home_file(self, *line);
    save_written(record_file, left, stays->str, wanted);
    fs_write(done_file, wanted, -1, 0600, NULL);
}

/* Two first sessions at the same time wait for one another. */
void placeholder_files_update(const home_session *session)
{
    home_files files = {session, FALSE};
    g_autofree char *lock = box_home_mark(session->box, SECRETS_WRITTEN ".lock");
    int fd = fs_lock(lock, NULL, NULL);
    g_autofree char *wanted = read_wanted(session->box);
    if (placeholder_files_are_pending(session->box))
        update_files(&files, wanted);
    if (fd >= 0)
        close(fd);
}
