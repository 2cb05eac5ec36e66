#include "box/session/new_home.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/session/connection.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"
#include "session/client.h"

/*
 * For sh -c, with the dotfiles (PLAN_DOTFILES, or a repository's address) as $1 and their script as
 * $2; each may be "". A file of the home stays when /etc/skel has another, which makes a second
 * try harmless. A script finds the dotfiles in ~/.dotfiles, as links to them are what most make;
 * without one they are copied into the home. 3: the repository cannot be cloned.
 */
static const char fill_script[] =
    "copy() {\n"
    "    cd \"$1\" || return\n"
    "    for file in .[!.]* ..?* *; do\n"
    "        [ -e \"$file\" ] || [ -L \"$file\" ] || continue\n"
    "        [ \"$file\" = .git ] && continue\n"
    "        [ \"$2\" = keep ] && { [ -e \"$HOME/$file\" ] || [ -L \"$HOME/$file\" ]; } && continue\n"
    "        cp -RP -- \"$file\" \"$HOME/\" || failed=1\n"
    "    done\n"
    "}\n"
    "failed=0 from=$1\n"
    "[ ! -d /etc/skel ] || copy /etc/skel keep\n"
    "case $1 in\n"
    "'') exit $failed ;;\n"
    "/*) ;;\n"
    "*)\n"
    "    from=$HOME/.dotfiles\n"
    "    [ -d \"$from\" ] || GIT_TERMINAL_PROMPT=0 GIT_SSH_COMMAND='ssh -o BatchMode=yes' \\\n"
    "        git clone -q --depth 1 --recurse-submodules --shallow-submodules -- \"$1\" \"$from\" ||\n"
    "        exit 3\n"
    "    ;;\n"
    "esac\n"
    "[ -n \"$2\" ] || { copy \"$from\"; exit $failed; }\n"
    "if [ \"$from\" != \"$HOME/.dotfiles\" ] && [ ! -e \"$HOME/.dotfiles\" ]; then\n"
    "    cp -RP -- \"$from\" \"$HOME/.dotfiles\" || exit\n"
    "fi\n"
    "cd \"$HOME/.dotfiles\" || exit\n"
    "if [ -x \"$2\" ]; then exec \"./$2\"; else exec sh \"./$2\"; fi\n";
#define CANNOT_CLONE 3

static char *new_marker(const struct box *self)
{
    return box_home_mark(self, PLAN_DATA_HOME_IS_NEW);
}

static char *setup_marker(const struct box *self)
{
    return box_home_mark(self, PLAN_DATA_HOME_IS_SET_UP);
}

gboolean new_home_is_pending(const struct box *self, const struct runtime_config *known)
{
    g_autofree char *is_new = new_marker(self), *is_set_up = setup_marker(self);

    return access(is_new, F_OK) == 0 ||
           (known && known->settings->home.setup && access(is_set_up, F_OK) != 0);
}

/* What FD was before TO took its place, for put_back(). */
static int replace(int fd, int to)
{
    int before = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    dup2(to, fd);
    return before;
}

static void put_back(int fd, int before)
{
    if (before < 0)
        return;
    dup2(before, fd);
    close(before);
}

/* Standard input and output are those of the session that comes next. */
int new_home_run(const home_session *self, char **argv, const char *folder, guint64 timeout_ms)
{
    int connection = box_connect(self->box);
    struct session_command command = {
        .start = {.timeout_ms = timeout_ms}, .cwd = folder, .argv = argv, .env = self->env};
    struct client_hooks hooks = {.terminal = self->terminal};
    struct client_result result;

    if (connection < 0)
        return NEW_HOME_NOT_RUN;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int input = replace(STDIN_FILENO, null), output = replace(STDOUT_FILENO, STDERR_FILENO);
    client_run(connection, &command, &hooks, &result);
    put_back(STDIN_FILENO, input);
    put_back(STDOUT_FILENO, output);
    if (null >= 0)
        close(null);
    if (result.outcome != CLIENT_EXITED)
        return NEW_HOME_NOT_RUN;
    return result.reason == SESSION_TIMED_OUT ? NEW_HOME_TIMED_OUT : result.status;
}

static void warn_about_dotfiles(int status, const char *dotfiles)
{
    g_autofree char *safe = text_safe(dotfiles, -1);

    if (status == CANNOT_CLONE)
        log_warning("home.dotfiles: cannot clone '%s' in the box; the next session "
                    "tries again",
                    safe);
    else
        log_warning("home.dotfiles: not all of '%s' is in the new home; the next session "
                    "tries again",
                    safe);
}

/* An image without a shell has no use for these files. */
static void fill(const home_session *for_home, const settings *wanted, const char *marker)
{
    const char *dotfiles = wanted ? wanted->home.dotfiles : NULL;
    const char *script = wanted && dotfiles ? wanted->home.dotfiles_script : NULL;
    gboolean is_folder = wanted && settings_dotfiles_is_folder(wanted);
    char *argv[] = {(char *)"/bin/sh",
                    (char *)"-c",
                    (char *)fill_script,
                    (char *)"fill",
                    (char *)(is_folder  ? PLAN_DOTFILES
                             : dotfiles ? dotfiles
                                        : ""),
                    (char *)(script ? script : ""),
                    NULL};

    if (dotfiles) {
        g_autofree char *safe = text_safe(dotfiles, -1);
        log_note("filling the new home from '%s'", safe);
    }
    int status = new_home_run(for_home, argv, "/", 0);
    if (status == 0 || !dotfiles)
        unlink(marker);
    else
        warn_about_dotfiles(status, dotfiles);
}

/* Two first sessions at the same time wait for one another. */
static void fill_once(const home_session *for_home, const settings *wanted)
{
    g_autofree char *marker = new_marker(for_home->box);
    g_autofree char *lock = box_home_mark(for_home->box, BOX_HOME_LOCK);

    if (access(marker, F_OK) != 0)
        return;
    int fd = fs_lock(lock, NULL, NULL);
    if (access(marker, F_OK) == 0)
        fill(for_home, wanted, marker);
    if (fd >= 0)
        close(fd);
}

/* Runs [home] setup, until it has succeeded once. */
static void set_up_once(const home_session *for_home, const settings *wanted)
{
    const struct box *self = for_home->box;
    const char *setup = wanted ? wanted->home.setup : NULL;
    g_autofree char *marker = setup_marker(self);

    if (!setup || access(marker, F_OK) == 0)
        return;
    g_autofree char *safe = text_safe(setup, -1);
    g_autofree char *path = g_build_filename(self->project, setup, NULL);
    char *argv[] = {(char *)"/bin/sh", path, NULL};
    if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
        argv[0] = path, argv[1] = NULL;
    log_note("running setup '%s' for the new home", safe);
    if (new_home_run(for_home, argv, self->project, 0) == 0)
        fs_write(marker, "", 0, 0600, NULL);
    else
        log_warning("setup '%s' failed; the next session runs it again", safe);
}

void new_home_prepare(const home_session *self, const struct runtime_config *known)
{
    const settings *wanted = known ? known->settings : NULL;

    fill_once(self, wanted);
    set_up_once(self, wanted);
}
