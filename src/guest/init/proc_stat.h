/* The lines of /proc/PID/stat, in which a process has chosen its name. libc only. */
#pragma once

/* Longest name with its NUL (TASK_COMM_LEN of the kernel). */
#define PROCESS_NAME_MAX 16

struct process {
    int pid, parent;
    int terminal; /* its controlling terminal's device number; 0: none */
    char state;   /* 'R', 'S', 'T', 'Z', … */
    char name[PROCESS_NAME_MAX];
    int mark; /* proc_tree_mark() */
};

/* Parses LINE. 0, or -1 when it is none. */
int proc_stat_parse(const char *line, struct process *process);
