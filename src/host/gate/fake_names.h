/*
 * The names that a box has asked for, and the addresses that stand for them (FAKE_NETWORK).
 *
 * The n-th name gets the n-th address, and keeps it as long as the box exists: an address that came
 * to mean another name would lead a program, with its credentials, to another host. So the names
 * are kept in a file, a line each, to which they are appended before an answer is sent. libc only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Most names of a box. More can be asked for where a rule has "*." alone; a box that does so still
 * gets addresses for this many names of other rules. */
#define FAKE_NAMES_MAX 16384
#define FAKE_NAMES_RESERVED 4096

/* Reads the file at PATH, or makes it. Its folder belongs to the user alone. 0, or -1 with errno.
 */
int fake_names_open(const char *path);

/* The address of NAME (normalised), in host byte order; 0 with errno: there is no room for another
 * name, or it could not be written. IS_EXACT: a rule has just this name. */
uint32_t fake_names_address(const char *name, bool is_exact);
/* The name that ADDRESS stands for, or NULL. */
const char *fake_names_find(uint32_t address);
