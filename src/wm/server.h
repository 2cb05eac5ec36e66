/* The X server whose windows we manage: a child of ours. */
#pragma once

/*
 * Starts ARGV with all descriptors that it is to have, and none of ours. When it ends we do. -1: it
 * could not be.
 */
int server_start(char **argv);
