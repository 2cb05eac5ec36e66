/*
 * What the agent gives up. Harden: not dumpable, no core, memory not swapped, no new privileges.
 * Enter: files (Landlock) and system calls (seccomp) that it does not need once it runs. What the
 * kernel does not know is left out: the agent is then as protected as the machine allows.
 */
#pragma once

/* At the very start; the launcher and the prompt inherit the first of it. */
void sandbox_harden(void);
/* When every socket, file and thread of the start-up is there. */
void sandbox_enter(void);
