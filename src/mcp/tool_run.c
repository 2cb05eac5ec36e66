#include "mcp/tools.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "box/exec/output_pieces.h"
#include "common/text.h"
#include "mcp/refused_hosts.h"
#include "mcp/run_plan.h"
#include "mcp/tool.h"
#include "proto/session.h"

/* Bytes of a command in a list. */
#define COMMAND_SHOWN 120
/* From the end of a command until what its box's gate has refused is in the log, which another
 * process writes. Where nothing is there by then it may come later: this machine can be busy. */
#define REFUSAL_MS 100
#define REFUSAL_MAX_MS 500

/* A command that outlives its call. Whoever has the handle may read its output. */
struct background {
    struct tool_host *host;
    char *handle;  /* not to be guessed */
    char *command; /* for people */
    char *runtime; /* folder of its box */
    guint64 timeout_ms;
    struct box_process process;
    output_pieces *pieces; /* what was not asked for yet */
    gboolean has_ended;
    struct call *waiter; /* a call that waits for output, or for the end with STOPS */
    gboolean stops;
    struct event_timer patience; /* of WAITER */
};

static void background_free(gpointer data)
{
    struct background *self = data;
    event_timer_stop(&self->patience);
    box_process_abort(&self->process);
    output_pieces_free(self->pieces);
    g_free(self->handle);
    g_free(self->command);
    g_free(self->runtime);
    g_free(self);
}

/* Why a command did not end well; a new string, NULL: it did. */
static char *describe_end(const struct session_child_report *said, guint64 timeout_ms)
{
    const struct client_result *result = &said->result;
    if (result->outcome == CLIENT_FAILED && result->failure.stage == SESSION_STAGE_EXEC)
        return result->failure.error == ENOENT
                   ? g_strdup("the program is not in this box: install it, or use another one")
                   : g_strdup_printf("the program cannot be run: %s",
                                     g_strerror(result->failure.error));
    if (result->outcome == CLIENT_EXITED && result->reason == SESSION_TIMED_OUT)
        return g_strdup_printf("ended after its 'timeout' of %g s, with all that it had started",
                               (double)timeout_ms / 1000);
    if (result->reason == SESSION_SIGNALLED && result->status == 128 + SIGKILL)
        return g_strdup("killed by SIGKILL; a box that is out of memory does that ([limits] memory "
                        "in litterbox.toml)");
    if (result->reason == SESSION_SIGNALLED)
        return g_strdup_printf("ended by signal %d", result->status - 128);
    return said->status ? g_strdup_printf("exit status %d", said->status) : NULL;
}

/* The same, with what the network of its box has refused it: words that help. */
static char *find_problem(const struct call *call, const struct box_process *process,
                          const char *runtime, guint64 timeout_ms)
{
    g_autofree char *end = describe_end(&process->said, timeout_ms);
    g_autofree char *refused =
        end ? refused_hosts_describe(call->host->box->name, runtime, process->began) : NULL;
    return refused ? g_strdup_printf("%s; %s", end, refused) : g_steal_pointer(&end);
}

/* The log lacks what the box's gate has refused it, if there is anything, and it may still come. */
static gboolean refusal_may_come(const struct call *call, const struct box_process *process,
                                 const char *runtime)
{
    gint64 ended = process->started + (gint64)(process->duration * G_USEC_PER_SEC);
    if (process->said.status <= 0 || !refused_hosts_may_be(runtime) ||
        g_get_monotonic_time() >= ended + REFUSAL_MAX_MS * 1000)
        return FALSE;
    g_autofree char *refused =
        refused_hosts_describe(call->host->box->name, runtime, process->began);
    return !refused;
}

static json_t *state_json(const struct session_child_report *said, double duration,
                          const output_pieces *pieces, const char *handle, gboolean running,
                          const char *problem)
{
    int status = running ? -1 : said->status;
    json_t *state = session_json(status, &said->result, duration, pieces, TRUE);
    json_object_set_new(state, "running", json_boolean(running));
    json_object_set_new(state, "handle", running && handle ? json_string(handle) : json_null());
    json_object_set_new(state, "problem", problem ? json_string(problem) : json_null());
    return state;
}

