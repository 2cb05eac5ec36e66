#include "guest/init/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/common/privileges.h"
#include "guest/init/guards.h"

/* Of the child, beside a copy of the arguments of its program (execvp(3), a script without "#!").
 */
#define STACK_BYTES ((size_t)256 << 10)
/* For so many arguments a child that was started ahead has room. */
#define AHEAD_ARGUMENTS 8192
/* Of its stack it will use that much, but for a script without "#!". */
#define AHEAD_USED ((size_t)8 << 10)

/* Of a child that was started ahead. The kernel sets CHILD_GONE, when the child has executed its
 * program or ended (CLONE_CHILD_CLEARTID, set_tid_address(2)). */
enum child_state { CHILD_GONE, CHILD_PREPARES, CHILD_WAITS, CHILD_BEGINS };

/* At the top of its stack, which the parent reads as well. */
struct child {
    const struct init_options *options;
    const struct session_command *request;
    const struct command_files *files;
    const char *program;
    struct session_failed failure;
    int has_failed;
    /* Of a child that was started ahead. */
    atomic_int state; /* enum child_state */
    int has_begun;
    pid_t pid, parent;
    char *stack;
    size_t size;
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

static void reset_process(struct child *self)
{
    sigset_t none;
    sigemptyset(&none);
    if (setsid() < 0)
        fail_stage(self, SESSION_STAGE_SETUP, errno);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(022);
    /* No core dumps. If core_pattern is a pipe, root of the host runs a program on the dump, which
     * only a limit of 1 prevents (core(5)). A dump to a file needs more than one byte. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
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

/* close_range() is for descriptors that were inherited without close-on-exec. */
static void set_descriptors(struct child *self)
{
    set_stdio(self);
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
}

static int execute(struct child *self)
{
    execvp(self->program, self->request->argv);
    fail_stage(self, SESSION_STAGE_EXEC, errno);
    return 127;
}

/* As the user, whose processes can kill this one at any moment, nothing changes the memory that it
 * shares with the parent. */
static int run_child(void *data)
{
    struct child *self = data;
    const struct init_options *options = self->options;
    int root = self->request->start.flags & SESSION_ROOT;
    reset_process(self);
    set_descriptors(self);
    if ((root ? privileges_become_root(options) : privileges_become_user(options)) < 0)
        fail_stage(self, SESSION_STAGE_SETUP, errno);
    enter_folder(self);
    if (guards_attach(options, root) < 0)
        fail_stage(self, SESSION_STAGE_GUARD, errno);
    return execute(self);
}

/* A child for ARGUMENTS, whose structure lies at the top of its stack. NULL: no memory. */
static struct child *new_child(const struct init_options *options, size_t arguments, int shared)
{
    size_t size = STACK_BYTES + (arguments + 2) * sizeof(char *);
    size -= size % _Alignof(max_align_t);
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    struct child *self = (struct child *)(stack + size) - 1;
    *self = (struct child){.options = options,
                           .failure = {SESSION_STAGE_SETUP, 0},
                           .state = CHILD_PREPARES,
                           .parent = getpid(),
                           .stack = stack,
                           .size = size};
    return self;
}

/* After its end, or when it has executed its program: what became of it, as command_start(). */
static pid_t finish_child(struct child *self, pid_t pid, struct session_failed *failure)
{
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* setresuid(2) sets it to what the machine's root likes */
    *failure = self->failure;
    int has_failed = self->has_failed;
    munmap(self->stack, self->size);
    if (!has_failed)
        return pid;
    waitpid(pid, NULL, 0);
    return -1;
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
static pid_t start_child(struct child *self, int borrows, struct session_failed *failure)
{
    pid_t pid = clone(run_child, self, (borrows ? CLONE_VM : 0) | CLONE_VFORK | SIGCHLD, self);
    if (pid < 0)
        self->failure.error = errno;
    return finish_child(self, pid, failure);
}

static struct child *ahead; /* NULL: there is none */

/* Returns when STATE is not OLD any more. */
static void await_state(atomic_int *state, enum child_state old)
{
    while (atomic_load(state) == (int)old)
        syscall(SYS_futex, state, FUTEX_WAIT, (int)old, NULL, NULL, 0);
}

/* 0 when the state was not OLD. */
static int change_state(atomic_int *state, enum child_state old, enum child_state new)
{
    int expected = (int)old;
    if (!atomic_compare_exchange_strong(state, &expected, (int)new))
        return 0;
    syscall(SYS_futex, state, FUTEX_WAKE, 1, NULL, NULL, 0);
    return 1;
}

/*
 * All that is the same for each command of the user. Until there is a request the process stays
 * root's: else a program of the user could stop or kill it, or leave the next command limits, a
 * priority or few processors. It holds more capabilities than sessions of root, which therefore can
 * do no more than to signal it. Nobody who cannot look into PID 1 can look into it.
 */
static void prepare(struct child *self)
{
    reset_process(self);
    if (privileges_prepare_user(self->options) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
        guards_attach(self->options, 0) < 0)
        _exit(127);
    /* After the above, which would undo it. A session that is killed leaves no such process. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != self->parent)
        _exit(127);
}

/* Until it begins it has its parent's table of descriptors, so it keeps nothing open by itself, and
 * then finds those of the request. */
static int run_ahead(void *data)
{
    struct child *self = data;
    prepare(self);
    change_state(&self->state, CHILD_PREPARES, CHILD_WAITS);
    await_state(&self->state, CHILD_WAITS);
    /* A profile of the user's may refuse it; then the request runs without this process. */
    if (unshare(CLONE_FILES) < 0)
        _exit(127);
    self->has_begun = 1;
    set_descriptors(self);
    if (prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) < 0 || privileges_complete_user(self->options) < 0)
        fail_stage(self, SESSION_STAGE_SETUP, errno);
    enter_folder(self);
    return execute(self);
}

void command_start_ahead(const struct init_options *options)
{
    if (!privileges_keep_memory() || !(ahead = new_child(options, AHEAD_ARGUMENTS, 0)))
        return;
    /* No client is to wait for pages of its stack, or of the environment (Linux 5.14; else it
     * does).
     */
    uintptr_t top = (uintptr_t)ahead & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    madvise((void *)(top - AHEAD_USED), AHEAD_USED, MADV_POPULATE_WRITE);
    setenv("HOME", options->home, 1);
    ahead->pid = clone(run_ahead, ahead, CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID | SIGCHLD,
                       ahead, NULL, NULL, &ahead->state);
    if (ahead->pid < 0) {
        munmap(ahead->stack, ahead->size);
        ahead = NULL;
    }
}

void command_await_ahead(void)
{
    if (!ahead)
        return;
    /* Root of the box may have stopped it, to keep the host out. */
    kill(ahead->pid, SIGCONT);
    await_state(&ahead->state, CHILD_PREPARES);
}

void command_end_ahead(void)
{
    if (!ahead)
        return;
    kill(ahead->pid, SIGKILL);
    waitpid(ahead->pid, NULL, 0);
    munmap(ahead->stack, ahead->size);
    ahead = NULL;
}

/* Lets it run the request. 0 when it did not: it has been killed, or cannot. */
static int begin_ahead(const struct session_command *request, const struct command_files *files,
                       const char *program)
{
    ahead->request = request;
    ahead->files = files;
    ahead->program = program;
    kill(ahead->pid, SIGCONT); /* as above: a client may be slow with its request */
    if (change_state(&ahead->state, CHILD_WAITS, CHILD_BEGINS))
        await_state(&ahead->state, CHILD_BEGINS);
    return ahead->has_begun;
}

/* PID 1 has said so, and the session reads it later. What is ready has the filter of that guard: it
 * could make no file, where a command that is started now is not, and is tried again. */
static int guard_is_gone(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, session_guard_signal(0)) == 1;
}

pid_t command_start(const struct init_options *options, const struct session_command *request,
                    const struct command_files *files, struct session_failed *failure)
{
    const char *program = command_prepare_program(options, request);
    int borrows = privileges_keep_memory();
    if (ahead && program && !(request->start.flags & SESSION_ROOT) &&
        request->start.argc <= AHEAD_ARGUMENTS && !guard_is_gone() &&
        begin_ahead(request, files, program)) {
        struct child *child = ahead;
        ahead = NULL;
        return finish_child(child, child->pid, failure);
    }
    command_end_ahead();
    struct child *child = program ? new_child(options, request->start.argc, !borrows) : NULL;
    if (!child) {
        *failure = (struct session_failed){SESSION_STAGE_SETUP, ENOMEM};
        return -1;
    }
    child->request = request;
    child->files = files;
    child->program = program;
    return start_child(child, borrows, failure);
}
