#include "ssh-agent/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"

static const char *const adjectives[] = {
    "amber",  "brave",  "calm",   "dusty",  "early",  "faint",  "gentle", "happy",
    "icy",    "jolly",  "keen",   "lucky",  "mellow", "noble",  "olive",  "proud",
    "quiet",  "rusty",  "silver", "tiny",   "urban",  "violet", "warm",   "young",
    "bright", "copper", "golden", "hidden", "lonely", "narrow", "purple", "sunny",
};
static const char *const nouns[] = {
    "otter",  "badger", "cedar",   "dolphin", "ember",  "falcon", "garden", "harbour",
    "island", "jacket", "kite",    "lantern", "meadow", "needle", "orchid", "pebble",
    "quartz", "raven",  "saddle",  "teapot",  "violin", "walnut", "anchor", "beacon",
    "candle", "drum",   "feather", "glacier", "hammer", "ladder", "marble", "willow",
};
G_STATIC_ASSERT(G_N_ELEMENTS(adjectives) == 32 && G_N_ELEMENTS(nouns) == 32);

static gboolean create_secret(const char *path, guint8 *bytes, gsize length, GError **error)
{
    if (getrandom(bytes, length, 0) != (ssize_t)length) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "no random numbers are available");
        return FALSE;
    }
    return fs_write(path, (const char *)bytes, (gssize)length, 0600, error);
}

gboolean prompt_client_load_secret(agent *self, GError **error)
{
    g_autofree char *folder = paths_state(NULL);
    g_autofree char *path = paths_state("prompt-secret");
    g_autofree char *data = NULL;
    gsize length = 0;
    if (!fs_make_folder(folder, 0700, error))
        return FALSE;
    g_autoptr(GError) problem = NULL;
    /* A new secret would change the phrase that the user knows. */
    if (!fs_read(AT_FDCWD, path, sizeof self->secret, &data, &length, &problem) &&
        !g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (length != sizeof self->secret)
        return create_secret(path, self->secret, sizeof self->secret, error);
    memcpy(self->secret, data, length);
    return TRUE;
}

static void digest(const agent *self, const char *what, guint8 out[32])
{
    gsize length = 32;
    GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA256, self->secret, sizeof self->secret);
    g_hmac_update(hmac, (const guchar *)what, (gssize)strlen(what));
    g_hmac_get_digest(hmac, out, &length);
    g_hmac_unref(hmac);
}

char *prompt_client_phrase(const agent *self)
{
    guint8 bytes[32];
    digest(self, "phrase", bytes);
    return g_strdup_printf("%s %s", adjectives[bytes[0] % G_N_ELEMENTS(adjectives)],
                           nouns[bytes[1] % G_N_ELEMENTS(nouns)]);
}

/* One channel of a colour with that HUE (0 to 359), strong and dark enough for white letters. */
static guint channel(int hue, int shift)
{
    int at = (hue + shift) % 360;
    int level = at < 60 ? at : at < 180 ? 60 : at < 240 ? 240 - at : 0;
    return 0x30 + (guint)level * 0x90 / 60;
}

static guint32 colour_of(const agent *self, const char *box)
{
    guint8 bytes[32];
    g_autofree char *what = g_strconcat("colour ", box, NULL);
    digest(self, what, bytes);
    int hue = (bytes[0] << 8 | bytes[1]) % 360;
    return channel(hue, 120) << 16 | channel(hue, 0) << 8 | channel(hue, 240);
}

void prompt_client_identify(const agent *self, question *asked)
{
    g_autofree char *phrase = prompt_client_phrase(self);
    question_set_identity(asked, phrase, colour_of(self, asked->box ? asked->box : ""));
}

/* After a prompt that has found no display. It may take long to find none, and the display may come
 * back. */
#define RETRY_SECONDS 30

typedef struct {
    agent *agent;
    guint64 id;     /* of the question */
    guint32 number; /* the launcher's, for its process */
    int to, from;   /* its stdin and stdout; to -1: closed */
    guint writing, reading;
    char *text; /* the question */
    gsize sent; /* bytes of it */
    GString *output;
} prompt;

static void prompt_free(gpointer data)
{
    prompt *self = data;
    g_clear_handle_id(&self->writing, g_source_remove);
    g_clear_handle_id(&self->reading, g_source_remove);
    if (self->to >= 0)
        close(self->to);
    close(self->from);
    g_free(self->text);
    /* It may contain a password. */
    explicit_bzero(self->output->str, self->output->allocated_len);
    g_string_free(self->output, TRUE);
    g_free(self);
}

gboolean prompt_client_has_display(const agent *self)
{
    return self->display && *self->display;
}

static gboolean on_prompt_writable(gint fd, GIOCondition condition, gpointer data)
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

/* There is no display. Those who wait are told what answers a question that can wait for it. The
 * client of a session that has only just begun may not listen yet. */
static void tell(agent *daemon, const pending_question *which)
{
    guint64 id = which->id;
    if (!question_kind_traits(which->asked->kind)->waits_for_user ||
        notice_question(which, agent_now()))
        return;
    if (!daemon->untold)
        daemon->untold = g_array_new(FALSE, FALSE, sizeof id);
    g_array_append_val(daemon->untold, id);
}

