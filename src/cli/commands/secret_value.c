/* Where `box secret add` gets a value from. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "cli/commands/secret.h"
#include "common/error.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/ask.h"
#include "proto/question.h"

int secret_program_run(const char *what, const char *name, const char *fd, GError **error)
{
    g_autofree char *program = paths_libexec("litterbox-secrets");
    char *argv[] = {program, (char *)what, (char *)name, (char *)fd, NULL};
    int status = 0;
    if (!g_spawn_sync(NULL, argv, NULL,
                      G_SPAWN_LEAVE_DESCRIPTORS_OPEN | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
                      NULL, NULL, &status, error))
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

char *secret_host_texts(const secret_definition *self)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < self->hosts->len; i++) {
        const secret_host *host = &g_array_index(self->hosts, secret_host, i);
        g_string_append_printf(text, "%s%s", i ? ", " : "", host->name);
        if (host->port != HTTPS_PORT)
            g_string_append_printf(text, ":%u", host->port);
    }
    return g_string_free(text, FALSE);
}

/* "Value of the secret github, which is for api.github.com and 2 more hosts". All of them are in
 * the address, which is never cut. */
static char *headline_of(const secret_definition *self)
{
    const char *what = self->forms & SECRET_SIGV4 ? "Access key" : "Value";
    guint more = self->hosts->len - 1;
    g_autofree char *host =
        text_safe_max(g_array_index(self->hosts, secret_host, 0).name, -1, QUESTION_NAME_MAX);
    g_autofree char *others =
        more ? g_strdup_printf(" and %u more host%s", more, more == 1 ? "" : "s") : g_strdup("");
    return g_strdup_printf("%s of the secret %s, which is for %s%s", what, self->name, host,
                           others);
}

/* The window writes to PIPE, which is taken. */
static question *value_question(const secret_definition *self, int pipe)
{
    question *asked = question_new(QUESTION_VALUE, NULL, NULL);
    g_autofree char *headline = headline_of(self), *hosts = secret_host_texts(self);
    g_autofree char *kept = secret_value_path(self->name);
    question_set_headline(asked, headline);
    question_set_address(asked, hosts);
    question_set_descriptor(asked, pipe);
    if (self->forms & SECRET_SIGV4)
        question_add_known(asked, "Form", "ID:SECRET or ID:SECRET:TOKEN", NULL, NULL);
    question_add_known(asked, "Kept", "in a file that you alone can read", NULL, NULL);
    if (access(kept, F_OK) == 0)
        question_add_known(asked, "Replaces", "the value that this secret has", NULL, NULL);
    question_add_known(asked, "Boxes", "use it without getting it", NULL, NULL);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    return asked;
}

/* Not agent_ask(): why there is no value is told. The window's end of the pipe is closed here
 * after the answer, so whoever reads the other end sees an end. */
static enum question_answer ask_in_window(const secret_definition *self, int pipe)
{
    g_autoptr(question) asked = value_question(self, pipe);
    int fd = agent_ask_begin(asked);
    return fd >= 0 ? agent_ask_end(fd) : QUESTION_ANSWER_NOBODY;
}

#define OTHER_WAYS "pass a descriptor with --value-fd, or name the place with --source"

/* Why there is no value, after an ANSWER that gives none. */
static const char *lack_of_value(enum question_answer answer, gboolean wants_window)
{
    switch (answer) {
    case QUESTION_ANSWER_NOBODY:
        return wants_window
                   ? "there is no desktop with a window to ask for the value in: " OTHER_WAYS
                   : "there is no terminal and no desktop to ask for the value in: " OTHER_WAYS;
    case QUESTION_ANSWER_TIMEOUT:
        return "nobody gave a value in the window within a minute: " OTHER_WAYS;
    case QUESTION_ANSWER_WITHDRAWN:
        return "no window asks for the value while the screen or the SSH agent is locked; 'box "
               "consent unlock' unlocks the agent";
    case QUESTION_ANSWER_AGAIN:
        return "another 'box secret add' asked for the same value: try again";
    case QUESTION_ANSWER_FAILED:
        return "the window that asked for the value ended without an answer";
    default:
        return "no value was given: the window was cancelled, or did not open, because another one "
               "was cancelled some seconds ago or too many questions wait";
    }
}

/* Its ends are above stderr also where a script has closed that: else messages would go there. */
static gboolean make_pipe(int *ends)
{
    int low[2] = {-1, -1};
    gboolean made = pipe2(low, O_CLOEXEC) == 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = made ? fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
        if (low[i] >= 0)
            close(low[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/* As secret_value_get(), of WHAT. */
static int get_in_window(const secret_definition *self, const char *what, gboolean wants_window,
                         GError **error)
{
    int ends[2];
    if (!make_pipe(ends)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot make a pipe for the value: %s",
                    g_strerror(errno));
        return -1;
    }
    enum question_answer answer = ask_in_window(self, ends[1]);
    g_autofree char *number = g_strdup_printf("%d", ends[0]);
    int status = -1;
    if (answer != QUESTION_ANSWER_ONCE) {
        g_set_error_literal(error, BOX_ERROR,
                            answer == QUESTION_ANSWER_NOBODY ? BOX_ERROR_USAGE : BOX_ERROR_FAILED,
                            lack_of_value(answer, wants_window));
    } else {
        fcntl(ends[0], F_SETFD, 0);
        status = secret_program_run(what, self->name, number, error);
    }
    close(ends[0]);
    return status;
}

int secret_value_get(const secret_definition *self, const char *fd, gboolean in_window,
                     GError **error)
{
    const char *what = self->forms & SECRET_SIGV4 ? "--keep-access-key" : "--keep";
    return in_window || (!fd && !ask_can()) ? get_in_window(self, what, in_window, error)
                                            : secret_program_run(what, self->name, fd, error);
}
