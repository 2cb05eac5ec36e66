/* Requests to token endpoints: a box gets phantoms, and the tokens of all its user's boxes are one
 * box's to renew at a time. */
#include "host/secrets/exchange_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/secrets/login.h"
#include "host/secrets/token_answer.h"
#include "host/secrets/token_request.h"

/* Between tries to get the lock, and for how long. */
#define LOCK_AGAIN_MS 20
#define LOCK_WAIT_MS 60000
/* Until the answer must be there. */
#define ANSWER_MS 60000

/* The login of the server: a base URL of another secret leads there, too, and tokens would come
 * back through it. */
static const held_secret *login_of_server(const exchange *self)
{
    const service *real = services_find(self->service->server, self->service->server_port);
    return real ? service_login(real) : NULL;
}

/* An API answers with what its user has written, too. */
const char *const *exchange_marks(const exchange *self)
{
    const held_secret *held = login_of_server(self);
    const login_service *of = held ? held->definition->login : NULL;
    return of && login_service_has(of, self->service->server, LOGIN_TOKENS) &&
                   !login_service_has(of, self->service->server, LOGIN_API)
               ? of->marks
               : NULL;
}

enum login_place exchange_place(const exchange *self)
{
    const service *to = self->service;
    const held_secret *held = login_of_server(self);
    if (!held)
        return LOGIN_ELSEWHERE;
    enum login_place place =
        login_service_place(held->definition->login, to->server, &self->request);
    gboolean is_base_url = to->host != NULL;
    return is_base_url && place != LOGIN_ELSEWHERE && place != LOGIN_API ? LOGIN_AMBIGUOUS : place;
}

/* Answers of ours. */

/* RFC 6749, 5.2. */
static void answer_error(exchange *self, unsigned status, const char *code, const char *why)
{
    char text[512];
    snprintf(text, sizeof text, "{\"error\":\"%s\",\"error_description\":\"Litterbox: %s\"}\n",
             code, why);
    exchange_say(self, "refused", why);
    exchange_write_answer(self, status, "application/json", text, strlen(text), true);
}

static void answer_kept(exchange *self, const held_secret *held, const char *why)
{
    login *of = held->login;
    g_autofree char *text = login_tokens_answer(&of->now, &of->maker, time(NULL));
    exchange_say(self, "login", why);
    if (text)
        exchange_write_answer(self, 200, "application/json", text, strlen(text), true);
    else
        exchange_answer(self, 502, "a token that is kept has no room for a phantom");
}

/* Requests. */

/* The head of the box's request, for a body of SIZE bytes: as a server reads it by its Content-Type
 * alone, at the endpoint and without a query. Authorization is left out: it could name another
 * client than the body does, and a client that users run has no password. */
static GByteArray *make_head(const exchange *self, const token_request *request, gsize size)
{
    static const char *const own[] = {"Content-Length", "Content-Type", "Content-Encoding",
                                      "Expect", "Authorization"};
    const char *head = (const char *)self->box.in.data;
    struct http_text line, name, value;
    gsize at = 0;
    g_autoptr(GString) text = g_string_new("POST ");
    gsize path = strcspn(head + strlen("POST "), "? ");
    g_string_append_len(text, head + strlen("POST "), (gssize)path);
    g_string_append_printf(text, " HTTP/1.1\r\nContent-Type: %s\r\nContent-Length: %zu\r\n",
                           token_request_type(request), size);
    http_next_line(head, self->request.length, &at, &line);
    while (http_next_line(head, self->request.length, &at, &line) && line.length > 0) {
        gboolean is_own = !http_split_field(line, &name, &value);
        for (gsize i = 0; i < G_N_ELEMENTS(own) && !is_own; i++)
            is_own = http_is(name, own[i]);
        if (!is_own)
            g_string_append_printf(text, "%.*s\r\n", (int)line.length, line.text);
    }
    g_string_append(text, "\r\n");
    return g_bytes_unref_to_array(g_string_free_to_bytes(g_steal_pointer(&text)));
}

/* Takes LOCK. */
static void send_request(exchange *self, const held_secret *held, token_request *request, int lock)
{
    const login_tokens *now = &held->login->now;
    bool renews = request->grant == GRANT_REFRESH;
    g_autofree char *scope = renews ? login_tokens_scope(now) : NULL;
    g_autoptr(secret) body =
        token_request_write(request, renews ? now->token[TOKEN_REFRESH] : NULL, scope);
    g_autoptr(GByteArray) head = make_head(self, request, body->length);
    exchange_await_tokens(self, held, token_request_client(request), renews, lock);
    byte_queue_consume(&self->box.in, self->request.length + (gsize)self->request.body.left);
    exchange_release_body(self);
    self->request.asks_upgrade = false;
    self->request_body = (struct http_body){0};
    if (!exchange_pass_head(self, (const char *)head->data, head->len, &(request_signature){0})) {
        exchange_end_tokens(self);
        return;
    }
    exchange_pass_to_server(self, body->data, body->length);
    exchange_say(self, "login", renews ? "the tokens are renewed" : "a box logs in");
    self->used = held;
    event_timer_set(&self->timer, ANSWER_MS);
}

