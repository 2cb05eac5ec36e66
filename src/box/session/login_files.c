#include "box/session/login_files.h"

#include <string.h>
#include <unistd.h>

#include "box/helpers/secrets.h"
#include "common/fs.h"
#include "common/paths.h"
#include "config/secret_file.h"
#include "console/log.h"
#include "proto/secret_files.h"

/* For sh -c, with names below the home and contents. */
static const char write_script[] =
    "umask 077\n"
    "while [ $# -gt 0 ]; do\n"
    "    file=$HOME/$1\n"
    "    if [ ! -e \"$file\" ] && [ ! -L \"$file\" ]; then\n"
    "        mkdir -p \"${file%/*}\" && printf %s \"$2\" >\"$file.$$\" && mv -n \"$file.$$\" \"$file\"\n"
    "        status=$?\n"
    "        rm -f \"$file.$$\"\n"
    "        [ $status = 0 ] || exit 1\n"
    "    fi\n"
    "    shift 2\n"
    "done\n";

/* The logins of SELF, "NAME SERVICE" each; NULL: it has none. */
static char **read_logins(const struct box *self)
{
    g_autofree char *path = g_build_filename(self->runtime, SECRETS_LOGINS, NULL);
    g_autofree char *text = fs_read_text(path, SECRETS_LIST_MAX);
    return text ? g_strsplit(g_strchomp(text), "\n", -1) : NULL;
}

static char *marker(const struct box *self, const char *name)
{
    g_autofree char *file = g_strconcat("login-", name, NULL);
    return box_home_mark(self, file);
}

static gboolean is_pending(const struct box *self, const char *name)
{
    g_autofree char *mark = marker(self, name);
    g_autofree char *folder = secret_login_folder(name);
    g_autofree char *tokens = g_build_filename(folder, SECRET_LOGIN_TOKENS, NULL);
    return access(mark, F_OK) != 0 && access(tokens, F_OK) == 0;
}

gboolean login_files_are_pending(const struct box *self)
{
    gboolean found = FALSE;
    g_auto(GStrv) lines = read_logins(self);
    for (char **line = lines; line && *line && !found; line++) {
        g_autofree char *name = g_strndup(*line, strcspn(*line, " "));
        found = is_pending(self, name);
    }
    return found;
}

/* What the client keeps, of litterbox-secrets, which has the tokens; NULL. */
static char *read_content(const struct box *self, const char *name)
{
    g_autofree char *program = paths_libexec("litterbox-secrets");
    g_autofree char *key = box_shared_file(self, SECRETS_KEY);
    char *argv[] = {program, (char *)"--login-file", (char *)name, key, NULL};
    g_autofree char *text = NULL;
    int status = 0;
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL, &status, NULL) ||
        !g_spawn_check_wait_status(status, NULL) || !*text)
        return NULL;
    return g_steal_pointer(&text);
}

static void write_one(const home_session *self, const char *name, const login_service *of)
{
    g_autofree char *mark = marker(self->box, name);
    g_autofree char *content = read_content(self->box, name);
    if (!content)
        return;
    char *argv[] = {(char *)"/bin/sh",      (char *)"-c",      (char *)write_script,
                    (char *)"login",        (char *)of->file,  content,
                    (char *)of->state_file, (char *)of->state, NULL};
    if (new_home_run(self, argv, "/", NEW_HOME_FILE_MS) == 0)
        fs_write(mark, "", 0, 0600, NULL);
    else
        log_warning("cannot write ~/%s for login '%s': its client asks for a login", of->file,
                    name);
}

void login_files_write(const home_session *self)
{
    g_auto(GStrv) lines = read_logins(self->box);
    for (char **line = lines; line && *line; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", 2);
        const login_service *of = words[0] && words[1] ? login_service_find(words[1]) : NULL;
        if (of && is_pending(self->box, words[0]))
            write_one(self, words[0], of);
    }
}

void login_files_forget(const struct box *self, const char *name)
{
    g_autofree char *mark = marker(self, name);
    unlink(mark);
}
