#include "host/supervisor/worker.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct worker_page *page; /* NULL: without a supervisor */
static int answers = -1, records = -1;

void worker_begin(struct worker_page *shared, int answer_pipe, int record_pipe)
{
    page = shared;
    page->crash = (struct crash_record){.owner = getpid()};
    answers = answer_pipe;
    records = record_pipe;
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

/* In one piece, so that two processes of a worker cannot mix theirs. */
void worker_record(const char *line)
{
    struct iovec parts[] = {{(void *)line, strlen(line)}, {(void *)"\n", 1}};
    if (records >= 0 && writev(records, parts, 2) < 0)
        return;
}
