/*
 * wl-paste and xclip of a box, by the name of the file, for AI agents in a terminal: what they do
 * when their user pastes a picture (paste_arguments.h) becomes a request to the bridge
 * (proto/desktop_request.h), which asks the user. The list of types tells nothing of the clipboard:
 * where the box may ask for a picture ([desktop] clipboard), it has a picture. For everything else
 * the next program of that name in PATH is executed, if there is one.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/shims/paste_arguments.h"
#include "proto/clip_content.h"
#include "proto/desktop_request.h"

/* Exit status of a shell for a program that is not there. */
#define NO_PROGRAM 127

static const char *called_as;

static int fail(int status, const char *sentence)
{
    fprintf(stderr, "%s: %s\n", called_as, sentence);
    return status;
}

static int list_types(void)
{
    static const char *const texts[] = {"picture-types", NULL};
    struct desktop_answer answer;
    int fd = desktop_request_ask(texts, &answer);
    if (fd >= 0)
        close(fd);
    if (answer.outcome == REQUEST_DONE)
        puts(CLIP_TYPE_PICTURE);
    return desktop_answer_show(&answer, called_as);
}

/* Nothing is written before the whole picture is there. */
static int print_picture(void)
{
    static const char *const texts[] = {"picture", NULL};
    struct desktop_answer answer;
    size_t length;
    int fd = desktop_request_ask(texts, &answer);
    if (fd < 0 || answer.outcome != REQUEST_DONE)
        return desktop_answer_show(&answer, called_as);
    unsigned char *picture = desktop_picture_receive(fd, &answer, &length);
    if (!picture)
        return fail(REQUEST_UNABLE, "the picture did not arrive");
    if (fwrite(picture, 1, length, stdout) != length || fflush(stdout) != 0)
        return fail(REQUEST_UNABLE, strerror(errno));
    return REQUEST_DONE;
}

static int is_this(const char *path)
{
    struct stat self, other;
    return stat("/proc/self/exe", &self) < 0 || stat(path, &other) < 0 ||
           (self.st_dev == other.st_dev && self.st_ino == other.st_ino);
}

/* Returns when there is no such program. */
static void execute_next(char **argv)
{
    const char *folder = getenv("PATH");
    for (size_t length; folder; folder += length, folder = *folder ? folder + 1 : NULL) {
        char path[PATH_MAX];
        length = strcspn(folder, ":");
        int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, called_as);
        if (*folder == '/' && size > 0 && (size_t)size < sizeof path && !is_this(path))
            execv(path, argv);
    }
}

int main(int argc, char **argv)
{
    if (argc < 1)
        return REQUEST_WRONG;
    called_as = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    switch (strcmp(called_as, "xclip") == 0 ? paste_request_xclip(argv)
                                            : paste_request_wl_paste(argv)) {
    case PASTE_TYPES:
        return list_types();
    case PASTE_PICTURE:
        return print_picture();
    case PASTE_OTHER:
        break;
    }
    execute_next(argv);
    return fail(NO_PROGRAM, "the box has no such program of its own, and Litterbox's gives "
                            "pictures alone (box-desktop(7), CLIPBOARD)");
}
