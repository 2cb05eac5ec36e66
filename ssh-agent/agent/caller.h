/*
 * Which program asks, as /proc tells it. For display alone: a program in a box may call itself what
 * it likes. Nothing is decided by it.
 */
#pragma once

#include <glib.h>
#include <jansson.h>
#include <sys/types.h>

/* Programs of a chain that are told, and bytes of one's command. */
#define CALLER_CHAIN_MAX 8
#define CALLER_COMMAND_MAX 4096

/* The chain from PID up to, and without, OUTERMOST (PID 1 of the box): as the prompt's contract
 * has it, outermost last. Empty when nothing can be told. */
json_t *caller_chain(pid_t pid, pid_t outermost);

/* The words of PID's command line; NULL when it cannot be read. */
char **caller_arguments(pid_t pid);
