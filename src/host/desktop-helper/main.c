/*
 * litterbox-desktop-helper RUNTIME KEY=VALUE…: does one thing that a box asked of the user's
 * desktop. The request (proto/desktop_request.h) comes on stdin, stdout is the connection of who
 * asked. The bridge's launcher starts it, whose options (host/bridge/main.c) it gets; what is in
 * the request is the box's.
 *
 * It runs as the user, with all of the user's rights, so what it makes of the request is little: a
 * page to be opened, checked (url.h), asked about (ask.h) and given to the browser (browser.h), or
 * two texts to be shown (notify.h).
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config/setting_options.h"
#include "host/desktop-helper/errand.h"
#include "host/desktop-helper/notify.h"
#include "host/desktop-helper/open.h"
#include "proto/desktop_answer.h"
#include "proto/helper_options.h"
#include "sys/crash.h"
#include "sys/debug.h"

void errand_answer(enum request_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    answer_send(ERRAND_CONNECTION, outcome, sentence);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0)
        dup2(null, ERRAND_CONNECTION);
}

/* The launcher has written all of it, and nobody else can. */
static gsize read_request(char *data, gsize size)
{
    gsize length = 0;
    for (gssize n; length < size && (n = read(STDIN_FILENO, data + length, size - length)) > 0;)
        length += (gsize)n;
    return length;
}

static enum open_policy open_policy(char **options)
{
    static const struct setting_option table[] = {
        {"desktop.open", SETTING_CHOICE, 0, open_policy_choices}, {0}};
    enum open_policy policy = OPEN_DENY;
    for (; *options; options++)
        if (setting_option_read(table, *options, &policy) < 0)
            return OPEN_DENY;
    return policy;
}

int main(int argc, char **argv)
{
    static char data[REQUEST_MAX + 1];
    struct request asked;
    if (argc < 3) {
        fprintf(stderr, "litterbox-desktop-helper: is started by litterbox-bridge\n");
        return 64;
    }
    crash_handler_install("litterbox-desktop-helper", NULL);
    debug_start("litterbox-desktop-helper");
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    errand self = {.runtime = argv[1],
                   .box = option_value(argv, "name"),
                   .project = option_value(argv, "project"),
                   .may_open = open_policy(argv) == OPEN_ALLOW};
    const char *wrong = request_parse(&asked, data, read_request(data, sizeof data));
    if (wrong)
        errand_answer(REQUEST_WRONG, "%s", wrong);
    else if (asked.kind == REQUEST_OPEN)
        open_page(&self, asked.text[0]);
    else
        notify_show(&self, asked.text[0], asked.text[1]);
    return 0;
}
