#include "sys/crash.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* GTK programs load about 90. Those loaded later, as modules, have no name. */
#define MODULES_MAX 128
#define STACK_BYTES 16384
/* How much of the stack is searched for a caller. */
#define SEARCH_BYTES 16384
/* Usual limit of a stack (setrlimit(2), RLIMIT_STACK). */
#define STACK_MAX_BYTES (8u << 20)
#define PAGE_BYTES 4096
#define CALL_BYTES_MAX 8
#define LINE_BYTES 256

/* Whether a call instruction ends at CODE, as in front of every return address. Of the indirect
 * calls of x86-64 those through a register, and through memory with a 32-bit displacement. */
#if defined __x86_64__
static int is_behind_call(const uint8_t *code)
{
    return code[-5] == 0xe8 || (code[-2] == 0xff && (code[-1] & 0xf8) == 0xd0) ||
           (code[-6] == 0xff && (code[-5] & 0x38) == 0x10);
}
#define PROGRAM_COUNTER(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RIP])
#define STACK_POINTER(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RSP])
#elif defined __aarch64__
static int is_behind_call(const uint8_t *code)
{
    uint32_t word;
    memcpy(&word, code - sizeof word, sizeof word);
    return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000;
}
#define PROGRAM_COUNTER(context) ((uintptr_t)(context)->uc_mcontext.pc)
#define STACK_POINTER(context) ((uintptr_t)(context)->uc_mcontext.sp)
#else
#error "crash: no register names for this machine yet"
#endif

/* Found before a crash, because dl_iterate_phdr(3) takes a lock. Only what is used becomes memory.
 */
static struct module {
    uintptr_t base, begin, end; /* load address; its executable part */
    char name[CRASH_MODULE_MAX];
} modules[MODULES_MAX];
static unsigned module_count;
static uintptr_t stack_end;          /* of the main thread */
static const char *crashing_program; /* NULL: no handler is installed */
static struct crash_record *shared;
extern char **environ;

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
#define SIGNALS (sizeof signals / sizeof *signals)

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The first is the program itself, whose name is "". */
static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum && module_count < MODULES_MAX; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        struct module *self = &modules[module_count++];
        self->base = info->dlpi_addr;
        self->begin = info->dlpi_addr + part->p_vaddr;
        self->end = self->begin + part->p_memsz;
        strncpy(self->name,
                *info->dlpi_name ? base_name(info->dlpi_name) : program_invocation_short_name,
                sizeof self->name - 1);
    }
    return 0;
}

static int is_in(const struct module *self, uintptr_t address)
{
    return address >= self->begin && address < self->end;
}

static struct crash_place find_place(uintptr_t address)
{
    struct crash_place place = {.offset = address};
    for (unsigned i = 0; i < module_count; i++) {
        if (!is_in(&modules[i], address))
            continue;
        place.offset = address - modules[i].base;
        memcpy(place.module, modules[i].name, sizeof place.module);
        break;
    }
    return place;
}

/* After a stack overflow the stack pointer leads nowhere. rt_sigprocmask(2) reads its set before it
 * refuses the first argument, and answers EFAULT where it cannot. */
static int is_readable(uintptr_t address)
{
    return syscall(SYS_rt_sigprocmask, -1, address, NULL, sizeof(uint64_t)) == 0 || errno != EFAULT;
}

/* abort(3) ends in a library: the first address of the program on the stack tells more. The stack
 * of another thread, which lies elsewhere, is not searched. */
static struct crash_place find_caller(uintptr_t stack)
{
    struct crash_place none = {0};
    if (stack % sizeof(uintptr_t) || stack >= stack_end || stack_end - stack > STACK_MAX_BYTES)
        return none;
    uintptr_t end = stack_end - stack > SEARCH_BYTES ? stack + SEARCH_BYTES : stack_end;
    for (uintptr_t at = stack; at + sizeof(uintptr_t) <= end; at += sizeof(uintptr_t)) {
        uintptr_t value;
        if ((at == stack || at % PAGE_BYTES == 0) && !is_readable(at))
            break;
        memcpy(&value, (const void *)at, sizeof value);
        if (module_count > 0 && is_in(&modules[0], value - CALL_BYTES_MAX) &&
            is_in(&modules[0], value) && is_behind_call((const uint8_t *)value))
            return find_place(value);
    }
    return none;
}

/* printf(3) is not async-signal-safe. */
static void append(char *line, size_t *used, const char *text)
{
    while (*text && *used < LINE_BYTES - 1)
        line[(*used)++] = *text++;
}

static void append_number(char *line, size_t *used, uintptr_t number, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    append(line, used, digits + at);
}

