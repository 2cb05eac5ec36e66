#include "guest/init/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders that only root of the box can write. */
#define ROOT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Bytes of a folder that leave room for the command in the question. */
#define FOLDER_MAX 200

/* Variables that lead a program nowhere; the others are shown. */
static const char *const plain[] = {"TERM=",     "COLORTERM=", "LANG=",     "LC_ALL=",
                                    "NO_COLOR=", "DISPLAY=",   "SUDO_UID=", "DEBIAN_FRONTEND="};

static int begins(const char *entry, const char *with)
{
    return strncmp(entry, with, strlen(with)) == 0;
}

static int is_plain_entry(const char *entry)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (begins(entry, plain[i]) && !strchr(entry, '/'))
            return 1;
    }
    return 0;
}

static int is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The path of NAME, a new string; NULL with errno. */
static char *find(const char *name, const char *cwd)
{
    char *path;
    if (strchr(name, '/')) {
        if (asprintf(&path, "%s%s%s", *name == '/' ? "" : cwd, *name == '/' ? "" : "/", name) < 0)
            return NULL;
        return path;
    }
    for (const char *at = ROOT_PATH; *at; at += *at == ':') {
        int length = (int)strcspn(at, ":");
        if (asprintf(&path, "%.*s/%s", length, at, name) < 0)
            return NULL;
        if (is_program(path))
            return path;
        free(path);
        at += length;
    }
    errno = ENOENT;
    return NULL;
}

/* Without any PATH of the box's, and with ours. -1 with errno: no memory; or for what is no
 * variable, which would be shown as a word of the command. */
static int set_path(struct session_command *command)
{
    size_t count = 0, used = 0;
    for (; command->env[count]; count++) {
        const char *equals = strchr(command->env[count], '=');
        if (!equals || equals == command->env[count]) {
            errno = EINVAL;
            return -1;
        }
    }
    char **env = calloc(count + 2, sizeof *env);
    if (!env)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (!begins(command->env[i], "PATH="))
            env[used++] = command->env[i];
    }
    static char path[] = "PATH=" ROOT_PATH;
    env[used] = path;
    command->env = env;
    return 0;
}

int sudo_command_resolve(struct session_command *command)
{
    if (strlen(command->cwd) > FOLDER_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (command->cwd[0] != '/') { /* it would run in the box's own, or in one that depends */
        errno = EINVAL;
        return -1;
    }
    if (set_path(command) < 0)
        return -1;
    command->start.flags &= ~(uint32_t)SESSION_CWD_HINT; /* in the folder that is shown, or not */
    if (command->start.flags & SESSION_LOGIN) { /* shown as such, so it may be nothing else */
        errno = EINVAL;
        return strcmp(command->argv[0], SESSION_SHELL) == 0 && !command->argv[1] ? 0 : -1;
    }
    char *path = find(command->argv[0], command->cwd);
    if (!path)
        return -1;
    command->argv[0] = path;
    return 0;
}

struct writer {
    char *text;
    size_t size, used;
    int is_full;
};

static void put(struct writer *self, const char *bytes, size_t length)
{
    if (length > self->size - self->used - 1) {
        length = self->size - self->used - 1;
        self->is_full = 1;
    }
    memcpy(self->text + self->used, bytes, length);
    self->used += length;
}

/* In single quotes, where a shell needs any. */
static void put_word(struct writer *self, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_@%+=:,./-";
    if (self->used)
        put(self, " ", 1);
    if (*word && !word[strspn(word, safe)]) {
        put(self, word, strlen(word));
        return;
    }
    put(self, "'", 1);
    for (; *word; word++)
        put(self, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    put(self, "'", 1);
}

size_t sudo_command_describe(char *text, size_t size, const struct session_command *command)
{
    struct writer self = {text, size, 0, 0};
    put(&self, "in", 2);
    put_word(&self, command->cwd);
    put(&self, ":", 1);
    for (char **entry = command->env; *entry; entry++) {
        if (!is_plain_entry(*entry) && !begins(*entry, "PATH="))
            put_word(&self, *entry);
    }
    if (command->start.flags & SESSION_LOGIN)
        put(&self, " a login shell", strlen(" a login shell"));
    else
        for (char **word = command->argv; *word; word++)
            put_word(&self, *word);
    text[self.used] = '\0';
    return self.is_full ? 0 : self.used;
}
