#include "host/secrets/login.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

static gboolean is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads FD, the file; it is kept as it was when that fails. */
static gboolean read_tokens(login *self, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return FALSE;
    if (is_same(&st, &self->seen))
        return TRUE;
    g_auto(login_tokens) read = {0};
    gboolean has_size = S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= LOGIN_FILE_MAX;
    g_autoptr(secret) text = has_size ? secret_read(fd, (gsize)st.st_size) : NULL;
    if (!text || text->length != (gsize)st.st_size ||
        !login_tokens_parse(&read, (const char *)text->data, text->length)) {
        fprintf(stderr, "login '%s': what is kept of it is broken\n", self->maker.name);
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
        gboolean done = read_tokens(self, fd);
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
