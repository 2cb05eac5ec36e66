#include "host/secrets/login.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

/* The folder is made here, before this process is confined. */
login *login_open(const secret_definition *definition, const guint8 key[PLACEHOLDER_KEY],
                  GError **error)
{
    g_autofree char *folder = secret_login_folder(definition->name);
    if (!fs_make_folder(folder, 0700, error))
        return NULL;
    login *self = g_new0(login, 1);
    self->unsaved = -1;
    self->folder = g_strdup(folder);
    self->tokens_path = g_build_filename(folder, SECRET_LOGIN_TOKENS, NULL);
    self->lock_path = g_build_filename(folder, SECRET_LOGIN_LOCK, NULL);
    phantom_maker_init(&self->maker, definition->login, definition->name, key);
    login_update(self);
    return self;
}

void login_free(login *self)
{
    login_tokens_clear(&self->now);
    if (self->unsaved >= 0)
        close(self->unsaved);
    g_free(self->folder);
    g_free(self->tokens_path);
    g_free(self->lock_path);
    g_free(self);
}

static gboolean is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads FD, the file; it is kept as it was when that fails. */
static gboolean read_tokens_file(login *self, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return FALSE;
    if (is_same_file(&st, &self->seen))
        return TRUE;
    g_auto(login_tokens) read = {0};
    gboolean has_size = S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= LOGIN_FILE_MAX;
    g_autoptr(secret) text = has_size ? secret_read(fd, (gsize)st.st_size) : NULL;
    if (!text || text->length != (gsize)st.st_size ||
        !login_tokens_parse(&read, (const char *)text->data, text->length)) {
        fprintf(stderr, "login '%s': its file is damaged\n", self->maker.name);
        return FALSE;
    }
    login_tokens_clear(&self->now);
    self->now = read;
    read = (login_tokens){0};
    self->seen = st;
    return TRUE;
}

gboolean login_update(login *self)
{
    if (self->unsaved >= 0)
        return TRUE;
    int fd = open(self->tokens_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0) {
        gboolean done = read_tokens_file(self, fd);
        close(fd);
        return done;
    }
    if (errno != ENOENT)
        return FALSE;
    login_tokens_clear(&self->now);
    self->seen = (struct stat){0};
    return TRUE;
}

static gboolean write_tokens(login *self)
{
    g_autoptr(secret) text = login_tokens_text(&self->now);
    g_autoptr(GError) problem = NULL;
    if (text &&
        fs_write(self->tokens_path, (const char *)text->data, (gssize)text->length, 0600, &problem))
        return TRUE;
    fprintf(stderr, "alarm: login '%s': its new tokens are in memory alone: %s\n", self->maker.name,
            problem ? problem->message : "no memory");
    return FALSE;
}

int login_lock(login *self)
{
    int fd = self->unsaved;
    if (fd >= 0 && !write_tokens(self)) {
        errno = EWOULDBLOCK;
        return -1;
    }
    self->unsaved = -1;
    if (fd < 0)
        fd = fs_try_lock(self->lock_path);
    if (fd >= 0 && !login_update(self)) {
        close(fd);
        fd = -1;
        errno = EIO;
    }
    return fd;
}

gboolean login_save(login *self, login_tokens *tokens, int *lock)
{
    login_tokens_clear(&self->now);
    self->now = *tokens;
    *tokens = (login_tokens){0};
    if (!write_tokens(self)) {
        self->unsaved = *lock;
        *lock = -1;
        return FALSE;
    }
    struct stat st;
    self->seen = stat(self->tokens_path, &st) == 0 ? st : (struct stat){0};
    return TRUE;
}

static json_t *phantom(const login *self, enum login_token which, guint32 earlier)
{
    g_autofree char *text = login_tokens_phantom(&self->now, &self->maker, which, earlier);
    return text ? json_string(text) : json_null();
}

/*
 * ~/.claude/.credentials.json. What plan the user has is not in a token endpoint's answer: the
 * client asks the API for it when it renews its tokens. So it gets phantoms of the generation
 * before, which seem to have expired, and with these it gets those of this one, without a request
 * of ours. A token that cannot be renewed is handed out as it is.
 */
static json_t *claude_file(const login *self, gint64 now)
{
    gboolean renews = self->now.token[TOKEN_REFRESH] != NULL;
    g_autofree char *scope = login_tokens_scope(&self->now);
    g_auto(GStrv) words = g_strsplit(scope ? scope : "", " ", -1);
    json_t *scopes = json_array();
    for (char **word = words; *word; word++)
        json_array_append_new(scopes, json_string(*word));
    json_int_t expires = renews ? 1 : self->now.expires_at ? self->now.expires_at : now + 86400;
    return json_pack("{s:{s:o, s:o, s:I, s:o, s:n, s:n}}", "claudeAiOauth", "accessToken",
                     phantom(self, TOKEN_ACCESS, renews), "refreshToken",
                     phantom(self, TOKEN_REFRESH, renews), "expiresAt", 1000 * expires, "scopes",
                     scopes, "subscriptionType", "rateLimitTier");
}

static json_t *account_of(const login *self)
{
    return self->now.account ? json_string(self->now.account) : json_null();
}

/* ~/.codex/auth.json. */
static json_t *codex_file(const login *self, gint64 now)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(now);
    g_autofree char *text = g_date_time_format_iso8601(time);
    return json_pack("{s:s, s:n, s:{s:o, s:o, s:o, s:o}, s:s}", "auth_mode", "chatgpt",
                     "OPENAI_API_KEY", "tokens", "id_token", phantom(self, TOKEN_ID, 0),
                     "access_token", phantom(self, TOKEN_ACCESS, 0), "refresh_token",
                     phantom(self, TOKEN_REFRESH, 0), "account_id", account_of(self),
                     "last_refresh", text);
}

static const struct {
    const char *service;
    json_t *(*make)(const login *self, gint64 now);
} clients[] = {{"claude", claude_file}, {"codex", codex_file}};

char *login_client_file(const login *self, gint64 now)
{
    json_t *tree = NULL;
    if (!self->now.token[TOKEN_ACCESS] || self->now.has_ended)
        return NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(clients) && !tree; i++)
        if (strcmp(clients[i].service, self->maker.service->name) == 0)
            tree = clients[i].make(self, now);
    char *text = json_dumps(tree, JSON_INDENT(2)), *copy = g_strdup(text);
    free(text);
    json_decref(tree);
    return copy;
}
