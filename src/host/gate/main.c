/*
 * litterbox-gate FOLDER RUN NAMES PROJECT: the way of a box with [network] mode "filtered" to the
 * network. FOLDER is the box's runtime folder with the rules, RUN its PID 1, of which a pidfd is on
 * stdin (host/supervisor/helper_start.h), NAMES the file of the names that it has asked for,
 * PROJECT its project's folder, to show it.
 *
 * It is started when the container is prepared and nothing of the box runs yet, and makes the DNS
 * server and the listeners in the box's network namespace (box_network.h). A box whose gate is
 * dead reaches nothing. It ends with PID 1 of the box.
 *
 * The gate of a build of the box's image works in FOLDER/GATE_BUILD_FOLDER of the box's; RUN is
 * then a process that holds the network of the build.
 *
 * It answers requests at FOLDER/GATE_SOCKET (enum gate_request). Rules that need more than it made
 * in the namespace make it start anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/gate/box_network.h"
#include "host/gate/fake_names.h"
#include "host/gate/gate.h"
#include "host/gate/journal.h"
#include "host/gate/program_names.h"
#include "host/gate/resolver.h"
#include "host/gate/secret_routes.h"
#include "host/supervisor/supervise.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "sys/confine.h"
#include "sys/debug.h"
#include "sys/signals.h"

#define PROGRAM "litterbox-gate"
#define HELPER "gate"

/* `box` commands that may wait for an answer. */
#define BACKLOG 16

static int folder, box;
static int launcher = -1, resolver, finder_line;
static const char *folder_path, *names_path, *project, *run;
/* Those that hold, and those that the namespace was set up for. */
static struct network_rules rules, armed;
static char *rules_text; /* of those that hold */
static bool is_outdated; /* the namespace lacks something for them */
static struct box_network network;

static enum stage_result fail(const char *what)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, strerror(errno));
    return STAGE_FAILED;
}

/* Text is a new string, which the list of the rules is kept with, for who asks what holds. */
static int load_rules(struct network_rules *into, char **text)
{
    int fd = openat(folder, NETWORK_RULES_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t length = -1;
    *text = malloc(NETWORK_RULES_FILE_MAX + 1);
    if (fd >= 0 && *text)
        length = read(fd, *text, NETWORK_RULES_FILE_MAX);
    int status = length < 0 ? -1 : network_rules_parse(*text, (size_t)length, into);
    if (fd >= 0)
        close(fd);
    if (status == 0 && secret_routes_load(folder_path) < 0) {
        network_rules_clear(into);
        status = -1;
    }
    if (status < 0) {
        free(*text);
        *text = NULL;
        return -1;
    }
    (*text)[length] = '\0';
    char *fitting = realloc(*text, (size_t)length + 1);
    *text = fitting ? fitting : *text;
    return 0;
}

static enum stage_result read_rules(void *data)
{
    char *same = NULL;
    bool done = load_rules(&rules, &rules_text) == 0 && load_rules(&armed, &same) == 0;
    free(same);
    return done ? STAGE_NEXT : fail("the file of the rules cannot be read");
}

static enum stage_result read_names(void *data)
{
    return fake_names_open(names_path) == 0 ? STAGE_NEXT : fail(names_path);
}

/* Before there is anything in this process that a launcher must not have. */
static enum stage_result fork_launcher(void *data)
{
    if (rules.unlisted != UNLISTED_ASKED)
        return STAGE_NEXT;
    launcher = asking_fork_launcher(folder_path, project, run);
    return launcher < 0 ? fail("launcher") : STAGE_NEXT;
}

/* Without it the log names no programs. */
static enum stage_result fork_finder(void *data)
{
    finder_line = program_finder_fork(run);
    return STAGE_NEXT;
}

static enum stage_result fork_resolver(void *data)
{
    resolver = resolver_fork(folder_path);
    return resolver < 0 ? fail("resolver") : STAGE_NEXT;
}

/* BOX is a pidfd, so these are the namespaces of no other process. The socket of an earlier worker
 * has what the box has asked since that worker has ended. */
static enum stage_result arm(void *data)
{
    int dns = worker_kept();
    if (box_network_arm(box, &armed, dns, &network) < 0)
        return STAGE_FAILED;
    if (worker_keep(dns < 0 ? network.dns_udp : -1) < 0)
        return fail("the socket of its DNS server");
    if (!network.is_redirected)
        fprintf(stderr, PROGRAM ": nft does not work here: programs of the box cannot use the "
                                "ports of the rules themselves\n");
    return STAGE_NEXT;
}

/* New rules hold at once, for connections that are open as well. Broken ones change nothing. */
static enum gate_answer take_rules(void)
{
    struct network_rules wanted, old = rules;
    char *text;
    if (load_rules(&wanted, &text) < 0)
        return GATE_BROKEN;
    rules = wanted;
    free(rules_text);
    rules_text = text;
    connections_check_rules();
    asking_check_rules();
    network_rules_clear(&old);
    return box_network_serves(&network, &armed, &rules) ? GATE_CHANGED : GATE_RESTARTS;
}

static void answer_control(int request, FILE *out)
{
    if (request == GATE_LIST_RULES)
        fprintf(out, "%s" GATE_TEXT_END, rules_text);
    if (request == GATE_LIST_CONNECTIONS) {
        connections_list(out);
        fputs(GATE_TEXT_END, out);
    }
    if (request != GATE_READ_RULES)
        return;
    enum gate_answer taken = take_rules();
    fputc((char)taken, out);
    is_outdated = taken == GATE_RESTARTS;
}

/* The next worker sets the namespace up for the new rules: this one has no right to do it. */
static void answered(void)
{
    if (!is_outdated)
        return;
    connections_record();
    exit(1);
}

static void ended(struct event_watch *signals, uint32_t events)
{
    event_loop_quit();
}

/* The supervisor ends this process by a signal, and what is counted is recorded before that. */
static enum stage_result watch_end(void *data)
{
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP};
    static struct event_watch signals = {.ready = ended};
    signals.fd = signals_watch(SIG_BLOCK, ending, sizeof ending / sizeof *ending);
    return signals.fd >= 0 && event_watch_set(&signals, EPOLLIN) == 0 ? STAGE_NEXT
                                                                      : fail("signals");
}

