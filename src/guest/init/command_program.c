#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/init/locale.h"
#include "guest/init/session.h"
#include "guest/init/session_bus.h"

/* WANTED, or a usual shell if the box does not have that. */
static const char *pick_shell(const char *wanted)
{
    static const char *const usual[] = {"/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh"};
    if (access(wanted, X_OK) == 0)
        return wanted;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (access(usual[i], X_OK) == 0)
            return usual[i];
    }
    return wanted;
}

static void set_environment(const struct init_options *options,
                            const struct session_command *request, const char *shell)
{
    if (request->start.flags & SESSION_ROOT) {
        setenv("HOME", "/root", 1);
        setenv("USER", "root", 1);
        setenv("LOGNAME", "root", 1);
    } else {
        setenv("HOME", options->home, 1);
        setenv("USER", options->user, 1);
        setenv("LOGNAME", options->user, 1);
        setenv("XDG_RUNTIME_DIR", runtime_dir_path(options), 1);
        /* The box's configuration may name another bus. */
        if (*session_bus_address())
            setenv("DBUS_SESSION_BUS_ADDRESS", session_bus_address(), 0);
    }
    setenv("SHELL", shell, 1);
    for (char **entry = request->env; *entry; entry++) {
        char *equals = strchr(*entry, '=');
        if (equals && equals != *entry)
            putenv(*entry);
    }
}

/* The program of REQUEST. A login shell gets its name with a dash in front. NULL: no memory. */
static const char *pick_program(const struct session_command *request, const char *shell)
{
    char **argv = request->argv, *dashed;
    const char *program = argv[0];
    if (!(request->start.flags & SESSION_LOGIN))
        return program;
    if (!strcmp(program, SESSION_SHELL))
        program = shell;
    const char *slash = strrchr(program, '/');
    if (asprintf(&dashed, "-%s", slash ? slash + 1 : program) < 0)
        return NULL;
    argv[0] = dashed;
    return program;
}

const char *command_prepare_program(const struct init_options *options,
                                    const struct session_command *request)
{
    const char *shell = pick_shell(options->shell);
    set_environment(options, request, shell);
    locale_drop_missing();
    return pick_program(request, shell);
}