void prompt_client_tick(agent *self)
{
    g_autoptr(GArray) untold = g_steal_pointer(&self->untold);
    for (guint i = 0; untold && i < untold->len; i++) {
        const pending_question *which =
            pending_questions_find(self->questions, g_array_index(untold, guint64, i));
        if (which)
            tell(self, which);
    }
}

gboolean prompt_client_can_show(const agent *self)
{
    return prompt_client_has_display(self) && agent_now() >= self->windows_after;
}

void prompt_client_set_display(agent *self, char **display)
{
    if (!self->display ||
        !g_strv_equal((const char *const *)display, (const char *const *)self->display))
        self->windows_after = 0;
    g_strfreev(self->display);
    self->display = display;
}

gboolean prompt_client_in_window(const pending_question *which, gpointer data)
{
    const agent *daemon = data;
    return prompt_client_can_show(daemon) &&
           !(daemon->windowless && g_hash_table_contains(daemon->windowless, &which->id));
}

/* WHICH, which can wait for `box consent approve`, gets no window. */
static void do_without_window(agent *daemon, const pending_question *which)
{
    if (!daemon->windowless)
        daemon->windowless = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_hash_table_add(daemon->windowless, g_memdup2(&which->id, sizeof which->id));
    tell(daemon, which);
}

/* The prompt has found no display. Questions that cannot wait for `box consent approve` go back to
 * their asker, which may have a terminal. */
static void no_display(agent *daemon, guint64 id)
{
    const pending_question *which = pending_questions_find(daemon->questions, id);
    daemon->windows_after = agent_now() + RETRY_SECONDS * G_USEC_PER_SEC;
    if (which && !question_kind_traits(which->asked->kind)->waits_for_user)
        pending_questions_answer_word(daemon->questions, id, QUESTION_ANSWER_NOBODY, agent_now());
    else if (which)
        do_without_window(daemon, which);
    /* Others wait for the end of this window. */
    pending_questions_tick(daemon->questions, agent_now());
}

/* The output is complete. The question ends, and SELF with it. */
static void finish(prompt *self)
{
    agent *daemon = self->agent;
    guint64 id = self->id;
    g_auto(question_reply) reply;
    int status = question_reply_parse_output(&reply, self->output->str, self->output->len);
    g_hash_table_remove(daemon->prompts, &id);
    if (status == QUESTION_PROMPT_NO_DISPLAY)
        no_display(daemon, id);
    else if (!pending_questions_answer(daemon->questions, id, &reply, agent_now()))
        pending_questions_answer_word(daemon->questions, id, QUESTION_ANSWER_FAILED, agent_now());
}

static gboolean on_prompt_readable(gint fd, GIOCondition condition, gpointer data)
{
    prompt *self = data;
    char bytes[4096];
    gssize n = read(fd, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (n > 0 && self->output->len + (gsize)n <= QUESTION_OUTPUT_MAX) {
        g_string_append_len(self->output, bytes, n);
        explicit_bzero(bytes, sizeof bytes);
        return G_SOURCE_CONTINUE;
    }
    finish(self);
    return G_SOURCE_CONTINUE;
}

/* The prompt refuses an empty text, so a question that cannot be sent fails. */
static char *dump(const question *asked)
{
    g_autoptr(GError) error = NULL;
    char *text = question_dump(asked, &error);
    if (!text)
        g_warning("%s", error->message);
    return text ? text : g_strdup("");
}

void prompt_client_show(const pending_question *which, gpointer data)
{
    agent *daemon = data;
    int to, from;
    if (question_kind_traits(which->asked->kind)->waits_for_user &&
        !prompt_client_can_show(daemon)) {
        do_without_window(daemon, which);
        return;
    }
    guint32 number = prompt_launcher_start(daemon->launcher, daemon->display,
                                           which->asked->descriptor, &to, &from);
    if (!number)
        return;
    g_unix_set_fd_nonblocking(to, TRUE, NULL);
    g_unix_set_fd_nonblocking(from, TRUE, NULL);
    prompt *self = g_new0(prompt, 1);
    *self = (prompt){.agent = daemon, .id = which->id, .number = number, .to = to, .from = from};
    self->text = dump(which->asked);
    self->output = g_string_sized_new(QUESTION_OUTPUT_MAX);
    self->writing = g_unix_fd_add(to, G_IO_OUT, on_prompt_writable, self);
    self->reading = g_unix_fd_add(from, G_IO_IN, on_prompt_readable, self);
    if (!daemon->prompts)
        daemon->prompts = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, prompt_free);
    g_hash_table_insert(daemon->prompts, &self->id, self);
}

void prompt_client_hide(const pending_question *which, gpointer data)
{
    agent *daemon = data;
    guint64 id = which->id;
    if (daemon->windowless)
        g_hash_table_remove(daemon->windowless, &id);
    prompt *self = daemon->prompts ? g_hash_table_lookup(daemon->prompts, &id) : NULL;
    if (!self)
        return;
    prompt_launcher_stop(daemon->launcher, self->number);
    g_hash_table_remove(daemon->prompts, &id);
}
