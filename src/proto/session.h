/*
 * What box-init and its clients say to each other over the control socket.
 *
 * A Unix stream socket; each message is a header and a body, numbers in the machine's own order
 * (both ends share the kernel). A client sends one START and then any number of SIGNALs; box-init
 * answers with STARTED or FAILED, and, once STARTED, ends with EXITED. Or a client sends one
 * CONNECT, which CONNECTED or FAILED answers; a box-init from before there was CONNECT hangs up
 * instead. Descriptors travel with the header. libc only: box-init and the sudo shim are static
 * programs that link this code.
 *
 * Both ends take the other for hostile. Functions that parse work on a buffer and are fuzzed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The socket's name in the ctl folder. */
#define SESSION_SOCKET "sock"
/* Beside it: the topics of debug messages for box-init (sys/debug.h), written by `box` before a
 * start. Not an option of box-init, which would be a part of the plan: BOX_DEBUG would make every
 * box drift. */
#define SESSION_DEBUG_FILE "debug"

#define SESSION_VERSION 1

/* Largest body of a START: the kernel's own limit of arguments and environment is 2 MiB for the
 * usual 8 MiB stack. Everything else is small. */
#define SESSION_START_MAX (4u << 20)
#define SESSION_SMALL_MAX 4096u
/* Most strings in a START: an argument takes two bytes at least. */
#define SESSION_STRINGS_MAX (SESSION_START_MAX / 2)

enum session_type {
    SESSION_START = 1, /* client: session_start, then cwd, argv…, env… each NUL-terminated */
    SESSION_SIGNAL,    /* client: session_signal */
    SESSION_ANSWER,    /* client: session_answer to an ASK */
    SESSION_QUERY,     /* client: nothing; answered by INFO */
    SESSION_STARTED, /* init: session_started; with SESSION_TTY one descriptor, the pty's master */
    SESSION_FAILED,  /* init: session_failed: nothing was started */
    SESSION_EXITED,  /* init: session_exited: the last message */
    SESSION_ASK,     /* init: text of a question for the user, not NUL-terminated */
    SESSION_INFO,    /* init: session_info */
    SESSION_CONNECT, /* client: session_connect */
    SESSION_CONNECTED, /* init: nothing; with one descriptor, the connected socket */
};

enum session_flags {
    SESSION_TTY = 1 << 0,      /* make a pty; else three descriptors come with START */
    SESSION_ROOT = 1 << 1,     /* as root of the box */
    SESSION_LOGIN = 1 << 2,    /* argv[0] gets a leading "-" */
    SESSION_DETACH = 1 << 3,   /* outlives the client; output goes to the box's log */
    SESSION_CWD_HINT = 1 << 4, /* cwd is a wish: without it, the box's workdir */
    SESSION_FLAGS = (1 << 5) - 1,
};

/* What becomes of processes that outlive the command. */
enum session_wait {
    SESSION_WAIT_FOREGROUND, /* they go on, nobody waits for them */
    SESSION_WAIT_BACKGROUND, /* the session ends when they have ended */
    SESSION_WAIT_KILL,       /* they are killed when the command ends */
    SESSION_WAITS,
};

/* As argv[0] of a SESSION_LOGIN: the box's own shell, which box-init knows. */
#define SESSION_SHELL "-"

/* Where starting a command failed; FAILED carries it with an errno. */
enum session_stage {
    SESSION_STAGE_REQUEST, /* the request makes no sense */
    SESSION_STAGE_DENIED,  /* not allowed (sudo) */
    SESSION_STAGE_SETUP,   /* pty, fork, privileges */
    SESSION_STAGE_CHDIR,
    SESSION_STAGE_EXEC,
    SESSION_STAGE_CONNECT,
};

struct session_header {
    uint16_t version;
    uint16_t type;
    uint32_t length; /* of the body */
};

struct session_start {
    uint32_t flags;
    uint32_t wait;
    uint64_t timeout_ms; /* 0: none */
    uint16_t rows, cols;
    uint32_t argc, envc;
};

struct session_signal {
    int32_t signal;
};

struct session_answer {
    uint32_t yes;
};

/* To a TCP port of the box's own loopback, by IPv4 or else by IPv6. */
struct session_connect {
    uint32_t port; /* 1 to 65535 */
};

struct session_started {
    int32_t pid; /* inside the box */
};

struct session_failed {
    uint32_t stage;
    int32_t error;
};

struct session_exited {
    int32_t status;    /* exit status, or 128 + signal */
    int32_t timed_out; /* 1 when the timeout ended it */
};

struct session_info {
    uint32_t sessions;  /* under way */
    uint32_t idle_left; /* seconds until the box stops by itself; UINT32_MAX: not counting */
};

/* A START as parsed: everything points into the caller's buffer. */
struct session_command {
    struct session_start start;
    const char *cwd; /* "" for the default */
    char **argv;     /* NULL-terminated, malloc'ed arrays of pointers into the buffer */
    char **env;
};

/*
 * Checks and takes apart the body of a START. 0, or -1 with errno EINVAL (breaks the protocol) or
 * ENOMEM. session_command_clear frees the two arrays.
 */
int session_command_parse(struct session_command *command, char *body, size_t length);
void session_command_clear(struct session_command *command);

/* Checks and takes the body of a CONNECT: its port, or -1 with errno EINVAL. */
int session_connect_parse(const char *body, size_t length);

/* Builds the body of a START in malloc'ed memory. -1 with E2BIG, EINVAL or ENOMEM. */
int session_command_build(const struct session_command *command, char **body, size_t *length);

/* TRUE (1) when a message of TYPE may have a body of LENGTH. */
int session_length_fits(unsigned type, uint32_t length);

/*
 * Sends one whole message with COUNT descriptors (at most 3). 0, or -1 with errno; never raises
 * SIGPIPE.
 */
int session_send(int fd, enum session_type type, const void *body, size_t length, const int *fds,
                 size_t count);

/*
 * Receives one whole message. *BODY is malloc'ed with a NUL after it. FDS has room for 3; those not
 * received are -1, unexpected ones are closed. 1: a message, 0: the peer closed between messages,
 * -1: errno (EPROTO when it breaks the protocol; EAGAIN when a receive timeout ran out).
 */
int session_receive(int fd, struct session_header *header, char **body, int fds[3]);
