#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "box/inspect/sockets.h"
#include "box/lifecycle/container.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/ports.h"
#include "box/session/freeze.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "cli/commands/show.h"
#include "common/text.h"
#include "console/log.h"
#include "console/output.h"
#include "session/client_connect.h"

/* A little longer than box-init tries. */
#define DIAL_MS 6000

static struct {
    gboolean keep;
} port_given;

static const option port_options[] = {
    {"keep", 0, OPTION_FLAG, &port_given.keep, NULL, "add: forward it at every start of the box"},
    {0},
};

/* PID 1 of SELF; 0 when it does not run; -1 with ERROR when it is paused. */
static pid_t find_init(const struct box *self, GError **error)
{
    pid_t pid = box_find_init(self);
    if (!pid || !freeze_is_paused(pid))
        return pid;
    box_set_paused_error(self, error);
    return -1;
}

static int list_ports(const struct command_call *call, GError **error)
{
    const char *argument = call->operands[0];
    g_autoptr(box) self = project_box(argument, PROJECT_EXISTING, error);
    g_autoptr(box_container) now = self ? box_container_inspect(self, call->server, error) : NULL;
    pid_t init = now ? find_init(self, error) : -1;
    g_autoptr(GPtrArray) forwards = init >= 0 ? port_forwards_list(self, init > 0, error) : NULL;
    if (!forwards)
        return -1;
    /* What Podman says, which no box can forge. */
    pid_t pid = init ? now->pid : 0;
    g_autoptr(GPtrArray) found = listeners_find(pid);
    g_autofree char *safe = argument ? text_safe(argument, -1) : NULL;
    port_view view = {.running = init > 0,
                      .shares_host = pid > 0 && listeners_is_host_network(pid),
                      .argument = safe,
                      .forwards = forwards,
                      .listeners = found,
                      .inspect = init ? now->inspect : NULL};
    if (call->json)
        json_print(port_show_json(&view));
    else
        port_show_text(&view);
    return 0;
}

/* "[PROJECT] MAPPING" */
static port_mapping *read_mapping(const struct command_call *call, GError **error)
{
    const char *text = call->operands[g_strv_length(call->operands) - 1];
    g_autoptr(port_mapping) mapping = port_mapping_parse(text);
    g_autofree char *safe = text_safe_max(text, -1, 120);
    if (!mapping)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' must be a port such as 3000, 8080:80 or 192.168.1.5:8080:80", safe);
    else if (mapping->udp)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s': only TCP can be forwarded; [network] ports also publishes UDP", safe);
    else
        return g_steal_pointer(&mapping);
    return NULL;
}

static struct box *port_box(const struct command_call *call, GError **error)
{
    gboolean named = g_strv_length(call->operands) > 1;
    return project_box(named ? call->operands[0] : NULL, PROJECT_EXISTING, error);
}

/* Connects to PORT in the box once. 0, or an errno. */
static int dial(const struct box *self, guint16 port)
{
    g_autofree char *control = g_build_filename(self->runtime, "ctl", NULL);
    int fd = client_connect_begin(control, port);
    if (fd < 0)
        return errno;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int server = -1, why = ETIMEDOUT;
    if (poll(&wait, 1, DIAL_MS) == 1) {
        server = client_connect_end(fd, port);
        why = server < 0 ? errno : 0;
    }
    close(fd);
    if (server >= 0)
        close(server);
    return why;
}

/* *WHY: why nothing answers there yet, an errno; 0: something does, or nothing runs. */
static gboolean check_box(const struct box *self, pid_t init, guint16 port, int *why,
                          GError **error)
{
    *why = 0;
    if (!init && !port_given.keep) {
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_STATE,
            "box '%s' is not running: start it with 'box start', or use --keep to forward the "
            "port at every start",
            self->name);
        return FALSE;
    }
    if (!init)
        return TRUE;
    if (listeners_is_host_network(init)) {
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_STATE,
            "box '%s' has the network of this machine ([network] mode = \"host\"): its ports need "
            "no forward",
            self->name);
        return FALSE;
    }
    *why = dial(self, port);
    if (*why == CLIENT_CONNECT_UNKNOWN) {
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_STATE,
            "box '%s' was started by an older version, which cannot forward ports: run 'box "
            "restart'",
            self->name);
        return FALSE;
    }
    return TRUE;
}

