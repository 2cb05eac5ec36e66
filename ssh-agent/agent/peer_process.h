/*
 * Which program asks, as /proc tells. It is for display alone, and decides nothing: a program in a
 * box may call itself what it likes.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "proto/question.h"

/* Programs of a chain that are shown, and bytes of a command line that are read. */
#define PEER_PROCESS_CHAIN_MAX 8
#define PEER_PROCESS_COMMAND_MAX 4096

/* Adds the chain of programs from PID up to, and without, OUTERMOST (PID 1 of the box) to ASKED.
 * Nothing is added when PID is gone. */
void peer_process_add_chain(question *asked, pid_t pid, pid_t outermost);

/* The words of PID's command line, a new array; NULL when it cannot be read. */
char **peer_process_arguments(pid_t pid);
