#include "box/session/session_askers.h"

#include <string.h>

#include "box/helpers/agent.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "proto/question.h"
#include "session/terminal_copy.h"
#include "sys/clock.h"

void copy_asker_init(copy_asker *self, const struct box *about)
{
    *self = (copy_asker){.box = about, .limit = {.gap_ms = 300, .burst = 5, .refill_ms = 2000}};
}

static gsize count_lines(const char *text, gsize length)
{
    gsize lines = length > 0;
    for (gsize i = 0; i + 1 < length; i++)
        lines += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    return lines;
}

/* Line breaks, also at the end: a shell runs what stands before one as soon as it is pasted. */
static gboolean has_break(const char *text, gsize length)
{
    return memchr(text, '\n', length) || memchr(text, '\r', length);
}

static gboolean has_control(const char *text, gsize length)
{
    for (gsize i = 0; i < length; i++) {
        if (((guchar)text[i] < 0x20 && !strchr("\t\n\r", text[i])) || text[i] == 0x7f)
            return TRUE;
    }
    return FALSE;
}

static void add_size(question *self, const char *text, gsize length)
{
    gsize lines = count_lines(text, length);
    g_autofree char *size = units_format_size((gint64)length);
    g_autofree char *value =
        g_strdup_printf("%s, %" G_GSIZE_FORMAT " line%s", size, lines, lines == 1 ? "" : "s");
    question_add_known(self, "Size", value, NULL, NULL);
}

question *copy_asker_question(const char *name, const char *project, const char *text, gsize length)
{
    question *asked = question_new(QUESTION_COPY, name, project);
    g_autofree char *headline =
        g_strdup_printf("Replace your clipboard with text from box %s", name);
    g_autofree char *whole = text_safe_max(text, (gssize)length, G_MAXSIZE / 2);
    g_autofree char *shown = text_safe_max(text, (gssize)length, QUESTION_CLAIM_MAX);
    question_set_headline(asked, headline);
    add_size(asked, text, length);
    if (has_break(text, length))
        question_add_warning(asked,
                             "If you paste it at a shell, all but its last line may run at once.");
    if (has_control(text, length))
        question_add_warning(asked, "It has control characters, shown here as \\x..");
    if (strcmp(whole, shown) != 0)
        question_add_warning(asked, "It is too long to show: you see its beginning and its end.");
    question_add_claim(asked, "Text", shown, NULL, NULL);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

int copy_asker_begin(copy_asker *self, const char *text, gsize length)
{
    if (!token_bucket_take(&self->limit, clock_ms()))
        return -1;
    g_autofree char *base64 = g_strndup(text, length);
    gsize decoded;
    g_autofree guchar *plain = g_base64_decode(base64, &decoded);
    g_autoptr(question) asked =
        copy_asker_question(self->box->name, self->box->project, (const char *)plain, decoded);
    int fd = agent_ask_begin(asked);
    if (fd < 0)
        self->is_nobody = TRUE;
    else
        self->asked = g_steal_pointer(&asked);
    return fd;
}

gboolean copy_asker_end(copy_asker *self, int fd)
{
    g_autoptr(question) asked = g_steal_pointer(&self->asked);
    enum question_answer answer = agent_ask_end(fd);
    self->is_nobody |= answer == QUESTION_ANSWER_NOBODY;
    return question_allows(asked, answer);
}

void copy_asker_report(const copy_asker *self, unsigned too_long)
{
    if (self->is_nobody)
        log_note("box '%s' tried to replace your clipboard, and there is no display to ask you on; "
                 "[terminal] clipboard = \"allow\" would allow it",
                 self->box->name);
    if (too_long)
        log_note(
            "box '%s' tried to replace your clipboard with more than %d KiB, which is too long to "
            "ask about",
            self->box->name, (int)(TERMINAL_COPY_MAX / 4 * 3 / 1024));
}

void copy_asker_clear(copy_asker *self)
{
    question_free(g_steal_pointer(&self->asked));
}

static question *new_question(const struct box *about, const char *command)
{
    question *asked = question_new(QUESTION_SUDO, about->name, about->project);
    g_autofree char *headline = g_strdup_printf("Run a command as root of box %s", about->name);
    question_set_headline(asked, headline);
    question_add_known(asked, "As", "root of the box, unprivileged on the host", NULL, NULL);
    question_add_claim(asked, "Command", command, NULL, NULL);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

gboolean sudo_asker_ask(const struct box *about, const char *text, gsize length)
{
    g_autofree char *command = text_safe_max(text, (gssize)length, G_MAXSIZE);
    if (strlen(command) > QUESTION_CLAIM_MAX) {
        log_note("box '%s' asked to run a command as its root that is too long to show",
                 about->name);
        return FALSE;
    }
    g_autoptr(question) asked = new_question(about, command);
    return agent_ask(asked);
}
