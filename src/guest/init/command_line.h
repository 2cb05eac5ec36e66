/*
 * The command line of PID 1, which every process of the box can read in /proc/1/cmdline, and which
 * its children that execute nothing (the guards) show as theirs: kilobytes of paths.
 */
#pragma once

/*
 * Returns a copy of ARGV, and leaves the name of the program alone in what /proc and ps show.
 * ARGV as the kernel gave it, before anything keeps a pointer into it. NULL: no memory.
 */
char **command_line_hide(int argc, char **argv);
