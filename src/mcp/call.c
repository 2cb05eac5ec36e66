#include "mcp/call.h"

#include <stdarg.h>
#include <string.h>

#include "mcp/message.h"

#define PROGRESS_MS 1000
/* Of what a process says on standard error, however little output of it is wanted: why it failed.
 */
#define SAID_MAX ((gsize)64 << 10)

static void call_free(struct call *self)
{
    if (self->data_free)
        self->data_free(self->data);
    event_timer_stop(&self->progress);
    event_timer_stop(&self->later);
    box_process_abort(&self->process);
    g_clear_pointer(&self->pieces, output_pieces_free);
    for (int i = 0; i < 2; i++) {
        if (self->text[i])
            g_string_free(self->text[i], TRUE);
    }
    json_decref(self->id);
    json_decref(self->arguments);
    json_decref(self->token);
    g_free(self);
}

static void drop(struct call *self)
{
    if (self->dropped)
        self->dropped(self);
    g_ptr_array_remove(self->host->calls, self);
    call_free(self);
}

/* Progress is what the call has taken: its end is not known. */
static void tell_progress(struct event_timer *timer)
{
    struct call *self = timer->owner;
    double seconds = (double)(g_get_monotonic_time() - self->started) / G_USEC_PER_SEC;
    guint64 bytes = self->pieces ? output_pieces_length(self->pieces) : 0;
    json_t *params = json_pack("{s:O, s:f}", "progressToken", self->token, "progress", seconds);
    json_object_set_new(
        params, "message",
        json_sprintf("running for %.0f s, %" G_GUINT64_FORMAT " bytes of output", seconds, bytes));
    event_timer_set(&self->progress, PROGRESS_MS);
    self->host->send(message_notification("notifications/progress", params));
}

static struct call *find(const struct tool_host *host, json_t *id)
{
    for (guint i = 0; i < host->calls->len; i++) {
        struct call *one = host->calls->pdata[i];
        if (json_equal(one->id, id))
            return one;
    }
    return NULL;
}

gboolean call_is_open(const struct tool_host *host, json_t *id)
{
    return find(host, id) != NULL;
}

void call_start(struct tool_host *host, const tool *self, json_t *id, json_t *arguments,
                json_t *token, gboolean modern)
{
    struct call *call = g_new0(struct call, 1);
    *call = (struct call){.host = host,
                          .tool = self,
                          .id = json_incref(id),
                          .arguments = arguments ? json_incref(arguments) : json_object(),
                          .token = json_incref(token),
                          .modern = modern,
                          .started = g_get_monotonic_time()};
    gboolean is_full = host->calls->len >= CALLS_MAX;
    g_ptr_array_add(host->calls, call);
    g_autofree char *wrong = tool_check(self->fields, call->arguments);
    if (is_full) {
        call_fail(call, "%d calls are running already: wait for one to end", CALLS_MAX);
        return;
    }
    if (wrong) {
        call_fail(call, "%s", wrong);
        return;
    }
    call->progress = (struct event_timer){.expired = tell_progress, .owner = call};
    if (token)
        event_timer_set(&call->progress, PROGRESS_MS);
    self->start(call);
}

void call_cancel(struct tool_host *host, json_t *id)
{
    struct call *self = find(host, id);
    if (self)
        drop(self);
}

void calls_clear(struct tool_host *host)
{
    while (host->calls->len)
        drop(host->calls->pdata[0]);
}

static void collect(struct box_process *process, int fd, const char *bytes, gsize length)
{
    struct call *self = process->owner;
    GString *text = self->text[fd - 1];
    gsize most = fd == 2 ? SAID_MAX : self->text_max;
    if (self->pieces)
        output_pieces_add(self->pieces, fd, bytes, length);
    else if (text->len <= most)
        g_string_append_len(text, bytes, (gssize)MIN(length, most + 1 - text->len));
}

static void process_ended(struct box_process *process)
{
    struct call *self = process->owner;
    self->finish(self);
}

/* A call may run one process after another. */
static void expect_process(struct call *self, void (*finish)(struct call *self))
{
    for (int i = 0; i < 2 && !self->pieces; i++) {
        if (!self->text[i])
            self->text[i] = g_string_new(NULL);
        g_string_truncate(self->text[i], 0);
    }
    self->finish = finish;
    self->process = (struct box_process){.output = collect, .ended = process_ended, .owner = self};
}

void call_run(struct call *self, struct box *in_box, const session_options *options,
              const char *input, gsize length, void (*finish)(struct call *self))
{
    g_autoptr(GError) error = NULL;
    expect_process(self, finish);
    if (!box_process_start(&self->process, in_box, options, input, length, &error))
        call_fail(self, "%s", error->message);
}

void call_run_program(struct call *self, char *const *argv, guint64 limit_ms,
                      void (*finish)(struct call *self))
{
    g_autoptr(GError) error = NULL;
    expect_process(self, finish);
    if (!box_process_start_program(&self->process, argv, limit_ms, &error))
        call_fail(self, "%s", error->message);
}

/* The result of a tool, as both generations of the protocol have it; takes STRUCTURED (NULL: none).
 */
static json_t *call_result(gboolean modern, json_t *structured, const char *text, gboolean is_error)
{
    json_t *result = json_pack("{s:[{s:s, s:s}], s:b}", "content", "type", "text", "text", text,
                               "isError", is_error);
    if (structured)
        json_object_set_new(result, "structuredContent", structured);
    return modern ? protocol_complete(result) : result;
}

static void answer_call(struct call *self, json_t *result)
{
    json_t *id = json_incref(self->id), *answered = message_result(id, result);
    gboolean modern = self->modern;
    gboolean (*send)(json_t *) = self->host->send;
    g_ptr_array_remove(self->host->calls, self);
    call_free(self);
    if (!send(answered))
        send(message_result(id, call_result(modern, NULL,
                                            "there is no room for its result: read those of the "
                                            "other calls first",
                                            TRUE)));
    json_decref(id);
}

void call_answer(struct call *self, json_t *structured, gboolean is_error)
{
    char *text = json_dumps(structured, JSON_COMPACT | JSON_REAL_PRECISION(15));
    answer_call(self, call_result(self->modern, structured, text ? text : "", is_error));
    free(text);
}

void call_fail(struct call *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    answer_call(self, call_result(self->modern, NULL, text, TRUE));
}
