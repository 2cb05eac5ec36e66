/*
 * The commands of a box that use the host's desktop: xdg-open, open, sensible-browser,
 * x-www-browser and www-browser ADDRESS…, and notify-send [OPTION…] TITLE [BODY]. The file name of
 * the program says which one it is.
 *
 * Each sends one request to the bridge (proto/desktop_request.h) and waits for the answer, which is
 * its exit status. The bridge applies the box's policy ([desktop] open, notify) and asks the user.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/desktop_request.h"

#define TEXTS_MAX 3

static const char *name;

static int request(const char *const *texts)
{
    struct desktop_answer answer;
    int fd = desktop_request_ask(texts, &answer);
    if (fd >= 0)
        close(fd);
    return desktop_answer_show(&answer, name);
}

/* Returns the highest exit status. */
static int open_all(char **addresses)
{
    int status = REQUEST_DONE;
    for (; *addresses; addresses++) {
        const char *const texts[] = {"open", *addresses, NULL};
        int outcome = request(texts);
        if (outcome > status)
            status = outcome;
    }
    return status;
}

static int open_usage(int status)
{
    fprintf(
        status ? stderr : stdout,
        "usage: %s ADDRESS…\n"
        "Opens web pages (http, https) and mail addresses (mailto) on the host, which asks the user.\n"
        "Exit status: 0 opened, 1 invalid address, 2 a file of the box, 3 no desktop, 4 refused.\n",
        name);
    return status;
}

static int open_main(char **argv)
{
    if (!argv[1] || strcmp(argv[1], "--help") == 0)
        return open_usage(argv[1] ? 0 : REQUEST_WRONG);
    /* The bridge checks the addresses. */
    return open_all(argv + 1);
}

/* Accepts the options of libnotify's notify-send and ignores them. */
static int notify_main(int argc, char **argv)
{
    static const struct option known[] = {
        {"urgency", 1, NULL, 'u'},    {"expire-time", 1, NULL, 't'}, {"app-name", 1, NULL, 'a'},
        {"icon", 1, NULL, 'i'},       {"category", 1, NULL, 'c'},    {"hint", 1, NULL, 'h'},
        {"replace-id", 1, NULL, 'r'}, {"action", 1, NULL, 'A'},      {"print-id", 0, NULL, 'p'},
        {"wait", 0, NULL, 'w'},       {"transient", 0, NULL, 'e'},   {"app-icon", 1, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "u:t:a:i:c:h:r:A:pwen:", known, NULL)) != -1)
        if (option == '?')
            return REQUEST_WRONG;
    if (optind >= argc || argc - optind > 2) {
        fprintf(stderr, "usage: %s [OPTION…] TITLE [BODY]\n", name);
        return REQUEST_WRONG;
    }
    const char *const texts[TEXTS_MAX + 1] = {"notify", argv[optind],
                                              argv[optind + 1] ? argv[optind + 1] : ""};
    return request(texts);
}

int main(int argc, char **argv)
{
    name = argc > 0 && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    if (argc < 1)
        return REQUEST_WRONG;
    return strcmp(name, "notify-send") == 0 ? notify_main(argc, argv) : open_main(argv);
}
