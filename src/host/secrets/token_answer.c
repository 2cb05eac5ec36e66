#include "host/secrets/token_answer.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/secrets/login.h"

#define ERROR_MAX 4096

/* Answers that are waited for: what ends this process (supervise.c) waits for them, too. */
static unsigned waiting;

struct token_flow {
    const held_secret *held;
    char *client;
    bool renews;      /* a refresh token was sent */
    int lock;         /* of the login; -1: it keeps that itself */
    bool without_box; /* it has gone */
    /* The answer: */
    unsigned status; /* 0: its head has not come */
    bool is_coded;   /* it has a content coding */
    struct http_body body;
    secret *content; /* of its LENGTH bytes USED have come */
    gsize used;
};
typedef struct token_flow token_flow;

static void hold_signals(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(how, &set, NULL);
}

void exchange_await_tokens(exchange *self, const held_secret *held, const char *client, bool renews,
                           int lock)
{
    self->tokens = g_new0(token_flow, 1);
    *self->tokens =
        (token_flow){.held = held, .client = g_strdup(client), .renews = renews, .lock = lock};
    if (waiting++ == 0)
        hold_signals(SIG_BLOCK);
}

void exchange_end_tokens(exchange *self)
{
    if (!self->tokens)
        return;
    if (self->tokens->lock >= 0)
        close(self->tokens->lock);
    secret_free(self->tokens->content);
    g_free(self->tokens->client);
    g_clear_pointer(&self->tokens, g_free);
    event_timer_stop(&self->timer);
    if (--waiting == 0)
        hold_signals(SIG_UNBLOCK);
}

bool exchange_outlives_box(exchange *self)
{
    if (!self->tokens)
        return false;
    if (!self->tokens->without_box) {
        tls_line_close(&self->box, true);
        event_watch_close(&self->gate);
        self->box.is_broken = self->box.has_ended = self->tokens->without_box = true;
    }
    return true;
}

/* Nothing of the answer passes. */
static void fail_answer(exchange *self, const char *why)
{
    char text[256];
    snprintf(text, sizeof text, "the answer of the token endpoint %s", why);
    exchange_say(self, "alarm", text);
    exchange_answer(self, 502, text);
    exchange_end_tokens(self);
}

static void finish(exchange *self, unsigned status, const char *text, gsize length)
{
    bool ends = self->tokens->body.kind == BODY_UNTIL_CLOSE;
    exchange_end_tokens(self);
    exchange_write_answer(self, status, "application/json", text, length, ends);
    if (!ends)
        exchange_end_response(self);
}

/* A box must not give the others an account of its own choice. */
static bool is_other_account(const login_tokens *now, const login_tokens *made)
{
    return now->token[TOKEN_ACCESS] &&
           (!now->account || g_strcmp0(now->account, made->account) != 0);
}

static void take_tokens(exchange *self)
{
    token_flow *flow = self->tokens;
    login *of = flow->held->login;
    g_auto(login_tokens) made = {0};
    const char *why = "has a content coding";
    if (!flow->is_coded)
        why = login_tokens_read_answer(&made, (const char *)flow->content->data, flow->used,
                                       time(NULL));
    if (!why && !flow->renews && is_other_account(&of->now, &made))
        why = "is of another account: 'box secret add' again makes room for that";
    if (why) {
        fail_answer(self, why);
        return;
    }
    login_tokens_follow(&made, &of->now);
    if (flow->renews)
        made.spent_until = of->now.spent_until;
    made.client = g_strdup(flow->client);
    g_autofree char *text = login_tokens_answer(&made, &of->maker, time(NULL));
    bool saved = login_save(of, &made, &flow->lock);
    if (!text)
        fail_answer(self, "has a token without room for a phantom");
    else if (!saved)
        fail_answer(self, "cannot be kept on the disk: try again");
    else
        finish(self, 200, text, strlen(text));
}

static bool has_mark(const login_service *of, const char *text, gsize length)
{
    for (const char *const *mark = of->marks; *mark; mark++)
        if (memmem(text, length, *mark, strlen(*mark)))
            return true;
    return false;
}

