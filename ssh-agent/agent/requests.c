/* The kinds of requests that a box may make, with a handler each. All others are refused. */
#include "ssh-agent/agent/client.h"

#include <time.h>

#include "common/text.h"
#include "ssh-agent/agent/key_offer.h"
#include "ssh-agent/agent/sign.h"

/* Processor time, in microseconds a second, that the session binds of one box may take: a quarter
 * of a processor. A bind takes 100 µs with a usual key. */
#define BIND_TIME_MAX 250000

static void answer_keys(client *self, const GPtrArray *keys)
{
    struct ssh_writer answer = {0};
    g_autofree struct ssh_identity *list = g_new0(struct ssh_identity, keys->len + 1);
    for (guint i = 0; i < keys->len; i++) {
        const keyring_key *each = keys->pdata[i];
        list[i].blob.data = g_bytes_get_data(each->blob, &list[i].blob.length);
        list[i].comment = ssh_span_text(each->label);
    }
    ssh_agent_write_identities(&answer, list, keys->len);
    client_answer(self, &answer);
    ssh_writer_clear(&answer);
}

/* Without keys the answer is an empty list, not a failure, as programs then try other keys. */
static void list(client *self, const struct ssh_request *request, struct ssh_span message)
{
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    agent *daemon = self->box->agent;
    enum question_refusal refusal =
        pending_questions_check(daemon->questions, self->box->name, agent_now());
    gboolean empty = daemon->locked || refusal == QUESTION_REFUSAL_MUTED ||
                     (self->box->keys->len == 0 && self->box->attached->len == 0);
    if (!empty) {
        keyring_fetch(self, answer_keys);
        return;
    }
    if (!daemon->locked && refusal == QUESTION_REFUSAL_NONE && self->box->keys->len == 0)
        key_offer_begin(self->box, self->pid);
    answer_keys(self, none);
}

static void sign(client *self, const struct ssh_request *request, struct ssh_span message)
{
    sign_begin(self, request, message);
}

static gint64 processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* Each bind costs the verification of a signature, by a key that the box may have chosen to be
 * slow, in the thread that serves the other boxes as well. */
static gboolean is_flooding(agent_box *box)
{
    gint64 now = agent_now();
    if (now - box->bind_second >= G_USEC_PER_SEC) {
        box->bind_second = now;
        box->bind_time = 0;
    }
    return box->bind_time > BIND_TIME_MAX;
}

static void bind(client *self, const struct ssh_request *request, struct ssh_span message)
{
    struct ssh_writer answer = {0}, frame = {0};
    if (is_flooding(self->box)) {
        sign_log_refusal(self, "session-bind", "too many a second");
        client_close(self);
        return;
    }
    gint64 start = processor_time();
    enum ssh_bind_result result = ssh_bindings_add(&self->bindings, request->contents);
    self->box->bind_time += processor_time() - start;
    if (result == SSH_BIND_OK) {
        ssh_agent_write_message(&frame, message);
        struct ssh_span span = ssh_writer_span(&frame);
        g_ptr_array_add(self->binds, g_bytes_new(span.data, span.length));
        upstream_bound(self->upstream);
    }
    if (result == SSH_BIND_OK || result == SSH_BIND_DUPLICATE) {
        ssh_agent_write_success(&answer);
    } else {
        sign_log_refusal(self, "session-bind", ssh_bind_result_text(result));
        ssh_agent_write_extension_failure(&answer);
    }
    client_answer(self, &answer);
    ssh_writer_clear(&frame);
    ssh_writer_clear(&answer);
}

static void query(client *self, const struct ssh_request *request, struct ssh_span message)
{
    struct ssh_writer answer = {0};
    ssh_agent_write_query_response(&answer);
    client_answer(self, &answer);
    ssh_writer_clear(&answer);
}

static void refuse(client *self, const struct ssh_request *request, struct ssh_span message)
{
    g_autofree char *name =
        text_quoted((const char *)request->extension.data, (gssize)request->extension.length, 64);
    g_autofree char *what = request->type == SSH_AGENTC_EXTENSION && request->extension.length > 0
                                ? g_strdup_printf("extension %s", name)
                                : g_strdup_printf("request %u", request->type);
    sign_log_refusal(self, what, request->malformed ? "malformed" : "not for boxes");
    client_fail(self);
}

typedef void (*handler)(client *self, const struct ssh_request *request, struct ssh_span message);

static const handler handlers[] = {
    [SSH_REQUEST_REFUSED] = refuse, [SSH_REQUEST_LIST] = list,   [SSH_REQUEST_SIGN] = sign,
    [SSH_REQUEST_BIND] = bind,      [SSH_REQUEST_QUERY] = query,
};

void request_begin(client *self, struct ssh_span message)
{
    struct ssh_request request;
    ssh_request_parse(&request, message);
    handlers[request.kind](self, &request, message);
}

void request_cancel(client *self)
{
    sign_cancel(self);
}
