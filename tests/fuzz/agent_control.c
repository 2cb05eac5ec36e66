/*
 * Fuzzes the agent's control socket: bytes through the real socket and main loop, to an agent
 * without a launcher. Each request gets one line as its answer, at once or later. No input may
 * change the state that the next one finds.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/fs.h"
#include "ssh-agent/agent/control_socket.h"
#include "ssh-agent/agent/socket_paths.h"

#define TURNS_MAX 10000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static agent daemon_;
static char *folder;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

/* Replaces main.c and the launcher: a clock, and no prompts. */
gint64 agent_now(void)
{
    return g_get_monotonic_time();
}

void agent_forget_grants(agent *self, const char *why)
{
    grants_clear(self->grants, NULL, NULL);
    pending_questions_drop(self->questions, NULL, agent_now());
}

void agent_tick(agent *self)
{
}

void agent_check_sleep(agent *self)
{
}

void agent_check_idle(agent *self)
{
}

guint32 prompt_launcher_start(prompt_launcher *self, char *const *environment, int with, int *to,
                              int *from)
{
    for (; *environment; environment++)
        g_assert_nonnull(strchr(*environment, '='));
    return 0;
}

void prompt_launcher_stop(prompt_launcher *self, guint32 number)
{
}

int prompt_launcher_open_known_hosts(prompt_launcher *self, guint index)
{
    return -1;
}

static void on_answered(gpointer waiter, const question_reply *reply)
{
    ((question_waiter *)waiter)->answered(waiter, reply);
}

static void clean_up(void)
{
    g_assert_true(fs_remove_tree(folder, NULL));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *const names[] = {"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME",
                                        "XDG_CONFIG_HOME", "HOME"};
    static const pending_hooks hooks = {prompt_client_show, prompt_client_hide, on_answered};
    folder = g_dir_make_tmp("fuzz-control-XXXXXX", NULL);
    atexit(clean_up);
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        g_setenv(names[i], folder, TRUE);
    g_assert_true(socket_paths_open(NULL));
    daemon_.log = audit_new(folder);
    daemon_.keystore = keystore_backend_new();
    daemon_.grants = grants_new();
    daemon_.questions = pending_questions_new(&hooks, &daemon_);
    daemon_.boxes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, boxes_free);
    control_begin(&daemon_, socket_paths_listen_control());
    g_snprintf(address.sun_path, sizeof address.sun_path, "%s/litterbox/" AGENT_FOLDER "/control",
               folder);
    return 0;
}

/* Runs the main loop until the client is disconnected. Adds the answers to ANSWERS. */
static void serve(int fd, GString *answers)
{
    char bytes[4096];
    for (int turns = 0; turns < TURNS_MAX; turns++) {
        gboolean worked = g_main_context_iteration(NULL, FALSE);
        ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n > 0)
            g_string_append_len(answers, bytes, n);
        else if (!worked && !control_is_busy())
            return;
    }
    g_assert_false(control_is_busy());
}

static guint count_lines(const char *text, gsize length)
{
    guint lines = 0;
    for (gsize i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

static void check_answers(const GString *answers, guint most)
{
    g_auto(GStrv) lines = g_strsplit(answers->str, "\n", -1);
    guint count = count_lines(answers->str, answers->len);
    g_assert_cmpuint(count, <=, most);
    g_assert_cmpuint(answers->len, ==, strlen(answers->str));
    for (guint i = 0; i < count; i++) {
        json_t *answer = json_loads(lines[i], JSON_REJECT_DUPLICATES, NULL);
        json_t *ok = json_object_get(answer, "ok");
        g_assert_true(json_is_boolean(ok));
        g_assert_true(json_is_true(ok) || json_is_string(json_object_get(answer, "error")));
        json_decref(answer);
    }
}

/* Resets what outlasts a connection: boxes, mutes, grants, the display. */
static void forget(void)
{
    GHashTableIter iter;
    gpointer name;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_assert_cmpuint(pending_questions_all(daemon_.questions)->len, ==, 0);
    g_hash_table_iter_init(&iter, daemon_.boxes);
    while (g_hash_table_iter_next(&iter, &name, NULL))
        g_ptr_array_add(names, g_strdup(name));
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *made =
            g_build_filename(folder, "litterbox", AGENT_FOLDER, "boxes", names->pdata[i], NULL);
        g_assert_true(boxes_close(&daemon_, names->pdata[i]));
        g_assert_true(fs_remove_tree(made, NULL));
    }
    g_assert_null(daemon_.prompts);
    g_clear_pointer(&daemon_.display, g_strfreev);
    daemon_.locked = FALSE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GString) answers = g_string_new(NULL);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_true(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    for (size_t sent = 0; sent < size;) {
        ssize_t n = send(fd, data + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            sent += (size_t)n;
        else if (errno != EAGAIN)
            break; /* it disconnected: the line is too long */
        while (g_main_context_iteration(NULL, FALSE))
            ;
    }
    shutdown(fd, SHUT_WR);
    serve(fd, answers);
    check_answers(answers, count_lines((const char *)data, size));
    close(fd);
    forget();
    return 0;
}
