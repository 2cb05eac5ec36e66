/*
 * What a program in a box asks of the desktop: one packet over a SOCK_SEQPACKET socket, which is
 * answered with one packet, after which the connection ends. libc only.
 *
 *   "open" NUL ADDRESS NUL                      a page in the browser of the host
 *   "notify" NUL TITLE NUL BODY NUL             a notification on its desktop
 *
 * The answer: a byte, how it went, and a sentence for people (may be empty), without a NUL.
 */
#pragma once

#include <stddef.h>

/* The socket's name in the mounted folder. */
#define REQUEST_SOCKET "requests"

#define REQUEST_ADDRESS_MAX 8192
#define REQUEST_TITLE_MAX 512
#define REQUEST_BODY_MAX 4096
#define REQUEST_MAX (REQUEST_ADDRESS_MAX + 64)
#define REQUEST_ANSWER_MAX 1024

enum request_kind { REQUEST_OPEN, REQUEST_NOTIFY, REQUEST_KINDS };

struct desktop_request {
    enum request_kind kind;
    const char *text[2]; /* the address; or title and body; point into the packet */
};

/* How it went: the exit status of who asked. */
enum request_outcome {
    REQUEST_DONE,
    REQUEST_WRONG,   /* not understood, or nothing that can be opened */
    REQUEST_FILE,    /* a file of the box */
    REQUEST_UNABLE,  /* the host has no display, no browser … for it */
    REQUEST_REFUSED, /* by the user, or the box's policy */
};

/* NULL, or what is wrong: a sentence for the answer. DATA stays the caller's. */
const char *desktop_request_parse(struct desktop_request *self, const char *data, size_t length);

/* The answer to who is connected as FD. Does not block; nothing comes of it when they
 * have gone. */
void desktop_answer_send(int fd, enum request_outcome outcome, const char *sentence);

/* A little more than the minute that the user has to answer. */
#define DESKTOP_REQUEST_TIMEOUT_MS 80000

struct desktop_answer {
    enum request_outcome outcome;
    char sentence[REQUEST_ANSWER_MAX]; /* for people; may be empty */
};

/*
 * Asks for TEXTS, ended by NULL. The connection, on which the answer comes and which the caller
 * closes; or -1, and *ANSWER says why nobody has been asked.
 */
int desktop_request_send(const char *const *texts, struct desktop_answer *answer);
/* Reads the answer, once it is there. */
void desktop_request_receive(int connection, struct desktop_answer *answer);
