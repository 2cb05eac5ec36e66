#include "common/interrupt.h"

#include <signal.h>

#include "common/error.h"

static volatile sig_atomic_t was_interrupted;

static void note_interrupt(int number)
{
    (void)number;
    was_interrupted = 1;
}

static void set_handler(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
        sigaction(numbers[i], &action, NULL);
}

void interrupt_begin(void)
{
    was_interrupted = 0;
    set_handler(note_interrupt);
}

void interrupt_ignore(void)
{
    set_handler(SIG_IGN);
    was_interrupted = 0;
}

void interrupt_end(void)
{
    set_handler(SIG_DFL);
    was_interrupted = 0;
}

gboolean interrupt_check(GError **error)
{
    if (was_interrupted)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "nothing was changed");
    return !was_interrupted;
}
