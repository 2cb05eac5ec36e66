/*
 * litterbox-secrets FOLDER RUN NAME KEY: puts secrets into requests of the box NAME, and checks
 * those to hosts whose rules have methods or paths. FOLDER is its runtime folder with the list of
 * its secrets, RUN its PID 1, of which a pidfd is on stdin (host/supervisor/helper_start.h), KEY
 * the file of which its placeholders are made.
 *
 * It gets both ends of a connection from the gate (proto/secret_files.h), and so needs no network.
 * It reads all values and makes all certificates before it serves. It ends with PID 1 of the box; a
 * box whose litterbox-secrets is dead cannot reach the hosts of its secrets and of such rules.
 * value_source.h has what else it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "console/log.h"
#include "host/secrets/alarm_say.h"
#include "host/secrets/authority.h"
#include "host/secrets/exchange.h"
#include "host/secrets/log_limit.h"
#include "host/secrets/login.h"
#include "host/secrets/placeholder.h"
#include "host/secrets/value_source.h"
#include "host/supervisor/alarm.h"
#include "host/supervisor/supervise.h"
#include "net/event_clients.h"
#include "net/event_relay.h"
#include "net/unix_socket.h"
#include "proto/secret_files.h"
#include "sys/confine.h"
#include "sys/debug.h"
#include "sys/descriptors.h"

/* What `box` asks this program about a login, so that no other reads its tokens. */

static login *open_login(const char *name, const guint8 *key, secret_definition **definition,
                         GError **error)
{
    *definition = secret_file_read(name, error);
    if (!*definition)
        return NULL;
    if ((*definition)->login)
        return login_open(*definition, key, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "secret '%s' is no login", name);
    return NULL;
}

/* litterbox-secrets --login-file NAME KEY: prints what the client of the login NAME keeps, with
 * phantoms for the box whose key is in the file KEY. Nothing: nobody has logged in. */
static gboolean login_say_file(const char *name, const char *key, GError **error)
{
    g_autoptr(secret_definition) definition = NULL;
    g_autofree char *bytes = NULL;
    gsize length = 0;
    g_autoptr(login) read = NULL;
    if (!fs_read(AT_FDCWD, key, PLACEHOLDER_KEY, &bytes, &length, error))
        return FALSE;
    if (length == PLACEHOLDER_KEY)
        read = open_login(name, (const guint8 *)bytes, &definition, error);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the key of placeholders is not complete");
    g_autofree char *text = read ? login_client_file(read, time(NULL)) : NULL;
    if (text)
        fputs(text, stdout);
    return read != NULL;
}

/* litterbox-secrets --login-state NAME: prints "EXPIRES STATE EMAIL" (config/secret_file.h). */
static gboolean login_say_state(const char *name, GError **error)
{
    static const guint8 no_key[PLACEHOLDER_KEY];
    g_autoptr(secret_definition) definition = NULL;
    g_autoptr(login) read = open_login(name, no_key, &definition, error);
    if (read && !login_update(read)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the file of login '%s' is damaged: 'box secret add' begins anew", name);
        login_free(read);
        return FALSE;
    }
    if (read) {
        const login_tokens *now = &read->now;
        const char *state = !now->token[TOKEN_ACCESS]   ? SECRET_LOGIN_NONE
                            : now->has_ended            ? SECRET_LOGIN_ENDED
                            : now->token[TOKEN_REFRESH] ? SECRET_LOGIN_RENEWED
                                                        : SECRET_LOGIN_FIXED;
        printf("%" G_GINT64_FORMAT " %s %s\n", now->expires_at, state,
               now->email ? now->email : "");
    }
    return read != NULL;
}

#define PROGRAM "litterbox-secrets"
#define HELPER "secrets"

/* Connections that the gate may hand over in a row. */
#define BACKLOG 512
/* Those that have not said yet what they are for, and how long that may take. */
#define WAITING_MAX 64
#define MESSAGE_MS 10000
/* Descriptors of everything but connections. */
#define OTHER_FDS 64
#define RELAYS_MAX 2048

