#include "guest/init/session.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/common/privileges.h"
#include "guest/init/guards.h"
#include "guest/init/locale.h"
#include "guest/init/session_bus.h"

/* Of the child, beside a copy of the arguments of its program (execvp(3), a script without "#!").
 */
#define STACK_BYTES ((size_t)256 << 10)

/* At the top of its stack, which the parent reads as well. */
struct child {
    const struct init_options *options;
    const struct session_command *request;
    const struct command_files *files;
    struct session_failed failure;
    int has_failed;
};

/* Ends the child, and says why it could not start. */
static void fail_stage(struct child *self, enum session_stage stage, int error)
{
    self->failure = (struct session_failed){stage, error};
    self->has_failed = 1;
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

static void duplicate(struct child *self, int from, int to)
{
    if (dup2(from, to) < 0)
        fail_stage(self, SESSION_STAGE_SETUP, errno);
}

static void set_stdio(struct child *self)
{
    const struct command_files *files = self->files;
    if (setsid() < 0)
        fail_stage(self, SESSION_STAGE_SETUP, errno);
    if (files->pty < 0) {
        for (int i = 0; i < 3; i++)
            duplicate(self, files->io[i], i);
        return;
    }
    /* By descriptor, not by name: /dev/pts of an image may be any folder. */
    int slave = ioctl(files->pty, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
        fail_stage(self, SESSION_STAGE_SETUP, errno);
    for (int i = 0; i < 3; i++)
        duplicate(self, i == 2 && files->io[i] >= 0 ? files->io[i] : slave, i);
}

/* close_range() is for descriptors that were inherited without close-on-exec. */
static void reset_process(void)
{
    sigset_t none;
    sigemptyset(&none);
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    sigprocmask(SIG_SETMASK, &none, NULL);
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

static void enter_folder(struct child *self)
{
    const struct init_options *options = self->options;
    if (self->request->cwd[0]) {
        if (chdir(self->request->cwd) == 0)
            return;
        if (!(self->request->start.flags & SESSION_CWD_HINT))
            fail_stage(self, SESSION_STAGE_CHDIR, errno);
    }
    if (chdir(options->workdir) < 0 && chdir(options->home) < 0 && chdir("/") < 0)
        fail_stage(self, SESSION_STAGE_CHDIR, errno);
}

/* The program of the command. A login shell gets its name with a dash in front. */
static const char *pick_program(struct child *self, const char *shell)
{
    char **argv = self->request->argv, *dashed;
    const char *program = argv[0];
    if (!(self->request->start.flags & SESSION_LOGIN))
        return program;
    if (!strcmp(program, SESSION_SHELL))
        program = shell;
    const char *slash = strrchr(program, '/');
    if (asprintf(&dashed, "-%s", slash ? slash + 1 : program) < 0)
        fail_stage(self, SESSION_STAGE_SETUP, ENOMEM);
    argv[0] = dashed;
    return program;
}

/* As the user, whose processes can kill this one at any moment, nothing changes the memory that it
 * shares with the parent. */
static int run_child(void *data)
{
    struct child *self = data;
    const struct init_options *options = self->options;
    int root = self->request->start.flags & SESSION_ROOT;
    set_stdio(self);
    reset_process();
    const char *shell = pick_shell(options->shell);
    set_environment(options, self->request, shell);
    locale_drop_missing();
    const char *program = pick_program(self, shell);
    if ((root ? privileges_become_root(options) : privileges_become_user(options)) < 0)
        fail_stage(self, SESSION_STAGE_SETUP, errno);
    enter_folder(self);
    if (guards_attach(options, root) < 0)
        fail_stage(self, SESSION_STAGE_GUARD, errno);
    execvp(program, self->request->argv);
    fail_stage(self, SESSION_STAGE_EXEC, errno);
    return 127;
}

/*
 * The child borrows this process's memory, and this process waits until it has executed its program
 * or ended (vfork(2)): to copy the memory's tables, and each page that one of them writes, would
 * take longer than all the rest. The table of descriptors, the folder, signals and rights are the
 * child's own.
 *
 * No process of the user can look into that memory: giving up root makes it undumpable (prctl(2)).
 * Where the machine's root wants that otherwise, the child gets a copy and only its stack is
 * shared.
 */
pid_t command_start(const struct init_options *options, const struct session_command *request,
                    const struct command_files *files, struct session_failed *failure)
{
    int borrows = privileges_keep_memory();
    size_t size = STACK_BYTES + (request->start.argc + 2) * sizeof(char *);
    size -= size % _Alignof(max_align_t);
    *failure = (struct session_failed){SESSION_STAGE_SETUP, 0};
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       (borrows ? MAP_PRIVATE : MAP_SHARED) | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) {
        failure->error = errno;
        return -1;
    }
    struct child *child = (struct child *)(stack + size) - 1;
    *child = (struct child){options, request, files, *failure, 0};
    pid_t pid = clone(run_child, child, (borrows ? CLONE_VM : 0) | CLONE_VFORK | SIGCHLD, child);
    if (pid < 0)
        child->failure.error = errno;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* setresuid(2) sets it to what the machine's root likes */
    *failure = child->failure;
    int has_failed = child->has_failed;
    munmap(stack, size);
    if (!has_failed)
        return pid;
    waitpid(pid, NULL, 0);
    return -1;
}