static void append_place(char *line, size_t *used, const char *word,
                         const struct crash_place *place)
{
    append(line, used, word);
    append(line, used, place->module);
    append(line, used, place->module[0] ? "+0x" : "0x");
    append_number(line, used, place->offset, 16);
}

static void print_record(const struct crash_record *record)
{
    char line[LINE_BYTES], name[17] = "";
    size_t used = 0;
    /* Processes that were forked for a part of the work have a name of their own. */
    prctl(PR_GET_NAME, name);
    append(line, &used,
           strncmp(name, crashing_program, strlen(name)) == 0 ? crashing_program : name);
    append(line, &used, "[");
    append_number(line, &used, (uintptr_t)getpid(), 10);
    append(line, &used, "]: crashed by ");
    append(line, &used, crash_signal_name(record->signal));
    if (record->signal == SIGSYS) {
        append(line, &used, " (system call ");
        append_number(line, &used, (uintptr_t)record->call, 10);
        append(line, &used, ")");
    }
    append_place(line, &used, " at ", &record->at);
    if (record->from.module[0])
        append_place(line, &used, ", called from ", &record->from);
    append(line, &used, "\n");
    if (write(STDERR_FILENO, line, used) < 0)
        return;
}

/* The kernel's own faults have a positive code; only a process itself can imitate one. */
static int is_fault(const siginfo_t *info)
{
    return info->si_code > 0;
}

static void on_crash(int number, siginfo_t *info, void *data)
{
    const ucontext_t *context = data;
    struct crash_record record = {.owner = getpid(), .signal = number};
    if (record.owner == 1 && !is_fault(info))
        return;
    /* Another crash, in here, ends the process. */
    signal(number, SIG_DFL);
    record.call = number == SIGSYS ? info->si_syscall : 0;
    record.at = find_place(PROGRAM_COUNTER(context));
    if (module_count == 0 || !is_in(&modules[0], PROGRAM_COUNTER(context)))
        record.from = find_caller(STACK_POINTER(context));
    if (shared && shared->owner == record.owner)
        *shared = record;
    else
        print_record(&record);
    /* A fault comes again as soon as this returns. What was sent, and SIGSYS, do not. */
    if (!is_fault(info) || number == SIGSYS || number == SIGTRAP)
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

void crash_handler_install(const char *program, struct crash_record *record)
{
    static char stack[STACK_BYTES];
    /* A stack of its own, because the program's may be what is exhausted. */
    const stack_t own_stack = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return;
#endif
    crashing_program = program;
    shared = record;
    module_count = 0;
    /* The kernel puts the environment above all of the main thread's frames (execve(2)). */
    stack_end = (uintptr_t)environ & ~(sizeof(uintptr_t) - 1);
    dl_iterate_phdr(add_module, NULL);
    if (sigaltstack(&own_stack, NULL) < 0)
        action.sa_flags &= ~SA_ONSTACK;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, NULL);
}

int crash_is_handled(int signal)
{
    for (size_t i = 0; crashing_program && i < SIGNALS; i++)
        if (signals[i] == signal)
            return 1;
    return 0;
}

static void describe_place(const struct crash_place *place, const char *word, char *text,
                           size_t room)
{
    snprintf(text, room, "%s%.*s%s0x%llx", word, CRASH_MODULE_MAX, place->module,
             place->module[0] ? "+" : "", (unsigned long long)place->offset);
}

void crash_describe(const struct crash_record *record, int signal, char *text, size_t room)
{
    char at[128], from[128] = "", call[32] = "";
    struct crash_record copy;
    text[0] = '\0';
    memcpy(&copy, record, sizeof copy);
    if (copy.signal != signal)
        return;
    describe_place(&copy.at, " at ", at, sizeof at);
    if (copy.from.module[0])
        describe_place(&copy.from, ", called from ", from, sizeof from);
    if (signal == SIGSYS)
        snprintf(call, sizeof call, " by system call %d", copy.call);
    snprintf(text, room, "%s%s%s", call, at, from);
}

const char *crash_signal_name(int signal)
{
    static char number[32];
    const char *name = signal > 0 && signal < NSIG ? sigabbrev_np(signal) : NULL;
    size_t used = 0;
    if (name)
        append(number, &used, "SIG");
    append(number, &used, name ? name : "signal ");
    if (!name)
        append_number(number, &used, (uintptr_t)signal, 10);
    number[used] = '\0';
    return number;
}

void crash_report_child(const char *program, const char *name, int status)
{
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: %s was killed by %s\n", program, name,
                crash_signal_name(WTERMSIG(status)));
}