/* RFC 6749, 5.2, and what OpenAI says of a token that has expired or was used. A box may have sent
 * something else that is wrong. */
static bool refuses_token(unsigned status, const char *text)
{
    return (status == 400 || status == 401) &&
           (strstr(text, "invalid_grant") || strstr(text, "refresh_token_"));
}

/* The refresh token is not good any more: `box secret list` says so. */
static void note_end(token_flow *flow)
{
    login *of = flow->held->login;
    g_auto(login_tokens) ended = {0};
    g_autoptr(secret) text = login_tokens_text(&of->now);
    if (text && login_tokens_parse(&ended, (const char *)text->data, text->length)) {
        ended.has_ended = TRUE;
        login_save(of, &ended, &flow->lock);
    }
}

static void take_error(exchange *self)
{
    token_flow *flow = self->tokens;
    const char *text = (const char *)flow->content->data;
    g_autofree char *copy = g_strndup(text, MIN(flow->used, ERROR_MAX));
    if (flow->is_coded || flow->used > ERROR_MAX ||
        has_mark(flow->held->definition->login, text, flow->used) ||
        login_tokens_are_in(&flow->held->login->now, text, flow->used)) {
        fail_answer(self, "is an error that may hold a token, and is not passed on");
        return;
    }
    if (flow->renews && refuses_token(flow->status, copy))
        note_end(flow);
    finish(self, flow->status, copy, strlen(copy));
}

static void answer_is_whole(exchange *self)
{
    unsigned status = self->tokens->status;
    if (status >= 200 && status < 300)
        take_tokens(self);
    else if (status >= 400 && status < 600)
        take_error(self);
    else
        fail_answer(self, "leads elsewhere");
}

static bool is_coded(const char *head, gsize length)
{
    gsize at = 0;
    struct http_text line, name, value;
    while (http_next_line(head, length, &at, &line))
        if (http_split_field(line, &name, &value) && http_is(name, "Content-Encoding") &&
            !http_is(value, "identity"))
            return true;
    return false;
}

static bool read_head(exchange *self)
{
    struct http_message response;
    const char *why = "";
    token_flow *flow = self->tokens;
    struct byte_queue *in = &self->server.in;
    switch (
        http_read_response((const char *)in->data, in->length, &self->request, &response, &why)) {
    case HEAD_INCOMPLETE:
        return false;
    case HEAD_WRONG:
        fail_answer(self, "is malformed");
        return true;
    case HEAD_COMPLETE:
        break;
    }
    if (response.status >= 200) {
        flow->status = response.status;
        flow->body = response.body;
        flow->is_coded = is_coded((const char *)in->data, response.length);
        flow->content = secret_new(TOKEN_ANSWER_MAX);
    }
    byte_queue_consume(in, response.length);
    return true;
}

static void read_body(exchange *self)
{
    token_flow *flow = self->tokens;
    struct byte_queue *in = &self->server.in;
    bool is_content = false, is_chunk = flow->body.kind != BODY_CHUNKED || flow->body.left > 0;
    ssize_t part = http_body_next(&flow->body, (const char *)in->data, in->length, &is_content);
    if (part < 0) {
        fail_answer(self, "has malformed chunks");
        return;
    }
    if (is_content && is_chunk && (gsize)part > flow->content->length - flow->used) {
        fail_answer(self, "is too long");
        return;
    }
    if (is_content && is_chunk) {
        memcpy(flow->content->data + flow->used, in->data, (gsize)part);
        flow->used += (gsize)part;
    }
    byte_queue_consume(in, (size_t)part);
}

bool exchange_step_token_answer(exchange *self)
{
    if (self->tokens->status == 0) {
        if (!read_head(self))
            return false;
    } else {
        read_body(self);
    }
    if (self->tokens && self->tokens->status > 0 && http_body_has_ended(&self->tokens->body))
        answer_is_whole(self);
    return true;
}

void exchange_end_token_answer(exchange *self)
{
    token_flow *flow = self->tokens;
    if (flow->status > 0 && flow->body.kind == BODY_UNTIL_CLOSE && self->server.has_ended &&
        !self->server.was_cut)
        answer_is_whole(self);
    else
        fail_answer(self, "ends too early");
}
