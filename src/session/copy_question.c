#include "session/copy_question.h"

#include <sys/eventfd.h>
#include <unistd.h>

void copy_question_init(struct copy_question *self, const struct client_hooks *hooks)
{
    int asks = hooks && hooks->copy_ask && hooks->terminal & TERMINAL_ASK_CLIPBOARD;
    *self = (struct copy_question){.wake = -1, .answer = -1};
    if (!asks || (self->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        return;
    self->hooks = hooks;
}

void copy_question_watch(struct copy_question *self, struct screen *screen)
{
    if (self->hooks)
        screen->filter.copy.wake = self->wake;
    else
        screen->filter.allowed &= ~(unsigned)TERMINAL_ASK_CLIPBOARD;
}

void copy_question_poll(const struct copy_question *self, struct pollfd polls[2])
{
    polls[0] = (struct pollfd){.fd = self->wake, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = self->answer, .events = POLLIN};
}

static void ask_to_copy(struct copy_question *self, struct screen *screen)
{
    size_t length;
    struct terminal_copy *copy = &screen->filter.copy;
    const char *text = terminal_copy_text(copy, &length);
    self->answer = self->hooks->copy_ask(text, length, self->hooks->data);
    self->about = screen;
    if (self->answer < 0)
        terminal_copy_answer(copy, 0);
}

struct screen *copy_question_step(struct copy_question *self, const struct pollfd polls[2],
                                  struct screen *screens, int count)
{
    struct screen *granted = NULL;
    eventfd_t ignored;
    if (polls[0].revents)
        eventfd_read(self->wake, &ignored);
    if (polls[1].revents) {
        int yes = self->hooks->copy_answer(self->answer, self->hooks->data) == 1;
        self->answer = -1;
        terminal_copy_answer(&self->about->filter.copy, yes);
        granted = yes ? self->about : NULL;
    }
    for (int i = 0; i < count && self->answer < 0 && (polls[0].revents || polls[1].revents); i++) {
        if (terminal_copy_state(&screens[i].filter.copy) == COPY_WAITS)
            ask_to_copy(self, &screens[i]);
    }
    return granted;
}

void copy_question_end(struct copy_question *self)
{
    if (self->answer >= 0)
        close(self->answer);
    if (self->wake >= 0)
        close(self->wake);
    self->wake = self->answer = -1;
}
