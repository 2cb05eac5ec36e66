#include "mcp/tools.h"

#include <errno.h>
#include <string.h>

#include "box/inspect/project_scan.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/config.h"
#include "mcp/files_reply.h"
#include "mcp/tool.h"
#include "plan/plan.h"
#include "proto/session.h"

#define GUEST PLAN_BIN "/litterbox-files"
#define TIMEOUT_MS 60000
/* Longest answers: contents, or names and lines with what is around them. */
#define ANSWER_MAX (8 << 20)
#define FAILURE_MAX 4096

typedef json_t *(*reader)(const char *bytes, gsize length);

/* What a call is about. */
struct files_call {
    reader read;
    char *path;
};

static void files_call_free(gpointer data)
{
    struct files_call *self = data;
    g_free(self->path);
    g_free(self);
}

static gboolean lies_below(const char *path, char *const *names)
{
    for (; names && *names; names++)
        if (fs_is_below(path, *names))
            return TRUE;
    return FALSE;
}

/* The rule by which the box's call for PATH failed with ERROR; NULL: none is known. */
static const char *find_rule(const struct box *self, const char *path, int error)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, NULL);
    const settings *wanted = read ? config_settings(read) : NULL;
    if (!wanted)
        return NULL;
    if ((error == EROFS || error == EBUSY) && project_scan_is_watched(wanted, path))
        return "it is a protected name ([protect] paths in litterbox.toml): programs on the user's "
               "machine obey it, so only the user can change it";
    if (error == EROFS && wanted->project.mode == MODE_RO)
        return "the project is read-only in this box ([project] mode = \"ro\"); [project] writable "
               "lists what is not";
    if (error == EROFS)
        return "litterbox.toml, the files that it names, and read-only mounts cannot be changed in "
               "this box; ask the user";
    if ((error == EACCES || error == ENOENT) && lies_below(path, wanted->project.hidden))
        return "it is hidden from this box ([project] hidden)";
    return NULL;
}

static void fail_files(struct call *call)
{
    const char *path = ((const struct files_call *)call->data)->path;
    int error;
    g_autofree char *words = NULL, *safe = text_safe(path, -1);
    if (!files_reply_failure(call->text[1]->str, call->text[1]->len, &error, &words)) {
        call_fail(call, "'%s': the box could not do it", safe);
        return;
    }
    const char *rule = error ? find_rule(call->host->box, path, error) : NULL;
    call_fail(call, "'%s': %s%s%s", safe, words, rule ? ": " : "", rule ? rule : "");
}

static void finish(struct call *call)
{
    const struct files_call *about = call->data;
    const struct session_child_report *said = &call->process.said;
    const struct client_result *result = &said->result;
    json_t *answer = NULL;
    if (said->status < 0)
        call_fail(call, "%s", said->message);
    else if (result->outcome == CLIENT_FAILED)
        call_fail(call, "the box was started by an older version of Litterbox: ask the user to run "
                        "'box restart'");
    else if (result->reason == SESSION_TIMED_OUT)
        call_fail(call, "took more than %d s; look at a smaller part of the project",
                  TIMEOUT_MS / 1000);
    else if (said->status != 0)
        fail_files(call);
    else if (call->text[0]->len > call->text_max ||
             !(answer = about->read(call->text[0]->str, call->text[0]->len)))
        call_fail(call, "the box gave an answer that is not valid");
    else
        call_answer(call, answer, FALSE);
}

