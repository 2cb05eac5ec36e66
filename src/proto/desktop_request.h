/*
 * Requests of programs in a box to the host's desktop, by way of the bridge. libc only.
 *
 * A connection to a SOCK_SEQPACKET socket carries one request and its answer, each one packet:
 *
 *   "open" NUL ADDRESS NUL                      open a page in the host's browser
 *   "notify" NUL TITLE NUL BODY NUL             show a notification
 *   "picture-types" NUL                         may the box ask for a picture? Nobody is asked
 *   "picture" NUL                               the picture (PNG) that the user has copied
 *
 * The answer is one byte (enum request_outcome) and a sentence for the user, which may be empty and
 * has no NUL. Where a picture is given, its length in bytes, a decimal number, takes the place of
 * the sentence, and the picture follows in further packets.
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

/* Bytes of a picture in one packet at most. */
#define REQUEST_PART_MAX 32768

enum request_kind {
    REQUEST_OPEN,
    REQUEST_NOTIFY,
    REQUEST_PICTURE_TYPES,
    REQUEST_PICTURE,
    REQUEST_KINDS
};

struct desktop_request {
    enum request_kind kind;
    const char *text[2]; /* the address; or title and body; point into the packet */
};

/* The result; also the exit status of the shim that has asked. */
enum request_outcome {
    REQUEST_DONE,
    REQUEST_WRONG,   /* invalid, or an address that cannot be opened */
    REQUEST_FILE,    /* a file of the box */
    REQUEST_UNABLE,  /* the host has no display, no browser … */
    REQUEST_REFUSED, /* by the user or the box's policy */
};

/* Parses DATA, LENGTH bytes, which SELF then points into. NULL, or a sentence for the answer that
 * says what is wrong. */
const char *desktop_request_parse(struct desktop_request *self, const char *data, size_t length);

/* The bridge's side: sends the answer to the connection FD. Does not block, and ignores errors. */
void desktop_answer_send(int fd, enum request_outcome outcome, const char *sentence);
/* Answers with the picture DATA, 1 to CLIP_MAX bytes. Waits for whoever reads it, but not for long.
 * 0, or -1 when not all of it was sent. */
int desktop_picture_send(int fd, const unsigned char *data, size_t length);

/* The side of a program in a box. The timeout is more than the minute that the user has to answer.
 */
#define DESKTOP_REQUEST_TIMEOUT_MS 80000

struct desktop_answer {
    enum request_outcome outcome;
    char sentence[REQUEST_ANSWER_MAX]; /* for the user; may be empty */
};

/*
 * Sends the request TEXTS, NULL-terminated. Returns the connection, which becomes readable when the
 * answer is there and which the caller closes; or -1, and *ANSWER says why the request was not
 * sent.
 */
int desktop_request_send(const char *const *texts, struct desktop_answer *answer);
/* Receives the answer; an answer that is missing reads as REQUEST_UNABLE. Does not block. */
void desktop_request_receive(int connection, struct desktop_answer *answer);
/* Both, for a program that has nothing else to do meanwhile. The connection, or -1, as above. */
int desktop_request_ask(const char *const *texts, struct desktop_answer *answer);
/* What the program NAME does with ANSWER: prints its sentence on stderr, if there is one, and
 * returns its exit status. */
int desktop_answer_show(const struct desktop_answer *answer, const char *name);
/* Receives the picture that ANSWER has announced, and waits for each part of it, but not for long.
 * Returns it, from malloc(), with its *LENGTH; NULL when it does not arrive as announced. */
unsigned char *desktop_picture_receive(int connection, const struct desktop_answer *answer,
                                       size_t *length);
