#include "ssh-agent/agent/hosts.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "ssh-agent/wire/known_hosts.h"

#define NAMES_SHOWN 4

void hosts_answer_clear(hosts_answer *self)
{
    g_clear_pointer(&self->names, g_ptr_array_unref);
}

static gboolean may_be_host(const char *word)
{
    gsize length = strlen(word);
    return length > 0 && length <= SSH_KNOWN_NAME_MAX && *word != '-' && !strpbrk(word, " /=");
}

/* Everything on the command line that may be a host, with the user in front taken off; once more
 * with the port that -p names. */
static GPtrArray *claims_of(pid_t pid)
{
    GPtrArray *claims = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) words = caller_arguments(pid);
    const char *port = NULL;
    for (char **word = words; word && *word; word++) {
        if (strcmp(*word, "-p") == 0 && word[1])
            port = word[1];
    }
    for (char **word = words; word && *word && claims->len < SSH_KNOWN_CLAIMS_MAX - 1; word++) {
        const char *at = strrchr(*word, '@');
        const char *host = at ? at + 1 : *word;
        if (!may_be_host(host))
            continue;
        g_ptr_array_add(claims, g_strdup(host));
        if (port && may_be_host(port))
            g_ptr_array_add(claims, g_strdup_printf("[%s]:%s", host, port));
    }
    return claims;
}

static void add(hosts_answer *self, const char *text, gsize length)
{
    g_autofree char *safe = text_safe_max(text, (gssize)length, SSH_KNOWN_NAME_MAX + 1);
    if (self->names->len >= NAMES_SHOWN)
        self->more = TRUE;
    else if (!g_ptr_array_find_with_equal_func(self->names, safe, g_str_equal, NULL))
        g_ptr_array_add(self->names, g_steal_pointer(&safe));
}

static void add_kind(hosts_answer *self, const struct ssh_known_hosts *known,
                     enum ssh_known_kind kind)
{
    for (size_t i = 0; i < known->count; i++) {
        const struct ssh_span *text = &known->names[i].text;
        if (known->names[i].kind == kind)
            add(self, (const char *)text->data, text->length);
    }
}

static void collect(hosts_answer *self, const struct ssh_known_hosts *known,
                    const GPtrArray *claims)
{
    static const enum ssh_known_kind last[] = {SSH_KNOWN_NAME, SSH_KNOWN_PRINCIPAL,
                                               SSH_KNOWN_PATTERN};
    self->revoked = known->revoked;
    self->more = known->more;
    add_kind(self, known, SSH_KNOWN_FORGE);
    for (guint i = 0; i < claims->len; i++) {
        const char *claim = claims->pdata[i];
        if (known->confirmed & 1u << i)
            add(self, claim, strlen(claim));
    }
    for (gsize i = 0; i < G_N_ELEMENTS(last); i++)
        add_kind(self, known, last[i]);
}

void hosts_look(hosts_answer *self, launcher *files, const struct ssh_key *host, pid_t pid)
{
    struct ssh_known_hosts known;
    g_autoptr(GPtrArray) claims = claims_of(pid);
    g_autofree struct ssh_span *spans = g_new0(struct ssh_span, claims->len + 1);
    char *texts[LAUNCHER_KNOWN_HOSTS] = {0};
    for (guint i = 0; i < claims->len; i++)
        spans[i] = ssh_span_text(claims->pdata[i]);
    ssh_known_hosts_init(&known, host, spans, claims->len, (uint64_t)time(NULL));
    for (guint i = 0; i < LAUNCHER_KNOWN_HOSTS; i++) {
        gsize length = 0;
        int fd = launcher_known_hosts(files, i);
        if (fd >= 0 &&
            fs_read_fd(fd, "known_hosts", SSH_KNOWN_HOSTS_FILE_MAX, &texts[i], &length, NULL))
            ssh_known_hosts_read(
                &known, (struct ssh_span){.data = (const uint8_t *)texts[i], .length = length});
        if (fd >= 0)
            close(fd);
    }
    self->names = g_ptr_array_new_with_free_func(g_free);
    self->more = FALSE;
    collect(self, &known, claims);
    for (guint i = 0; i < LAUNCHER_KNOWN_HOSTS; i++)
        g_free(texts[i]);
}
