#include "guest/init/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/common/privileges.h"
#include "guest/init/guards.h"
#include "guest/init/locale.h"
#include "guest/init/session_bus.h"
#include "sys/signals.h"

/* Tells the parent over REPORT why the child could not start. REPORT closes at a successful exec.
 */
static void fail(int report, enum session_stage stage, int error)
{
    struct session_failed failure = {stage, error};
    if (write(report, &failure, sizeof failure) < 0)
        _exit(126);
    _exit(127);
}

int command_open_pty(const struct init_options *options, const struct session_start *start)
{
    /* devpts makes the process that opens the master the owner of the slave. */
    int root = start->flags & SESSION_ROOT;
    if (!root)
        setfsuid(options->uid);
    int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    int saved = errno;
    if (!root)
        setfsuid(0);
    if (master < 0) {
        errno = saved;
        return -1;
    }
    struct winsize size = {.ws_row = start->rows, .ws_col = start->cols};
    if (unlockpt(master) < 0 || ioctl(master, TIOCSWINSZ, &size) < 0) {
        saved = errno;
        close(master);
        errno = saved;
        return -1;
    }
    return master;
}

static void duplicate(int report, int from, int to)
{
    if (dup2(from, to) < 0)
        fail(report, SESSION_STAGE_SETUP, errno);
}

static void set_stdio(int report, const struct command_files *files)
{
    if (setsid() < 0)
        fail(report, SESSION_STAGE_SETUP, errno);
    if (files->pty < 0) {
        for (int i = 0; i < 3; i++)
            duplicate(report, files->io[i], i);
        return;
    }
    /* By descriptor, not by name: /dev/pts of an image may be any folder. */
    int slave = ioctl(files->pty, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
        fail(report, SESSION_STAGE_SETUP, errno);
    for (int i = 0; i < 3; i++)
        duplicate(report, i == 2 && files->io[i] >= 0 ? files->io[i] : slave, i);
}

/* close_range() is for descriptors that were inherited without close-on-exec. */
static void reset_process(void)
{
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    signals_reset();
    umask(022);
    /* No core dumps. If core_pattern is a pipe, root of the host runs a program on the dump, which
     * only a limit of 1 prevents (core(5)). A dump to a file needs more than one byte. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
}

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

static void enter_folder(int report, const struct init_options *options,
                         const struct session_command *request)
{
    if (request->cwd[0]) {
        if (chdir(request->cwd) == 0)
            return;
        if (!(request->start.flags & SESSION_CWD_HINT))
            fail(report, SESSION_STAGE_CHDIR, errno);
    }
    if (chdir(options->workdir) < 0 && chdir(options->home) < 0 && chdir("/") < 0)
        fail(report, SESSION_STAGE_CHDIR, errno);
}

static void execute(int report, const struct session_command *request, const char *shell)
{
    char **argv = request->argv;
    const char *program = argv[0];
    if (request->start.flags & SESSION_LOGIN) {
        if (!strcmp(program, SESSION_SHELL))
            program = shell;
        const char *slash = strrchr(program, '/');
        char *dashed;
        if (asprintf(&dashed, "-%s", slash ? slash + 1 : program) < 0)
            fail(report, SESSION_STAGE_SETUP, ENOMEM);
        argv[0] = dashed;
    }
    execvp(program, argv);
    fail(report, SESSION_STAGE_EXEC, errno);
}

static void run_child(const struct init_options *options, const struct session_command *request,
                      const struct command_files *files, int report)
{
    set_stdio(report, files);
    reset_process();
    int root = request->start.flags & SESSION_ROOT;
    if ((root ? privileges_become_root(options) : privileges_become_user(options)) < 0)
        fail(report, SESSION_STAGE_SETUP, errno);
    const char *shell = pick_shell(options->shell);
    set_environment(options, request, shell);
    locale_drop_missing();
    enter_folder(report, options, request);
    if (guards_attach(options, root) < 0)
        fail(report, SESSION_STAGE_GUARD, errno);
    execute(report, request, shell);
}

pid_t command_start(const struct init_options *options, const struct session_command *request,
                    const struct command_files *files, struct session_failed *failure)
{
    int report[2];
    *failure = (struct session_failed){SESSION_STAGE_SETUP, 0};
    if (pipe2(report, O_CLOEXEC) < 0) {
        failure->error = errno;
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        /* set_stdio() would overwrite a descriptor below 3. */
        int safe = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
        run_child(options, request, files, safe);
    }
    failure->error = errno;
    close(report[1]);
    if (pid > 0) {
        ssize_t n;
        do {
            n = read(report[0], failure, sizeof *failure);
        } while (n < 0 && errno == EINTR);
        if (n != 0) { /* a failure, or a part of one */
            waitpid(pid, NULL, 0);
            pid = -1;
        }
    }
    close(report[0]);
    return pid;
}
