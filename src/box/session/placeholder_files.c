#include "box/session/placeholder_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/secrets.h"
#include "common/fs.h"
#include "console/log.h"
#include "proto/secret_files.h"

#define IS_OTHER 3
#define IS_NO_FOLDER 4
#define IS_MOUNTED 5

/*
 * For sh -c: "write" or "remove", a path below the home, contents, and how many bytes they are.
 * Each folder is entered, and looked at once more from inside, so none is exchanged for a link
 * meanwhile. What is mounted below the home, such as the project, is the host's or belongs to
 * several boxes; in its names a space is "\040" (proc_pid_mountinfo(5)). The name of the new file
 * is always the same, so that one whose script was killed is removed by the next.
 */
static const char home_file_script[] =
    "umask 077\n"
    "what=$1 rest=$2 text=$3 length=$4\n"
    "cd -P -- \"$HOME\" || exit 1\n"
    "home=$(pwd -P) && home=${home%/} at=$home\n"
    "while read -r _ _ _ _ mount _; do\n"
    "    case $mount in *\\\\*) mount=$(printf %b \"$mount\") ;; esac\n"
    "    case $mount in \"$home\"/*) case $home/$2 in \"$mount\"/*) exit 5 ;; esac ;; esac\n"
    "done </proc/self/mountinfo\n"
    "while [ \"$rest\" != \"${rest#*/}\" ]; do\n"
    "    part=${rest%%/*} rest=${rest#*/}\n"
    "    if [ $what = write ] && [ ! -e \"./$part\" ] && [ ! -L \"./$part\" ]; then\n"
    "        mkdir \"./$part\" || exit 1\n"
    "    fi\n"
    "    [ -d \"./$part\" ] && [ ! -L \"./$part\" ] || exit 4\n"
    "    cd -P -- \"./$part\" || exit 1\n"
    "    at=$at/$part\n"
    "    [ \"$(pwd -P)\" = \"$at\" ] || exit 4\n"
    "done\n"
    "file=./$rest new=./$rest.litterbox\n"
    "rm -f \"$new\"\n"
    "is_ours() {\n"
    "    [ -f \"$file\" ] && [ ! -L \"$file\" ] && [ \"$(wc -c <\"$file\")\" -eq \"$length\" ] &&\n"
    "        [ \"$(cat \"$file\" && echo .)\" = \"$text.\" ]\n"
    "}\n"
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

/* "": there is none. */
static char *read_files_list(const char *path)
{
    char *text = fs_read_text(path, SECRETS_FILES_MAX);
    return text ? text : g_strdup("");
}

gboolean placeholder_files_are_pending(const struct box *self)
{
    g_autofree char *wanted_file = wanted_path(self), *wanted = read_files_list(wanted_file);
    g_autofree char *record = box_home_mark(self, SECRETS_WRITTEN);
    if (!*wanted)
        return access(record, F_OK) == 0;
    g_autofree char *done_file = done_path(self), *done = read_files_list(done_file);
    return !g_str_equal(wanted, done);
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
    return !read_home_file(line, &file) || run_script(self, "remove", &file) >= 0;
}

/* Those lines of RECORD that are wanted no more, of files that are still there. */
static char *remove_others(home_files *self, char *const *record, char *const *wanted)
{
    GString *left = g_string_new(NULL);
    for (; *record; record++)
        if (**record && !g_strv_contains((const char *const *)wanted, *record) &&
            !remove_home_file(self, *record))
            g_string_append_printf(left, "%s\n", *record);
    return g_string_free(left, FALSE);
}

static gboolean save_written(const char *path, const char *old, const char *wanted)
{
    g_autofree char *text = g_strconcat(old, wanted, NULL);
    g_autoptr(GError) problem = NULL;
    if (!*text ? fs_remove_tree(path, &problem) : fs_write(path, text, -1, 0600, &problem))
        return TRUE;
    log_warning("files of secrets are not written: %s", problem->message);
    return FALSE;
}

/* The record has a file before that is written, so none is there that it does not know. */
static void update_files(home_files *self)
{
    const struct box *of = self->session->box;
    g_autofree char *wanted_file = wanted_path(of), *wanted = read_files_list(wanted_file);
    g_autofree char *record_file = box_home_mark(of, SECRETS_WRITTEN);
    g_autofree char *record = read_files_list(record_file), *done_file = done_path(of);
    g_auto(GStrv) lines = g_strsplit(wanted, "\n", -1), old = g_strsplit(record, "\n", -1);
    if (!g_str_equal(record, wanted) && !save_written(record_file, record, wanted))
        return;
    g_autofree char *left = remove_others(self, old, lines);
    for (char **line = lines; *line; line++)
        if (**line)
            write_home_file(self, *line);
    save_written(record_file, left, wanted);
    fs_write(done_file, wanted, -1, 0600, NULL);
}

/* Two first sessions at the same time wait for one another. */
void placeholder_files_update(const home_session *session)
{
    home_files files = {session, FALSE};
    g_autofree char *lock = box_home_mark(session->box, SECRETS_WRITTEN ".lock");
    int fd = fs_lock(lock, NULL, NULL);
    if (placeholder_files_are_pending(session->box))
        update_files(&files);
    if (fd >= 0)
        close(fd);
}
