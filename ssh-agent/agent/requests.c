/* One handler for each kind of request that a box may make; all other requests are refused. */
#include <time.h>

#include "common/text.h"
#include "ssh-agent/agent/choose.h"
#include "ssh-agent/agent/keyring.h"
#include "ssh-agent/agent/sign.h"

/* Of one box, microseconds of our processor's time in a second of the clock's. A bind takes a tenth
 * of a millisecond with a usual key. */
#define BINDS_COST_MAX 250000

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

/* An empty list, not a failure, when there is nothing to see: programs then try other ways. */
static void list(client *self, const struct ssh_request *request, struct ssh_span message)
{
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    agent *daemon = self->box->agent;
    const char *refusal = questions_refusal(daemon->questions, self->box->name, agent_now());
    gboolean quiet = daemon->locked || g_strcmp0(refusal, "muted") == 0 ||
                     (self->box->keys->len == 0 && self->box->attached->len == 0);
    if (!quiet) {
        keyring_fetch(self, answer_keys);
        return;
    }
    if (!daemon->locked && !refusal && self->box->keys->len == 0)
        choose_offer(self->box, self->pid);
    answer_keys(self, none);
}

static void sign(client *self, const struct ssh_request *request, struct ssh_span message)
{
    sign_begin(self, request, message);
}

static gint64 spent(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* Each costs the verification of a signature by a key that the box may have made to be slow, and
 * we serve the other boxes in the same thread. */
static gboolean is_flood_of_binds(agent_box *box)
{
    gint64 now = agent_now();
    if (now - box->binds_since >= G_USEC_PER_SEC) {
        box->binds_since = now;
        box->binds_cost = 0;
    }
    return box->binds_cost > BINDS_COST_MAX;
}

static void bind(client *self, const struct ssh_request *request, struct ssh_span message)
{
    struct ssh_writer answer = {0}, frame = {0};
    if (is_flood_of_binds(self->box)) {
        sign_log_refusal(self, "session-bind", "too many a second");
        client_close(self);
        return;
    }
    gint64 begun = spent();
    enum ssh_bind_result result = ssh_bindings_add(&self->bindings, request->contents);
    self->box->binds_cost += spent() - begun;
    if (result == SSH_BIND_OK) {
        ssh_agent_write_message(&frame, message);
        struct ssh_span span = ssh_writer_span(&frame);
        g_ptr_array_add(self->binds, g_bytes_new(span.data, span.length));
        upstream_bound(self->upstream);
    }
    if (result == SSH_BIND_OK || result == SSH_BIND_AGAIN) {
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
    ssh_agent_write_query(&answer);
    client_answer(self, &answer);
    ssh_writer_clear(&answer);
}

static void refuse(client *self, const struct ssh_request *request, struct ssh_span message)
{
    g_autofree char *name =
        text_quoted((const char *)request->extension.data, (gssize)request->extension.length, 64);
    g_autofree char *what = request->type == SSH_AGENT_EXTENSION && request->extension.length > 0
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