static void print_port(const port_mapping *mapping, pid_t init, gboolean again)
{
    g_autofree char *host = port_mapping_host_side(mapping);
    const char *leads = again ? "leads already" : init ? "leads" : "will lead";
    log_note("%s %s to port %u of the box%s", host, leads, mapping->box_port,
             port_given.keep ? ", whenever that runs" : "");
    if (!port_mapping_is_local(mapping))
        log_warning("%s is visible on the network: others can reach the box's port %u there", host,
                    mapping->box_port);
}

static int add_port(const struct command_call *call, GError **error)
{
    g_autoptr(port_mapping) mapping = read_mapping(call, error);
    g_autoptr(box) self = mapping ? port_box(call, error) : NULL;
    pid_t init = self ? find_init(self, error) : -1;
    gboolean again = FALSE;
    int why;
    if (init < 0 || !check_box(self, init, mapping->box_port, &why, error) ||
        !port_forwards_add(self, init > 0, mapping, port_given.keep, &again, error))
        return -1;
    print_port(mapping, init, again);
    if (why)
        log_note("nothing answers on port %u of the box yet: %s", mapping->box_port,
                 g_strerror(why));
    return 0;
}

typedef struct {
    const port_mapping *mapping;
    gboolean any_ip, any_box; /* not named on the command line */
} forward_selector;

static gboolean is_selected(const port_mapping *one, const void *data)
{
    const forward_selector *selector = data;
    return one->host_port == selector->mapping->host_port &&
           (selector->any_ip || strcmp(one->host_ip, selector->mapping->host_ip) == 0) &&
           (selector->any_box || one->box_port == selector->mapping->box_port);
}

static int remove_forward(const struct command_call *call, GError **error)
{
    g_autoptr(port_mapping) mapping = read_mapping(call, error);
    g_autoptr(box) self = mapping ? port_box(call, error) : NULL;
    pid_t init = self ? find_init(self, error) : -1;
    if (init < 0)
        return -1;
    const char *text = call->operands[g_strv_length(call->operands) - 1];
    const char *colon = strchr(text, ':');
    forward_selector selector = {mapping, !colon || strchr(text, ':') == strrchr(text, ':'),
                                 !colon};
    int count = port_forwards_remove(self, init > 0, is_selected, &selector, error);
    if (count == 0)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
            "port %u of the host is not forwarded to box '%s': 'box port list' shows what is",
            mapping->host_port, self->name);
    return count > 0 ? 0 : -1;
}

static const struct command_verb port_verbs[] = {
    {"list", "[PROJECT]", 0, 1, list_ports, "list forwards, and what listens in the box",
     COMMAND_NEEDS_PODMAN | COMMAND_JSON, COMPLETE_PROJECT},
    {"add",
     "[PROJECT] [[IP:]HOST:]BOX",
     1,
     2,
     add_port,
     "forward a port of this machine to one of the box",
     0,
     COMPLETE_PROJECT,
     {COMPLETE_FREE_TEXT}},
    {"remove",
     "[PROJECT] [[IP:]HOST:]BOX",
     1,
     2,
     remove_forward,
     "end a forward",
     0,
     COMPLETE_PROJECT,
     {COMPLETE_FORWARDS}},
    {0},
};

const struct command command_port = {
    .name = "port",
    .group = GROUP_WORK,
    .verbs = port_verbs,
    .summary = "forward ports of this machine into a running box",
    .details = "A forward ends when the box stops; with --keep it is made again at every start.\n"
               "It listens on 127.0.0.1, which only this machine can reach, unless IP is given.\n"
               "'box port list' also shows what listens in the box and is not forwarded.",
    .options = port_options,
    .flags = COMMAND_VERB_OPTIONAL,
};
