#include "proto/peer_process.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "proto/session.h"
#include "sys/proc_stat.h"

/* Programs of a chain that are shown. */
#define CHAIN_MAX 8
/* In bytes: what is read of files in /proc. */
#define COMMAND_MAX 4096
#define STATUS_MAX 8192
/* In bytes: what is shown. */
#define NAME_SHOWN 64
#define COMMAND_SHOWN 400

/* Reads at most SIZE - 1 bytes; what does not fit is cut. */
static gsize read_some(pid_t pid, const char *file, char *into, gsize size)
{
    char path[64];
    g_snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    gsize length = 0;
    for (gssize n; fd >= 0 && length < size - 1; length += (gsize)n) {
        n = read(fd, into + length, size - 1 - length);
        if (n <= 0)
            break;
    }
    if (fd >= 0)
        close(fd);
    into[length] = '\0';
    return length;
}

/* The last number in the line of STATUS that begins with KEY; 0: none. */
static pid_t last_number(const char *status, const char *key)
{
    const char *line = strstr(status, key);
    if (!line)
        return 0;
    g_autofree char *rest = g_strndup(line, strcspn(line + 1, "\n") + 1);
    const char *blank = strrchr(g_strchomp(rest), '\t');
    guint64 number = 0;
    return blank && g_ascii_string_to_unsigned(blank + 1, 10, 0, G_MAXINT32, &number, NULL)
               ? (pid_t)number
               : 0;
}

char **peer_process_arguments(pid_t pid)
{
    char bytes[COMMAND_MAX];
    gsize length = pid > 0 ? read_some(pid, "cmdline", bytes, sizeof bytes) : 0;
    if (!length)
        return NULL;
    GPtrArray *words = g_ptr_array_new();
    for (const char *at = bytes; at < bytes + length; at += strlen(at) + 1)
        g_ptr_array_add(words, g_strdup(at));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

int peer_process_terminal(pid_t pid)
{
    struct proc_stat stat;
    return proc_stat_read(&stat, pid) < 0 ? -1 : proc_stat_pty(&stat);
}

static char *command_of(pid_t pid)
{
    char bytes[COMMAND_MAX];
    gsize length = read_some(pid, "cmdline", bytes, sizeof bytes);
    while (length > 0 && bytes[length - 1] == '\0')
        length--;
    for (gsize i = 0; i < length; i++)
        if (bytes[i] == '\0')
            bytes[i] = ' ';
    return text_safe_max(bytes, (gssize)length, COMMAND_SHOWN);
}

/* "Name:" is the first line. The kernel escapes line ends in it (proc_pid_status(5)). */
static char *name_of(const char *status)
{
    static const char key[] = "Name:\t";
    if (!g_str_has_prefix(status, key))
        return g_strdup("?");
    const char *name = status + strlen(key);
    return text_safe_max(name, (gssize)strcspn(name, "\n"), NAME_SHOWN);
}

void peer_process_add_chain(question *asked, pid_t pid, pid_t outermost)
{
    for (int i = 0; i < CHAIN_MAX && pid > 1 && pid != outermost; i++) {
        char status[STATUS_MAX];
        if (!read_some(pid, "status", status, sizeof status))
            break;
        g_autofree char *name = name_of(status);
        pid_t parent = last_number(status, "\nPPid:");
        /* As any program may have this name, it is left out only as the outermost of several. */
        if (i > 0 && parent == outermost && strcmp(name, SESSION_PROCESS_NAME) == 0)
            break;
        g_autofree char *command = command_of(pid);
        question_add_program(asked, name, command, last_number(status, "\nNSpid:"), pid);
        pid = parent;
    }
}
