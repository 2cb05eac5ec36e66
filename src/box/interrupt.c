#include "box/interrupt.h"

#include <signal.h>

#include "podman/podman.h"

static struct sigaction old_int, old_term;

static void cancel(int number)
{
    (void)number;
    podman_cancel();
}

void interrupt_begin(void)
{
    struct sigaction action = {.sa_handler = cancel};
    podman_cancel_reset();
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
}

void interrupt_end(void)
{
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
}