static void answer_run(struct event_timer *timer)
{
    struct call *call = timer->owner;
    const struct session_child_report *said = &call->process.said;
    if (refusal_may_come(call, &call->process, call->data)) {
        event_timer_set(timer, REFUSAL_MS);
        return;
    }
    g_autofree char *problem =
        find_problem(call, &call->process, call->data, run_plan_timeout(call, FALSE));
    call_answer(call, state_json(said, call->process.duration, call->pieces, NULL, FALSE, problem),
                problem != NULL);
}

static void run_finished(struct call *call)
{
    const struct session_child_report *said = &call->process.said;
    call->later = (struct event_timer){.expired = answer_run, .owner = call};
    if (said->status < 0)
        call_fail(call, "%s", said->message);
    else if (said->status && refused_hosts_may_be(call->data))
        event_timer_set(&call->later, REFUSAL_MS);
    else
        answer_run(&call->later);
}

static struct background *find_background(const struct tool_host *host, const char *handle)
{
    for (guint i = 0; i < host->background->len; i++) {
        struct background *one = host->background->pdata[i];
        if (strcmp(one->handle, handle) == 0)
            return one;
    }
    return NULL;
}

static json_t *background_state(struct background *self, const char *problem)
{
    double duration =
        self->has_ended ? self->process.duration
                        : (double)(g_get_monotonic_time() - self->process.started) / G_USEC_PER_SEC;
    json_t *state = state_json(&self->process.said, duration, self->pieces, self->handle,
                               !self->has_ended, problem);
    output_pieces_clear(self->pieces);
    return state;
}

/* Answers who waits. After its end the command is forgotten, and SELF is freed. */
static void answer_waiter(struct background *self)
{
    struct call *call = self->waiter;
    self->waiter = NULL;
    event_timer_stop(&self->patience);
    const struct session_child_report *said = &self->process.said;
    gboolean failed = self->has_ended && said->status < 0;
    g_autofree char *problem =
        failed            ? g_strdup(said->message)
        : self->has_ended ? find_problem(call, &self->process, self->runtime, self->timeout_ms)
                          : NULL;
    json_t *state = background_state(self, problem);
    gboolean is_error = problem && !self->stops;
    if (self->has_ended)
        g_ptr_array_remove(self->host->background, self);
    call->dropped = NULL;
    call_answer(call, state, is_error);
}

static void waiter_dropped(struct call *call)
{
    struct background *self = call->data;
    event_timer_stop(&self->patience);
    self->waiter = NULL;
    self->stops = FALSE;
}

static void waited(struct event_timer *timer)
{
    struct background *self = timer->owner;
    if (self->has_ended && refusal_may_come(self->waiter, &self->process, self->runtime))
        event_timer_set(timer, REFUSAL_MS);
    else
        answer_waiter(self);
}

static void await(struct background *self, struct call *call)
{
    self->waiter = call;
    call->data = self;
    call->dropped = waiter_dropped;
}

static void background_output(struct box_process *process, int fd, const char *bytes, gsize length)
{
    struct background *self = process->owner;
    output_pieces_add(self->pieces, fd, bytes, length);
    /* At the end of this turn there may be more. */
    if (self->waiter && !self->stops)
        event_timer_set(&self->patience, 1);
}

static void background_ended(struct box_process *process)
{
    struct background *self = process->owner;
    self->has_ended = TRUE;
    if (self->waiter && process->said.status && refused_hosts_may_be(self->runtime))
        event_timer_set(&self->patience, REFUSAL_MS);
    else if (self->waiter)
        answer_waiter(self);
}