static int folder;
static const char *folder_path, *box_name, *key_path;

static enum stage_result fail_start(const char *what)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, strerror(errno));
    return STAGE_FAILED;
}

static enum stage_result protect(void *data)
{
    secret_protect_process();
    return STAGE_NEXT;
}

static enum stage_result read_secrets(void *data)
{
    g_autofree char *list = NULL, *key = NULL;
    g_autoptr(GError) problem = NULL;
    gsize length = 0;
    if (!fs_read(folder, SECRETS_LIST, SECRETS_LIST_MAX, &list, NULL, &problem) ||
        !fs_read(AT_FDCWD, key_path, PLACEHOLDER_KEY, &key, &length, &problem)) {
        fprintf(stderr, PROGRAM ": %s\n", problem->message);
        return STAGE_FAILED;
    }
    if (length != PLACEHOLDER_KEY) {
        fprintf(stderr, PROGRAM ": the key of placeholders is not complete\n");
        return STAGE_FAILED;
    }
    g_auto(GStrv) names = g_strsplit(g_strchomp(list), "\n", -1);
    return services_load(names, (const guint8 *)key) ? STAGE_NEXT : STAGE_FAILED;
}

static enum stage_result make_certificates(void *data)
{
    return authority_open(folder, box_name) == 0 && services_certify() && exchange_prepare()
               ? STAGE_NEXT
               : STAGE_FAILED;
}

/* In one step: a session that begins meanwhile reads all of it, or nothing. */
static enum stage_result write_anew(const char *file, const char *text)
{
    g_autofree char *path = g_build_filename(folder_path, file, NULL);
    g_autoptr(GError) problem = NULL;
    if (fs_write(path, text, -1, 0600, &problem))
        return STAGE_NEXT;
    fprintf(stderr, PROGRAM ": %s\n", problem->message);
    return STAGE_FAILED;
}

static enum stage_result write_files(void *data)
{
    g_autofree char *text = services_files();
    return write_anew(SECRETS_FILES, text);
}

static enum stage_result write_variables(void *data)
{
    g_autofree char *text = services_variables();
    return write_anew(SECRETS_VARIABLES, text);
}

/* Takes GATE. Reads what it hands over. */
static void take_over(int gate)
{
    static char text[SECRETS_MESSAGE_MAX];
    struct secrets_message message = {0};
    int fds[2], flags = 0;
    ssize_t length = descriptors_receive(gate, text, sizeof text, fds, 2, &flags);
    bool is_whole = length > 0 && fds[1] >= 0 && !(flags & MSG_TRUNC) &&
                    secrets_message_parse(text, (size_t)length, &message) == 0;
    const service *found = is_whole ? services_find(message.name, message.port) : NULL;
    if (found) {
        exchange_start(found, &message.rules, gate, fds[0], fds[1]);
        return;
    }
    if (is_whole) {
        g_autofree char *line = g_strdup_printf(
            "refused: %s: it has no value for its secret, or was started before its rules",
            message.name);
        log_limited(FALSE, line);
    }
    network_rules_clear(&message.rules);
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    close(gate);
}

static void message_ready(struct event_watch *watch, uint32_t events)
{
    int gate = watch->fd;
    event_watch_set(watch, 0);
    watch->fd = -1;
    event_client_end(watch->owner);
    take_over(gate);
}

static enum stage_result make_socket(void *data)
{
    static struct event_clients gates = {.size = sizeof(struct event_client),
                                         .most = WAITING_MAX,
                                         .ms = MESSAGE_MS,
                                         .ready = message_ready};
    int fd = unix_socket_listen_at(folder, SECRETS_SOCKET, SOCK_SEQPACKET | SOCK_NONBLOCK, 0600,
                                   BACKLOG);
    event_relay_limit(OTHER_FDS, RELAYS_MAX);
    return fd >= 0 && event_clients_start(&gates, fd) == 0 ? STAGE_NEXT
                                                           : fail_start(SECRETS_SOCKET);
}