static enum stage_result make_socket(void *data)
{
    int fd = unix_socket_listen_at(folder, GATE_SOCKET, SOCK_STREAM | SOCK_NONBLOCK, 0600, BACKLOG);
    return fd >= 0 && control_socket_start(fd, answer_control, answered) == 0 ? STAGE_NEXT
                                                                              : fail(GATE_SOCKET);
}

/* No Unix sockets: see resolver_process.c. */
static enum stage_result confine(void *data)
{
    const struct confine_path paths[] = {{folder_path, CONFINE_READ}};
    close(box);
    confine_process(PROGRAM, paths, 1, CONFINE_INTERNET);
    return STAGE_NEXT;
}

static enum stage_result serve(void *data)
{
    if (resolver_init(resolver) < 0)
        return fail("resolver");
    journal_start(worker_record);
    dns_server_start(&rules, network.dns_udp, network.dns_tcp);
    asking_start(&rules, launcher);
    program_names_start(network.diag, finder_line);
    connections_start(&rules, &network);
    worker_ready("");
    event_loop_run();
    connections_record();
    return STAGE_DONE;
}

static const struct stage stages[] = {
    {"rules", read_rules},
    {"launcher", fork_launcher},
    {"finder", fork_finder},
    {"resolver", fork_resolver},
    {"names", read_names},
    {"network", arm},
    {"socket", make_socket},
    {"signals", watch_end},
    {"confinement", confine},
    {"serving", serve},
    {0},
};

/* The log is the box's, of a build as well. */
static int records_folder(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return strcmp(name, GATE_BUILD_FOLDER) == 0
               ? openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC)
               : folder;
}

int main(int argc, char **argv)
{
    if (argc != 5 || argv[1][0] != '/' || atoi(argv[2]) <= 0 || argv[3][0] != '/') {
        fprintf(stderr, "usage: " PROGRAM " FOLDER RUN NAMES PROJECT (started by box)\n");
        return 64;
    }
    debug_start(PROGRAM);
    folder = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
    folder_path = argv[1];
    run = argv[2];
    names_path = argv[3];
    project = argv[4];
    /* A worker has another stdin. */
    box = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const struct supervised self = {.name = HELPER,
                                    .program = PROGRAM,
                                    .records = NETWORK_RECORDS,
                                    .records_folder = records_folder(argv[1]),
                                    .run = argv[2],
                                    .argv = argv,
                                    .keeps = 1,
                                    .folder = folder,
                                    .box = STDIN_FILENO,
                                    .stages = stages};
    return supervise(&self);
}
