/* `box keys unlock` and `lock`: the agent's copy of the keys. */
#include <fcntl.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/helpers/agent_start.h"
#include "common/error.h"
#include "common/packet.h"
#include "ssh-agent/keys/options.h"
#include "ssh-agent/keys/password.h"
#include "ssh-agent/keys/verbs.h"

/* A password fits into a pipe: nobody has to read while it is written. */
static gboolean hand_over(int socket, const secret *password)
{
    static const char line[] = "{\"op\":\"keys-unlock\"}\n";
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return FALSE;
    gboolean done = write(ends[1], password->data, password->length) == (ssize_t)password->length;
    close(ends[1]);
    done = done && packet_send(socket, line, sizeof line - 1, ends, 1) == sizeof line - 1;
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
    if (hand_over(fd, password))
        answer = agent_answer(fd, error);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the SSH agent takes no password");
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
    return done; /* an agent that does not run holds no keys */
}
