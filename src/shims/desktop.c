/*
 * What asks the host's desktop from inside a box, by the names that programs know: xdg-open, open,
 * sensible-browser, x-www-browser and www-browser ADDRESS…, and notify-send [OPTION…] TITLE [BODY].
 *
 * Each says one thing to the bridge (bridge/request.h) and waits for the answer; its exit status is
 * the answer's. The box's policy ([desktop] open, notify) and the user decide on the other side.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bridge/request.h"

#define FOLDER "/run/litterbox/desktop/"
/* A little more than the minute that the user has to answer. */
#define PATIENCE_MS 80000
#define TEXTS_MAX 3

static const char *name;

static int say(int status, const char *sentence)
{
    if (*sentence)
        fprintf(stderr, "%s: %s\n", name, sentence);
    return status;
}

static int connect_to_bridge(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = FOLDER REQUEST_SOCKET};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* The texts, each with its NUL; 0 when they are too long. */
static size_t pack(char *packet, const char *const *texts)
{
    size_t length = 0;
    for (; *texts; texts++) {
        size_t size = strlen(*texts) + 1;
        if (size > REQUEST_MAX - length)
            return 0;
        memcpy(packet + length, *texts, size);
        length += size;
    }
    return length;
}

static int ask(const char *const *texts)
{
    char packet[REQUEST_MAX], answer[REQUEST_ANSWER_MAX + 1];
    size_t length = pack(packet, texts);
    if (!length)
        return say(REQUEST_WRONG, "that is too long");
    int fd = connect_to_bridge();
    if (fd < 0)
        return say(REQUEST_UNABLE, "no desktop of the host answers: there is none, or the box may "
                                   "ask nothing of it ([desktop] open, notify)");
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    ssize_t got = -1;
    if (send(fd, packet, length, MSG_NOSIGNAL) == (ssize_t)length &&
        poll(&wait, 1, PATIENCE_MS) == 1)
        got = recv(fd, answer, sizeof answer - 1, 0);
    close(fd);
    if (got < 1)
        return say(REQUEST_UNABLE, "the host gave no answer");
    answer[got] = '\0';
    return say((unsigned char)answer[0], answer + 1);
}

/* The worst of them. */
static int open_all(char **addresses)
{
    int status = REQUEST_DONE;
    for (; *addresses; addresses++) {
        const char *const texts[] = {"open", *addresses, NULL};
        int its = ask(texts);
        if (its > status)
            status = its;
    }
    return status;
}

static int open_usage(int status)
{
    fprintf(
        status ? stderr : stdout,
        "usage: %s ADDRESS…\n"
        "Opens pages (http, https) and mails (mailto) outside of this box, where the user is asked.\n"
        "Exit status: 0 opened, 1 not understood, 2 a file of the box, 3 no desktop, 4 refused.\n",
        name);
    return status;
}

static int open_main(char **argv)
{
    if (!argv[1] || strcmp(argv[1], "--help") == 0)
        return open_usage(argv[1] ? 0 : REQUEST_WRONG);
    /* Everything else goes to the host, which knows what an address is. */
    return open_all(argv + 1);
}

/* libnotify's: taken and left, but for the texts. */
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
    if (optind >= argc || argc - optind > 2)
        return say(REQUEST_WRONG, "usage: notify-send [OPTION…] TITLE [BODY]");
    const char *const texts[TEXTS_MAX + 1] = {"notify", argv[optind],
                                              argv[optind + 1] ? argv[optind + 1] : ""};
    return ask(texts);
}

int main(int argc, char **argv)
{
    name = argc > 0 && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    if (argc < 1)
        return REQUEST_WRONG;
    return strcmp(name, "notify-send") == 0 ? notify_main(argc, argv) : open_main(argv);
}
