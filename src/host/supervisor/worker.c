#include "host/supervisor/worker.h"

#include <unistd.h>

static struct worker_page *page; /* NULL: without a supervisor */
static int answers = -1;

void worker_begin(struct worker_page *shared, int fd)
{
    page = shared;
    page->crash = (struct crash_record){.owner = getpid()};
    answers = fd;
}

int stages_run(const struct stage *stages, void *data)
{
    enum stage_result result = STAGE_NEXT;
    for (unsigned i = 0; stages[i].name && result == STAGE_NEXT; i++) {
        if (page)
            page->stage = i;
        result = stages[i].run(data);
    }
    return result == STAGE_FAILED;
}

const char *stage_name(const struct stage *stages, unsigned index)
{
    for (unsigned i = 0; stages[i].name; i++)
        if (i == index)
            return stages[i].name;
    return "?";
}

static void answer(enum helper_answer kind, const char *line)
{
    helper_answer_send(answers, kind, line);
    if (answers >= 0)
        close(answers);
    answers = -1;
}

void worker_ready(const char *line)
{
    answer(HELPER_IS_READY, line);
}

void worker_result(const char *line)
{
    answer(HELPER_IS_DONE, line);
}
