/*
 * sudo inside a box: asks box-init for a session as root of the box. It is not setuid. box-init
 * applies the box's policy ([security] sudo), and sets no_new_privs for the command.
 *
 * Supports what scripts use of sudo(8): -u root, -i, -s, VAR=VALUE. -n, -E, -H, -S, -P, -b, -g and
 * -p are accepted and have no effect; -v, -k and -K succeed and do nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/init/control_socket.h"
#include "net/unix_socket.h"
#include "session/client.h"

#define ENV_MAX 64
/* More than box-init waits for the user's answer. */
#define START_TIMEOUT_MS (SESSION_ANSWER_MS + 10000)

/* Variables of the caller that root's command gets; others could change what it does. */
static const char *const kept[] = {"TERM",    "COLORTERM", "LANG",     "LC_ALL",
                                   "DISPLAY", "PATH",      "NO_COLOR", "DEBIAN_FRONTEND"};

struct request {
    char *env[ENV_MAX + 1];
    int envc;
    int shell; /* -i or -s is given */
    char **command;
};

static int usage(void)
{
    fputs("usage: sudo [-n] [-E] [-H] [-u root] [-i | -s] [VAR=VALUE…] COMMAND…\n"
          "Runs a command as root of this box, if [security] sudo allows it.\n",
          stderr);
    return 1;
}

static int add_env(struct request *self, char *entry)
{
    if (self->envc == ENV_MAX)
        return -1;
    self->env[self->envc++] = entry;
    return 0;
}

static int is_assignment(const char *word)
{
    const char *equals = strchr(word, '=');
    return equals && equals != word && !memchr(word, '/', (size_t)(equals - word));
}

/* 0: there is a command to run, 1: nothing to do, -1: invalid usage. */
static int parse(struct request *self, int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "+nEHSPbisvkKu:g:p:")) != -1) {
        if (option == 'v' || option == 'k' || option == 'K')
            return 1;
        if (option == 'i' || option == 's')
            self->shell = 1;
        if (option == 'u' && strcmp(optarg, "root") != 0 && strcmp(optarg, "#0") != 0) {
            fprintf(stderr, "sudo: the only user is root, not '%s'\n", optarg);
            return -1;
        }
        if (option == '?')
            return -1;
    }
    for (; argv[optind] && is_assignment(argv[optind]); optind++) {
        if (add_env(self, argv[optind]) < 0)
            return -1;
    }
    self->command = argv + optind;
    return self->shell || *self->command ? 0 : -1;
}

static void keep_env(struct request *self)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char *entry;
        const char *value = getenv(kept[i]);
        if (value && asprintf(&entry, "%s=%s", kept[i], value) >= 0)
            add_env(self, entry);
    }
    char *uid;
    if (asprintf(&uid, "SUDO_UID=%d", (int)getuid()) >= 0)
        add_env(self, uid);
}

static int explain(const struct client_result *result, const char *program)
{
    switch (result->outcome) {
    case CLIENT_EXITED:
        return result->status;
    case CLIENT_FAILED:
        if (result->failure.stage == SESSION_STAGE_DENIED)
            fputs("sudo: not allowed\n", stderr);
        else
            fprintf(stderr, "sudo: %s: %s\n", program, strerror(result->failure.error));
        return 1;
    default:
        fprintf(stderr, "sudo: %s\n", strerror(result->failure.error));
        return 1;
    }
}

int main(int argc, char **argv)
{
    struct request request = {0};
    char cwd[4096];
    int parsed = parse(&request, argc, argv);
    if (parsed != 0)
        return parsed < 0 ? usage() : 0;
    keep_env(&request);
    int connection = unix_socket_connect_in(SUDO_SOCKET_FOLDER, SUDO_SOCKET_NAME, SOCK_STREAM);
    if (connection < 0) {
        fputs("sudo: not allowed in this box; to allow it, set [security] sudo = \"ask\" or "
              "\"allow\" outside the box\n",
              stderr);
        return 1;
    }
    char *shell[] = {SESSION_SHELL, NULL};
    int login = request.shell && !*request.command;
    int tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    struct session_command command = {
        .start = {.flags = SESSION_ROOT | SESSION_CWD_HINT | (login ? SESSION_LOGIN : 0u) |
                           (tty ? SESSION_TTY : 0u)},
        .cwd = getcwd(cwd, sizeof cwd) ? cwd : "",
        .argv = login ? shell : request.command,
        .env = request.env,
    };
    /* The client on the host filters what this prints. */
    struct client_hooks hooks = {.start_timeout_ms = START_TIMEOUT_MS, .terminal = TERMINAL_ALL};
    struct client_result result;
    client_run(connection, &command, &hooks, &result);
    return explain(&result, login ? "shell" : request.command[0]);
}
