/*
 * Says where one of our programs crashed. A handler of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
 * SIGSYS and SIGTRAP notes the program counter as MODULE+0xOFFSET, for
 *
 *     addr2line -f -e MODULE 0xOFFSET
 *
 * and lets the signal end the process. libc only; the handler calls nothing but what
 * signal-safety(7) allows.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CRASH_MODULE_MAX 32

struct crash_place {
    char module[CRASH_MODULE_MAX]; /* file name of the program or library; "" for none */
    uintptr_t offset;              /* from its load address; without a module the address itself */
};

/* In memory that a supervisor shares with its worker, which may write anything into it. */
struct crash_record {
    pid_t owner; /* writes its crash here; other processes that inherit the handler print a line */
    int signal;  /* 0: no crash */
    int call;    /* SIGSYS: number of the system call */
    struct crash_place at;
    /* When that is in a library: a place in the program on the stack, most likely the caller. */
    struct crash_place from;
};

/*
 * Installs the handler for this process and for those that it forks, until they execute another
 * program. PROGRAM (kept) is the name for messages. A crash of RECORD's owner is written to RECORD;
 * without one (NULL), and in other processes, the handler prints one line to stderr. In PID 1 of a
 * namespace a signal that somebody has sent stays without effect, as it is without a handler
 * (pid_namespaces(7)). Does nothing in a build with a sanitizer, which has handlers of its own.
 */
void crash_handler_install(const char *program, struct crash_record *record);

/* 1 when the handler is installed for SIGNAL. */
int crash_is_handled(int signal);

/*
 * Writes the place of RECORD, of the form " at MODULE+0xOFFSET", or "" when the record has no crash
 * by SIGNAL. The result may hold any bytes: see sys/debug.h.
 */
void crash_describe(const struct crash_record *record, int signal, char *text, size_t room);

/* Prints "PROGRAM: NAME was killed by SIG…" to stderr when STATUS, of waitpid(2), says so. */
void crash_report_child(const char *program, const char *name, int status);

/* "SIGSEGV" for SIGNAL; "signal 77" for one without a name. */
const char *crash_signal_name(int signal);
