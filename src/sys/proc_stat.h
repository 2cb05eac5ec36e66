/* What /proc/PID/stat says of a process, which has chosen its name itself. libc only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Longest name with its NUL (TASK_COMM_LEN of the kernel). */
#define PROC_STAT_NAME_MAX 16

/* The fields of proc_pid_stat(5) that somebody asks for. */
struct proc_stat {
    int pid, parent;
    char state; /* 'R', 'S', 'T', 'Z', … */
    char name[PROC_STAT_NAME_MAX];
    int session;
    int terminal;            /* its controlling terminal's device number; 0: none */
    uint64_t children_ticks; /* of processors, that its ended children have had */
    uint64_t threads;
    uint64_t start; /* in clock ticks since the machine's start */
    uint64_t size;  /* of its memory, in bytes; 0 when it is exiting */
    uint64_t pages; /* resident */
    int processor;  /* that it runs on, or ran on */
};

/* Parses LINE. 0, or -1 when it is none. */
int proc_stat_parse(struct proc_stat *self, const char *line);
/* Reads that of PID, a process or a thread. 0, or -1 with errno: ENOENT or ESRCH when it has ended.
 */
int proc_stat_read(struct proc_stat *self, int pid);

/* TRUE while PID runs: not for a zombie, nor for one that is exiting. */
bool proc_stat_is_alive(int pid);

/* The number of its controlling terminal in /dev/pts; -1 when that is none of these. */
int proc_stat_pty(const struct proc_stat *self);
