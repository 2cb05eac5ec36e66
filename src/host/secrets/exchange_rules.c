/* What holds for the requests of a box, whatever speaks them. */
#include <stdio.h>
#include <string.h>

#include "host/secrets/exchange_parts.h"
#include "host/secrets/login.h"
#include "host/secrets/ranges.h"

bool exchange_searches_init(struct value_search **strays, response_guard *guard,
                            const char *const *marks)
{
    const GPtrArray *all = services_secrets();
    bool done = response_guard_init(guard, all, marks);
    *strays = g_new0(struct value_search, all->len);
    for (guint i = 0; i < all->len; i++) {
        const held_secret *held = all->pdata[i];
        done &= value_search_init(&(*strays)[i], held->placeholder, strlen(held->placeholder),
                                  false) == 0;
    }
    return done;
}

void exchange_searches_clear(struct value_search **strays, response_guard *guard)
{
    response_guard_clear(guard);
    for (guint i = 0; *strays && i < services_secrets()->len; i++)
        value_search_clear(&(*strays)[i]);
    g_clear_pointer(strays, g_free);
}

/* The user hears of it (host/supervisor/alarm.h). */
static void warn_of_stray(exchange *self, const held_secret *stray, const char *where)
{
    char text[128];
    snprintf(text, sizeof text, "the placeholder of secret '%s' %s", stray->definition->name,
             where);
    exchange_say(self, "alarm", text);
    self->has_warned = true;
}

/*
 * A placeholder in a body is worth nothing and passes: an agent that has printed its environment
 * sends that to its model with every further request, and could not go on.
 */
void exchange_look_for_strays(exchange *self, struct value_search *strays, const void *data,
                              size_t size)
{
    const GPtrArray *all = services_secrets();
    for (guint i = 0; i < all->len && !self->has_warned; i++) {
        const held_secret *held = all->pdata[i];
        if (!g_ptr_array_find(self->service->here, held, NULL) &&
            value_search_feed(&strays[i], data, size))
            warn_of_stray(self, held, "is in a body");
    }
}

static unsigned refused(unsigned status, const char *text, char why[REQUEST_REFUSAL_SIZE])
{
    g_strlcpy(why, text, REQUEST_REFUSAL_SIZE);
    return status;
}

unsigned exchange_check_request(const exchange *self, const struct http_message *request,
                                struct request_refusal *refusal, char why[REQUEST_REFUSAL_SIZE])
{
    const service *to = self->service;
    if (strcmp(request->host, to->name) != 0 || request->port != to->port)
        return refused(421, "its Host is another one", why);
    if (request->asks_trace)
        return refused(405, "TRACE does not pass", why);
    if (self->rules.count == 0 ||
        network_requests_allow(&self->rules, to->server, to->server_port, request, refusal))
        return 0;
    request_refusal_text(refusal, why);
    return 403;
}

const char *exchange_refuse_response(const exchange *self, const struct http_message *response,
                                     const void *head)
{
    return self->service->here->len > 0
               ? range_refuse_answer(response->status, head, response->length)
               : NULL;
}

static void note_use(exchange *self, const held_secret *used)
{
    char text[128];
    if (!self->used) {
        snprintf(text, sizeof text, "secret '%s' is put into requests", used->definition->name);
        exchange_say(self, "secret", text);
    }
    self->used = used;
}

/* The login that the last request uses; NULL: none. Its host speaks HTTP/1 alone. */
static const held_secret *used_login(const exchange *self)
{
    bool uses = !self->tokens && exchange_place(self) == LOGIN_API;
    const held_secret *held = uses ? service_login(self->service) : NULL;
    if (held)
        login_update(held->login);
    return held;
}

unsigned exchange_rewrite(exchange *self, const char *head, size_t length,
                          const request_signature *signature, response_guard *guard, rewritten *new,
                          char why[REQUEST_REFUSAL_SIZE])
{
    const rewrite_rules rules = {.all = services_secrets(),
                                 .here = self->service->here,
                                 .login = used_login(self),
                                 .host = self->service->host,
                                 .always = self->service->host != NULL,
                                 .signature = signature->with ? signature : NULL};
    request_rewrite(&rules, head, length, new);
    if (new->wrong) {
        if (!g_ptr_array_find(self->service->here, new->wrong, NULL))
            warn_of_stray(self, new->wrong, "was sent to this host, and was stopped");
        snprintf(why, REQUEST_REFUSAL_SIZE,
                 "the placeholder of secret '%s' is where it must not be",
                 new->wrong->definition->name);
        return 403;
    }
    if (new->used)
        note_use(self, new->used);
    return response_guard_expect(guard, new->coded) ? 0 : refused(503, NO_MEMORY, why);
}
