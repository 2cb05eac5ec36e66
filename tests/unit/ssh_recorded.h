/* Messages between OpenSSH and its agent, from ssh_recorded.txt, which ssh_record wrote. */
#pragma once

#include <glib.h>
#include <string.h>

#include "ssh-agent/wire/agent_protocol.h"

typedef struct {
    char *scenario;
    char kind; /* C: message of a client, A: message of the agent, T: text */
    guchar *data;
    gsize length;
} recorded;

static inline void recorded_free(gpointer data)
{
    recorded *self = data;
    g_free(self->scenario);
    g_free(self->data);
    g_free(self);
}

static inline struct ssh_span recorded_span(const recorded *self)
{
    return (struct ssh_span){self->data, self->length};
}

/* All messages, in order. */
static inline GPtrArray *recorded_load(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    g_file_get_contents(g_getenv("LITTERBOX_SSH_RECORDED"), &text, NULL, &error);
    g_assert_no_error(error);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GPtrArray *all = g_ptr_array_new_with_free_func(recorded_free);
    for (gsize i = 0; lines[i] && *lines[i]; i++) {
        g_auto(GStrv) words = g_strsplit(lines[i], " ", 3);
        recorded *one = g_new0(recorded, 1);
        one->scenario = g_strdup(words[0]);
        one->kind = words[1][0];
        one->data = g_base64_decode(words[2], &one->length);
        g_ptr_array_add(all, one);
    }
    g_assert_cmpuint(all->len, >, 100);
    return all;
}

/* The first message of KIND and TYPE (0: any) in SCENARIO; there must be one. */
static inline struct ssh_span recorded_find(GPtrArray *all, const char *scenario, char kind,
                                            guint8 type)
{
    for (guint i = 0; i < all->len; i++) {
        const recorded *one = all->pdata[i];
        if (g_str_equal(one->scenario, scenario) && one->kind == kind &&
            (!type || one->data[0] == type))
            return recorded_span(one);
    }
    g_error("nothing recorded for %s", scenario);
}

/* The first request of TYPE in SCENARIO, parsed. */
static inline struct ssh_request recorded_request(GPtrArray *all, const char *scenario, guint8 type)
{
    struct ssh_request request;
    ssh_request_parse(&request, recorded_find(all, scenario, 'C', type));
    g_assert_cmpint(request.kind, !=, SSH_REQUEST_REFUSED);
    return request;
}
