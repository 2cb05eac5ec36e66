#include "ssh-agent/agent/asker.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ssh-agent/agent/prompt_answer.h"

typedef struct {
    agent *agent;
    guint64 id;     /* of the question */
    guint32 number; /* of the launcher */
    int to, from;   /* -1: closed */
    guint writing, reading;
    char *text; /* the question */
    gsize sent;
    GString *answer;
} prompt;

static void prompt_free(gpointer data)
{
    prompt *self = data;
    g_clear_handle_id(&self->writing, g_source_remove);
    g_clear_handle_id(&self->reading, g_source_remove);
    if (self->to >= 0)
        close(self->to);
    close(self->from);
    free(self->text);
    /* It may have been a password. */
    explicit_bzero(self->answer->str, self->answer->allocated_len);
    g_string_free(self->answer, TRUE);
    g_free(self);
}

gboolean asker_has_display(const agent *self)
{
    return self->display && *self->display;
}

static gboolean on_writable(gint fd, GIOCondition condition, gpointer data)
{
    prompt *self = data;
    gsize length = strlen(self->text);
    gssize n = write(fd, self->text + self->sent, length - self->sent);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (n > 0)
        self->sent += (gsize)n;
    if (n > 0 && self->sent < length)
        return G_SOURCE_CONTINUE;
    close(self->to);
    self->to = -1;
    self->writing = 0;
    return G_SOURCE_REMOVE;
}

/* `box agent` can still answer what is about a signature; who asked for anything else asks on a
 * terminal of its own. */
static void no_display(agent *daemon, guint64 id)
{
    const question *asked = questions_find(daemon->questions, id);
    const char *kind = asked ? json_string_value(json_object_get(asked->text, "kind")) : NULL;
    if (g_strcmp0(kind, "sign") != 0)
        questions_answer(daemon->questions, id, ANSWER_NOBODY, NULL, agent_now());
}

/* The whole output is there. The question ends, and SELF with it. */
static void finish(prompt *self)
{
    agent *daemon = self->agent;
    guint64 id = self->id;
    g_auto(prompt_answer) answer;
    prompt_answer_read(&answer, self->answer->str, self->answer->len);
    g_hash_table_remove(daemon->prompts, &id);
    if (answer.status == PROMPT_NO_DISPLAY)
        no_display(daemon, id);
    else if (!questions_answer(daemon->questions, id, answer.choice, answer.all, agent_now()))
        questions_answer(daemon->questions, id, ANSWER_FAILED, NULL, agent_now());
}

static gboolean on_readable(gint fd, GIOCondition condition, gpointer data)
{
    prompt *self = data;
    char bytes[4096];
    gssize n = read(fd, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (n > 0 && self->answer->len + (gsize)n <= PROMPT_ANSWER_MAX) {
        g_string_append_len(self->answer, bytes, n);
        explicit_bzero(bytes, sizeof bytes);
        return G_SOURCE_CONTINUE;
    }
    finish(self);
    return G_SOURCE_CONTINUE;
}

void asker_show(const question *which, gpointer data)
{
    agent *daemon = data;
    int to, from;
    if (!asker_has_display(daemon))
        return;
    guint32 number = launcher_prompt(daemon->launcher, daemon->display, &to, &from);
    if (!number)
        return;
    g_unix_set_fd_nonblocking(to, TRUE, NULL);
    g_unix_set_fd_nonblocking(from, TRUE, NULL);
    prompt *self = g_new0(prompt, 1);
    *self = (prompt){.agent = daemon, .id = which->id, .number = number, .to = to, .from = from};
    self->text = json_dumps(which->text, JSON_COMPACT);
    self->answer = g_string_sized_new(PROMPT_ANSWER_MAX);
    self->writing = g_unix_fd_add(to, G_IO_OUT, on_writable, self);
    self->reading = g_unix_fd_add(from, G_IO_IN, on_readable, self);
    if (!daemon->prompts)
        daemon->prompts = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, prompt_free);
    g_hash_table_insert(daemon->prompts, &self->id, self);
}

void asker_hide(const question *which, gpointer data)
{
    agent *daemon = data;
    guint64 id = which->id;
    prompt *self = daemon->prompts ? g_hash_table_lookup(daemon->prompts, &id) : NULL;
    if (!self)
        return;
    launcher_stop(daemon->launcher, self->number);
    g_hash_table_remove(daemon->prompts, &id);
}
