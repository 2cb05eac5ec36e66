#include "ssh-agent/prompt/prompt.h"

#include <errno.h>
#include <gtk/gtk.h>
#include <string.h>
#include <unistd.h>

#include "proto/question.h"

/* The longest answer: a password in which each byte is escaped ("\\u001f"), or all keys. */
#define LINE_MAX_BYTES \
    (64 + MAX(6 * ANSWER_PASSWORD_MAX, QUESTION_KEYS_MAX * (QUESTION_ID_MAX + 4)))
G_STATIC_ASSERT(LINE_MAX_BYTES <= QUESTION_REPLY_MAX);

/* The line that is written. It is the only copy of a password besides the entry's, so it is static
 * and wiped. */
static struct {
    char text[LINE_MAX_BYTES];
    gsize length;
    gboolean given, written;
} line;

static void put(const char *text, gsize length)
{
    g_assert(length <= sizeof line.text - line.length);
    memcpy(line.text + line.length, text, length);
    line.length += length;
}

static void put_plain(const char *text)
{
    put(text, strlen(text));
}

static void put_string(const char *text)
{
    static const char hex[] = "0123456789abcdef";

    put("\"", 1);
    for (; *text; text++) {
        guchar c = *text;
        if (c == '"' || c == '\\')
            put((char[]){'\\', c}, 2);
        else if (c < 0x20)
            put((char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        else
            put(text, 1);
    }
    put("\"", 1);
}

static gboolean write_all(void)
{
    for (gsize done = 0; done < line.length;) {
        ssize_t n = write(STDOUT_FILENO, line.text + done, line.length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FALSE;
        done += n;
    }
    return TRUE;
}

static gboolean begin(enum question_answer answer)
{
    if (line.given)
        return FALSE;
    line.given = TRUE;
    put_plain("{\"answer\":");
    put_string(question_answer_word(answer));
    return TRUE;
}

static void end(void)
{
    put_plain("}\n");
    line.written = write_all();
    explicit_bzero(line.text, sizeof line.text);
    gtk_main_quit();
}

void answer_send(enum question_answer answer)
{
    if (begin(answer))
        end();
}

void answer_send_password(const char *password)
{
    if (!begin(QUESTION_ANSWER_PASSWORD))
        return;
    put_plain(",\"password\":");
    put_string(password);
    end();
}

void answer_send_keys(const GPtrArray *ids)
{
    if (!begin(QUESTION_ANSWER_KEYS))
        return;
    put_plain(",\"keys\":[");
    for (guint i = 0; i < ids->len; i++) {
        if (i)
            put(",", 1);
        put_string(g_ptr_array_index(ids, i));
    }
    put_plain("]");
    end();
}

gboolean answer_was_sent(void)
{
    return line.written;
}