/* WORDS: the operation, "" for project and path, and the operation's own arguments. */
static void start(struct call *call, reader read, const char **words, const char *input,
                  gsize length)
{
    const char *project = call->host->box->project, *given = tool_text(call->arguments, "path");
    char *path = project_path(project, given ? given : "");
    if (!path) {
        call_fail(call, PROJECT_PATH_OUTSIDE);
        return;
    }
    words[2] = project;
    words[3] = path;
    session_options options = {.command = (char **)words,
                               .workdir = "/",
                               .quiet = TRUE,
                               .unattended = TRUE,
                               .wait = SESSION_WAIT_KILL,
                               .timeout_ms = TIMEOUT_MS};
    struct files_call *about = g_new(struct files_call, 1);
    *about = (struct files_call){read, path};
    call->data = about;
    call->data_free = files_call_free;
    call->text_max = ANSWER_MAX;
    call_run(call, call->host->box, &options, input, length, finish);
}

/* The program is told how long INPUT is: a call that is cancelled cuts it off. */
static void start_write(struct call *call, reader read, const char *operation, const char *all,
                        const char *input, gsize length)
{
    g_autofree char *size = g_strdup_printf("%" G_GSIZE_FORMAT, length);
    const char *words[] = {GUEST, operation, NULL, NULL, all ? all : size, all ? size : NULL, NULL};
    start(call, read, words, input, length);
}

static char *number_text(struct call *call, const char *name)
{
    return g_strdup_printf("%.0f", tool_number(call->tool, call->arguments, name));
}

void tool_read_start(struct call *call)
{
    g_autofree char *line = number_text(call, "line"), *lines = number_text(call, "lines"),
                    *most = number_text(call, "max_bytes");
    const char *words[] = {GUEST, "read", NULL, NULL, line, lines, most, NULL};
    start(call, files_reply_read, words, NULL, 0);
}

/* GLib's decoder leaves out what is none. */
static gboolean is_base64(const char *text)
{
    gsize letters =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    gsize padding = strspn(text + letters, "=");
    return !text[letters + padding] && padding <= 2 && (letters + padding) % 4 == 0;
}

void tool_write_start(struct call *call)
{
    const char *text = tool_text(call->arguments, "content");
    const char *encoding = tool_text(call->arguments, "encoding");
    if (!encoding || strcmp(encoding, "base64") != 0) {
        start_write(call, files_reply_write, "write", NULL, text, strlen(text));
        return;
    }
    gsize length;
    if (!is_base64(text)) {
        call_fail(call, "'content' is not base64: give it in one line, without spaces");
        return;
    }
    g_autofree guchar *bytes = g_base64_decode(text, &length);
    start_write(call, files_reply_write, "write", NULL, (const char *)bytes, length);
}

void tool_edit_start(struct call *call)
{
    const char *old = tool_text(call->arguments, "old"), *new = tool_text(call->arguments, "new");
    const char *all = tool_flag(call->arguments, "all") ? "1" : "0";
    if (!*old) {
        call_fail(call, "'old' is empty: use 'write' for a new file");
        return;
    }
    g_autoptr(GString) input = g_string_new(old);
    g_string_append_c(input, '\0');
    g_string_append(input, new);
    start_write(call, files_reply_edit, "edit", all, input->str, input->len);
}

void tool_list_start(struct call *call)
{
    const char *pattern = tool_text(call->arguments, "pattern");
    g_autofree char *depth = number_text(call, "depth"), *most = number_text(call, "max_entries");
    const char *words[] = {GUEST, "list", NULL, NULL, depth, most, pattern ? pattern : "", NULL};
    start(call, files_reply_list, words, NULL, 0);
}

void tool_search_start(struct call *call)
{
    const char *pattern = tool_text(call->arguments, "pattern");
    const char *how = tool_flag(call->arguments, "regex") ? "regex" : "text";
    const char *ignore = tool_flag(call->arguments, "ignore_case") ? "1" : "0";
    const char *text = tool_text(call->arguments, "text");
    g_autofree char *most = number_text(call, "max_matches");
    const char *words[] = {GUEST, "search", NULL, NULL, how, ignore, most, pattern ? pattern : "",
                           NULL};
    if (!*text)
        call_fail(call, "'text' is empty");
    else
        start(call, files_reply_search, words, text, strlen(text));
}