/* A refresh token is good for the client that has got it (RFC 6749, 10.4): what a server says to
 * another one could pass for the end of the login. */
static bool is_other_client(const login_tokens *now, const token_request *request)
{
    return now->client && strcmp(now->client, token_request_client(request)) != 0;
}

/*
 * GENERATION: of the box's refresh token. One that is not of the tokens that are kept, such as that
 * of a box from which this one was cloned, is taken for an old one: the box may use the login.
 * Takes LOCK.
 */
static void refresh(exchange *self, const held_secret *held, token_request *request,
                    guint32 generation, int lock)
{
    login_tokens *now = &held->login->now;
    bool is_old = generation != now->generation, is_foreign = is_other_client(now, request);
    bool is_good = now->token[TOKEN_ACCESS] && login_tokens_are_fresh(now, time(NULL));
    bool is_renewed = !(is_old && is_good) && !is_foreign && now->token[TOKEN_REFRESH];
    if (is_renewed && login_tokens_may_renew(now, time(NULL))) {
        send_request(self, held, request, lock);
        return;
    }
    close(lock);
    if (is_good && (is_old || is_renewed))
        answer_kept(self, held,
                    is_old ? "the box gets what another one has got"
                           : "the box gets what it has: it has the tokens renewed too often");
    else if (is_foreign)
        answer_error(self, 403, "invalid_client",
                     "its client_id is not that of the login: log in again");
    else if (is_renewed)
        answer_error(self, 429, "temporarily_unavailable",
                     "boxes have these tokens renewed too often: try again in a minute");
    else
        answer_error(self, 400, "invalid_grant", "nobody is logged in any more: log in");
}

static void log_in(exchange *self, const held_secret *held, token_request *request, int lock)
{
    if (!request->is_long || !held->login->now.token[TOKEN_ACCESS]) {
        send_request(self, held, request, lock);
        return;
    }
    close(lock);
    answer_error(self, 400, "invalid_request",
                 "boxes share a login, which a long token would take the place of");
}

static guint32 read_generation(const held_secret *held, const token_request *request)
{
    enum login_token which = TOKEN_ACCESS;
    guint32 generation = 0;
    const char *token = token_request_token(request);
    gboolean is_ours =
        token && phantom_read(&held->login->maker, token, strlen(token), &which, &generation);
    return is_ours && which == TOKEN_REFRESH ? generation : 0;
}

/* FALSE: it waits for the lock. */
static bool decide(exchange *self, const held_secret *held, token_request *request)
{
    if (request->grant == GRANT_OTHER) {
        answer_error(self, 400, "unsupported_grant_type", "boxes get no other tokens or keys");
        return true;
    }
    int lock = login_lock(held->login);
    if (lock < 0 && errno == EWOULDBLOCK) {
        if (!self->waits_for_lock) {
            exchange_say(self, "login", "the box waits for another one");
            event_timer_set(&self->timer, LOCK_WAIT_MS);
        }
        self->waits_for_lock = true;
        event_timer_set(&self->again, LOCK_AGAIN_MS);
        return false;
    }
    self->waits_for_lock = false;
    if (lock < 0)
        exchange_answer(self, 502,
                        errno == EIO ? "its stored login is damaged: 'box secret add' begins anew"
                                     : "the lock of its login cannot be taken");
    else if (request->grant == GRANT_REFRESH)
        refresh(self, held, request, read_generation(held, request), lock);
    else
        log_in(self, held, request, lock);
    return true;
}

void exchange_end_wait(exchange *self)
{
    self->waits_for_lock = false;
    event_timer_stop(&self->again);
    answer_error(self, 503, "temporarily_unavailable",
                 "another box has held the lock of this login for a minute: try again");
}

static bool step_tokens(exchange *self)
{
    const held_secret *held = service_login(self->service);
    if (!http_is(self->request.method, "POST")) {
        exchange_answer(self, 405, "tokens are got by POST alone");
        return true;
    }
    size_t before = self->held;
    enum signing state =
        exchange_hold_body(self, TOKEN_REQUEST_MAX, "a request for tokens needs a Content-Length",
                           "a request for tokens has at most 64 KiB");
    if (state != SIGNING_READY)
        return state != SIGNING_WAITS || self->held != before;
    g_auto(token_request) request = {0};
    const char *body = (const char *)self->box.in.data + self->request.length;
    const char *why = token_request_read(&request, body, (gsize)self->request.body.left);
    if (!why)
        return decide(self, held, &request);
    answer_error(self, 400, "invalid_request", why);
    return true;
}

bool exchange_step_login(exchange *self, enum login_place place)
{
    if (place == LOGIN_TOKENS)
        return step_tokens(self);
    if (place == LOGIN_REVOKES) {
        exchange_say(self, "login", "a box logs out: the login of the other boxes stays");
        exchange_write_answer(self, 200, "application/json", "{}", strlen("{}"), true);
    } else if (place == LOGIN_MAKES_KEY) {
        exchange_answer(self, 403, "it asks for a key that would stay in the box");
    } else {
        exchange_answer(self, 403, "its path could be read as that of a token endpoint");
    }
    return true;
}
