/* An end to calls of the guard's own that may take their time (fifo_open.c). */
#pragma once

/* How long it takes to notice that the caller was killed, or has a signal to handle. */
#define FIFO_SLICE_MS 50

/* Interrupts this process's calls again and again; 0: no more. 0, or -1 with errno. */
int guard_interrupt_every(int interval_ms);
