#include "host/supervisor/worker.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sys/descriptors.h"

static struct worker_page *page; /* NULL: without a supervisor */
static int answers = -1, records = -1, keeper[2] = {-1, -1};

void worker_begin(struct worker_page *shared, int answer_pipe, int record_pipe, const int kept[2])
{
    page = shared;
    page->crash = (struct crash_record){.owner = getpid()};
    answers = answer_pipe;
    records = record_pipe;
    memcpy(keeper, kept, sizeof keeper);
}

int worker_kept(void)
{
    char byte;
    int fd = -1, flags = MSG_PEEK | MSG_DONTWAIT;
    return descriptors_receive(keeper[0], &byte, 1, &fd, 1, &flags) == 1 ? fd : -1;
}

int worker_keep(int fd)
{
    int status = fd < 0 || descriptors_send(keeper[1], "", 1, &fd, 1, MSG_DONTWAIT) == 1 ? 0 : -1;
    for (int i = 0; i < 2; i++) {
        if (keeper[i] >= 0)
            close(keeper[i]);
        keeper[i] = -1;
    }
    return status;
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
