/* box keys unlock, lock: they let the agent use the keys of the store, or no longer. */
#include <fcntl.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "cli/commands/keys_table.h"
#include "common/error.h"
#include "ssh-agent/keys/password.h"
#include "ssh-agent/keys/verbs.h"
#include "sys/descriptors.h"

/* Sends the request and the read end of a pipe with the password. The password fits into the pipe's
 * buffer, so write() does not block. */
static gboolean send_password(int socket, const secret *password)
{
    static const char line[] = "{\"op\":\"keys-unlock\"}\n";
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return FALSE;
    gboolean done = write(ends[1], password->data, password->length) == (ssize_t)password->length;
    close(ends[1]);
    done = done && descriptors_send(socket, line, sizeof line - 1, ends, 1, 0) == sizeof line - 1;
    close(ends[0]);
    return done;
}

gboolean keys_unlock(char **operands, GError **error)
{
    g_autoptr(secret) password =
        password_get(keys_given.password_fd, "Password of the key store: ", FALSE, error);
    int fd = password ? agent_connect() : -1;
    if (password && fd < 0)
        fd = agent_start(error);
    if (fd < 0)
        return FALSE;
    json_t *answer = NULL;
    if (send_password(fd, password))
        answer = agent_answer(fd, error);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the SSH agent does not accept the password");
    close(fd);
    json_decref(answer);
    return answer != NULL;
}

gboolean keys_lock(char **operands, GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = agent_call(json_pack("{s:s}", "op", "keys-lock"), FALSE, &problem);
    gboolean done = answer || g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND);
    json_decref(answer);
    if (!done)
        g_propagate_error(error, g_steal_pointer(&problem));
    return done; /* no agent is running: nothing is unlocked */
}
