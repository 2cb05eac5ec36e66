#include "host/supervisor/alarm.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "net/token_bucket.h"
#include "sys/clock.h"
#include "sys/signals.h"

/* A program that says the same to its server with each request must not fill the user's screen. */
#define BURST 3
#define REFILL_MS (10 * 60 * 1000)

static _Noreturn void become_program(const char *program, const char *box, int input)
{
    signals_reset();
    /* stderr is /dev/null since the supervisor started. */
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        execl("/proc/self/exe", program, ALARM_OPTION, box, (char *)NULL);
    _exit(127);
}

void alarm_hear(const char *program, const char *box, const char *text, size_t length)
{
    static struct token_bucket limit = {.burst = BURST, .refill_ms = REFILL_MS};
    size_t prefix = strlen(ALARM_PREFIX);
    int ends[2];
    if (length <= prefix || memcmp(text, ALARM_PREFIX, prefix) != 0 ||
        !token_bucket_take(&limit, clock_ms()) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return;
    /* A line fits into a pipe. */
    if (write(ends[1], text + prefix, length - prefix) > 0 && fork() == 0)
        become_program(program, box, ends[0]);
    close(ends[0]);
    close(ends[1]);
}