/* A server's certificate may be verified by one that is only then read from the folder of those
 * that the system trusts, through links into others. */
static enum stage_result confine(void *data)
{
    const char *chosen = g_getenv(X509_get_default_cert_dir_env());
    const struct confine_path certificates[] = {
        {X509_get_default_cert_dir(), CONFINE_READ},
        {chosen, CONFINE_READ},
        {"/etc/ssl/certs", CONFINE_READ},
        {"/etc/pki", CONFINE_READ},
        {"/usr/share/ca-certificates", CONFINE_READ},
        {"/usr/local/share/ca-certificates", CONFINE_READ},
    };
    g_autofree struct confine_path *paths =
        g_new(struct confine_path, G_N_ELEMENTS(certificates) + services_secrets()->len);
    gsize count = G_N_ELEMENTS(certificates);
    memcpy(paths, certificates, sizeof certificates);
    for (guint i = 0; i < services_secrets()->len; i++) {
        const held_secret *held = services_secrets()->pdata[i];
        if (held->login)
            paths[count++] = (struct confine_path){held->login->folder, CONFINE_WRITE};
    }
    confine_process(PROGRAM, paths, count, 0);
    return STAGE_NEXT;
}

static enum stage_result serve(void *data)
{
    worker_ready("");
    event_loop_run();
    return STAGE_DONE;
}

static const struct stage stages[] = {
    {"protection", protect},
    {"secrets", read_secrets},
    {"certificates", make_certificates},
    {"files", write_files},
    {"variables", write_variables},
    {"socket", make_socket},
    {"confinement", confine},
    {"serving", serve},
    {0},
};

/* What `box` asks (value_source.h, and of logins above). FALSE: it is nothing of that; else *STATUS
 * is that of this process. */
static gboolean answer_box(int argc, char **argv, int *status)
{
    const char *what = argc > 2 ? argv[1] : "", *more = argc > 3 ? argv[3] : NULL;
    gboolean is_access_key = argc <= 4 && strcmp(what, "--keep-access-key") == 0;
    gboolean keeps = is_access_key || (argc <= 4 && strcmp(what, "--keep") == 0);
    gboolean says_file = argc == 4 && strcmp(what, "--login-file") == 0;
    gboolean says_state = argc == 3 && strcmp(what, "--login-state") == 0;
    gboolean tests = argc == 3 && strcmp(what, "--test") == 0;
    g_autoptr(GError) problem = NULL;
    if (!keeps && !says_file && !says_state && !tests)
        return FALSE;
    secret_protect_process();
    gboolean done = keeps        ? value_keep(argv[2], more, is_access_key, &problem)
                    : says_file  ? login_say_file(argv[2], more, &problem)
                    : says_state ? login_say_state(argv[2], &problem)
                                 : value_test(argv[2], &problem);
    if (!done)
        log_error("%s", problem->message);
    *status = done ? 0 : box_error_exit_status(problem);
    return TRUE;
}

int main(int argc, char **argv)
{
    int status;
    if (argc == 3 && strcmp(argv[1], ALARM_OPTION) == 0)
        alarm_say(argv[2]);
    if (answer_box(argc, argv, &status))
        return status;
    if (argc != 5 || argv[1][0] != '/' || atoi(argv[2]) <= 0 || argv[4][0] != '/') {
        fprintf(stderr, "usage: " PROGRAM " FOLDER RUN NAME KEY (started by box)\n");
        return 64;
    }
    debug_start(PROGRAM);
    folder = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
    folder_path = argv[1];
    box_name = argv[3];
    key_path = argv[4];
    const struct supervised self = {.name = HELPER,
                                    .program = PROGRAM,
                                    .alarms = box_name,
                                    .run = argv[2],
                                    .argv = argv,
                                    .folder = folder,
                                    .box = STDIN_FILENO,
                                    .stages = stages};
    return supervise(&self);
}
