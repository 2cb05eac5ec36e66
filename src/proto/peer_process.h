/*
 * The program that asks, as /proc shows it. It is only displayed, and decides nothing: a program in
 * a box can give itself any name.
 */
#pragma once

#include <sys/types.h>

#include "proto/question.h"

/* Adds the chain of programs from PID up to, and without, OUTERMOST (PID 1 of the box) to ASKED.
 * Nothing is added when PID is gone. */
void peer_process_add_chain(question *asked, pid_t pid, pid_t outermost);

/* The number of PID's controlling terminal, a pty of its box; -1: none, or none that is known. */
int peer_process_terminal(pid_t pid);

/* The words of PID's command line, a new array; NULL when it cannot be read. */
char **peer_process_arguments(pid_t pid);