/* Forgets the oldest command that has ended and was not asked for. FALSE: all are running. */
static gboolean make_room(struct tool_host *host)
{
    for (guint i = 0; i < host->background->len && host->background->len >= BACKGROUND_MAX; i++) {
        struct background *one = host->background->pdata[i];
        /* A call that waits for it is about to be answered. */
        if (one->has_ended && !one->waiter)
            g_ptr_array_remove_index(host->background, i--);
    }
    return host->background->len < BACKGROUND_MAX;
}

static void start_background(struct call *call, const run_plan *plan)
{
    g_autoptr(GError) error = NULL;
    struct tool_host *host = call->host;
    if (!make_room(host)) {
        call_fail(call, "%d commands are in the background already: 'stop' one", BACKGROUND_MAX);
        return;
    }
    struct background *self = g_new0(struct background, 1);
    self->host = host;
    self->handle = g_uuid_string_random();
    self->command = text_safe_max(plan->code ? plan->input : plan->shell[2], -1, COMMAND_SHOWN);
    self->runtime = g_strdup(run_plan_box(plan, call)->runtime);
    self->timeout_ms = plan->options.timeout_ms;
    self->pieces = output_pieces_new((gsize)tool_number(call->tool, call->arguments, "max_output"));
    self->patience = (struct event_timer){.expired = waited, .owner = self};
    self->process =
        (struct box_process){.output = background_output, .ended = background_ended, .owner = self};
    g_ptr_array_add(host->background, self);
    if (box_process_start(&self->process, run_plan_box(plan, call), &plan->options, plan->input,
                          plan->input ? strlen(plan->input) : 0, &error)) {
        call_answer(call, background_state(self, NULL), FALSE);
        return;
    }
    g_ptr_array_remove(host->background, self);
    call_fail(call, "%s", error->message);
}

void tool_run_start(struct call *call)
{
    g_auto(run_plan) plan = {0};
    gboolean background = tool_flag(call->arguments, "background");
    if (!run_plan_make(&plan, call, background))
        return;
    if (background) {
        start_background(call, &plan);
        return;
    }
    call->pieces = output_pieces_new((gsize)tool_number(call->tool, call->arguments, "max_output"));
    call->data = g_strdup(run_plan_box(&plan, call)->runtime);
    call->data_free = g_free;
    call_run(call, run_plan_box(&plan, call), &plan.options, plan.input,
             plan.input ? strlen(plan.input) : 0, run_finished);
}

/* The command that CALL has the handle of; NULL: the call has failed. */
static struct background *find_named(struct call *call)
{
    struct background *self = find_background(call->host, tool_text(call->arguments, "handle"));
    if (!self)
        call_fail(call, "unknown handle: this server has started no such command, or has told its "
                        "end already; 'status' lists those that there are");
    else if (self->waiter)
        call_fail(call, "another call waits for this command already");
    else
        return self;
    return NULL;
}

void tool_output_start(struct call *call)
{
    struct background *self = find_named(call);
    if (!self)
        return;
    double wait = tool_number(call->tool, call->arguments, "wait");
    await(self, call);
    if (self->has_ended)
        waited(&self->patience);
    else if (wait <= 0 || output_pieces_length(self->pieces) > 0)
        answer_waiter(self);
    else
        event_timer_set(&self->patience, (int64_t)(wait * 1000));
}

void tool_stop_start(struct call *call)
{
    struct background *self = find_named(call);
    if (!self)
        return;
    await(self, call);
    self->stops = TRUE;
    if (self->has_ended)
        answer_waiter(self);
    else
        box_process_stop(&self->process);
}

json_t *background_json(const struct tool_host *host)
{
    json_t *list = json_array();
    for (guint i = 0; i < host->background->len; i++) {
        const struct background *one = host->background->pdata[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "handle", one->handle, "command",
                                              one->command, "running", !one->has_ended));
    }
    return list;
}

GPtrArray *background_list_new(void)
{
    return g_ptr_array_new_with_free_func(background_free);
}
