/*
 * The session protocol, between box-init and its clients over the control socket. libc only:
 * box-init and the sudo shim are static programs.
 *
 * Messages on a Unix stream socket consist of a header and a body; numbers have the machine's byte
 * order. Descriptors come with the header. A client sends one of these:
 *
 *   START    then any number of SIGNALs. box-init answers with STARTED or FAILED; after STARTED, it
 *            may send ASKs, each of which the client ANSWERs, and sends EXITED at the end.
 *   CONNECT  box-init answers with CONNECTED or FAILED. An old box-init without CONNECT closes the
 *            connection instead.
 *   QUERY    box-init answers with INFO.
 *
 * Each side treats the other as hostile. Parsers work on a buffer, and are fuzzed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The socket's name in the ctl folder. */
#define SESSION_SOCKET "sock"
/* Beside it: the debug topics of box-init (sys/debug.h), which `box` writes before a start. They
 * are not an option of box-init, as that would be part of the plan: every change of BOX_DEBUG would
 * make the containers outdated. */
#define SESSION_DEBUG_FILE "debug"

/* How the process of box-init around a session is called, by which others know it. Programs of the
 * box can call themselves so, too. */
#define SESSION_PROCESS_NAME "box-session"

#define SESSION_VERSION 1

/* Longest bodies: of a START (the kernel limits arguments and environment to 2 MiB with the usual
 * stack of 8 MiB, execve(2)), and of everything else. */
#define SESSION_START_MAX (4u << 20)
#define SESSION_SMALL_MAX 4096u
/* Most strings in a START. */
#define SESSION_STRINGS_MAX (SESSION_START_MAX / 2)

enum session_type {
    SESSION_START = 1, /* client: session_start, then cwd, argv…, env… each NUL-terminated */
    SESSION_SIGNAL,    /* client: session_signal */
    SESSION_ANSWER,    /* client: session_answer to an ASK */
    SESSION_QUERY,     /* client: nothing; answered by INFO */
    SESSION_STARTED, /* init: session_started; with SESSION_TTY one descriptor, the pty's master */
    SESSION_FAILED,  /* init: session_failed: nothing was started */
    SESSION_EXITED,  /* init: session_exited; the last message */
    SESSION_ASK,     /* init: text of a question for the user, not NUL-terminated */
    SESSION_INFO,    /* init: session_info */
    SESSION_CONNECT, /* client: session_connect */
    SESSION_CONNECTED, /* init: nothing; one descriptor, the connected socket */
};

enum session_flags {
    /* Open a pty; one descriptor may come with START: its stderr. Without it three come. */
    SESSION_TTY = 1 << 0,
    SESSION_ROOT = 1 << 1,     /* as root of the box */
    SESSION_LOGIN = 1 << 2,    /* argv[0] gets a leading "-" */
    SESSION_DETACH = 1 << 3,   /* outlives the client; output goes to the box's log */
    SESSION_CWD_HINT = 1 << 4, /* if cwd does not exist, use the box's workdir */
    SESSION_FLAGS = (1 << 5) - 1,
};

/* What happens to processes that outlive the command. */
enum session_wait {
    SESSION_WAIT_FOREGROUND, /* the session ends, and they continue */
    SESSION_WAIT_BACKGROUND, /* the session ends when they have ended */
    SESSION_WAIT_KILL,       /* they are killed when the command ends */
    SESSION_WAITS,
};

/* As argv[0] of a SESSION_LOGIN: the shell of the box's user, which box-init knows. */
#define SESSION_SHELL "-"

/* The step that failed. FAILED has it with an errno. */
enum session_stage {
    SESSION_STAGE_REQUEST, /* the request is invalid */
    SESSION_STAGE_DENIED,  /* not allowed (sudo) */
    SESSION_STAGE_SETUP,   /* pty, fork, privileges */
    SESSION_STAGE_CHDIR,
    SESSION_STAGE_EXEC,
    SESSION_STAGE_CONNECT,
    SESSION_STAGE_GUARD, /* it has ended, and PID 1 is about to start another: try again */
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
/* How long an ASK waits for it. The user has a minute from when the question is shown, which is
 * after up to three others of the box. */
#define SESSION_ANSWER_MS 280000

/* To a TCP port on loopback of the box; IPv4 first, then IPv6. */
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

/* What ended a session. */
enum session_reason {
    SESSION_COMMAND_ENDED,
    SESSION_TIMED_OUT,
    SESSION_UNGUARDED, /* the guard of protected names is gone (guest/guard/guard.h) */
    SESSION_SIGNALLED, /* as SESSION_COMMAND_ENDED: by a signal, which an older box-init does not
                          tell */
};

/* Most programs of a session_left, and longest name with its NUL (TASK_COMM_LEN of the kernel). */
#define SESSION_LEFT_MAX 8
#define SESSION_NAME_MAX 16

/* What becomes of the programs that sessions have left running. */
enum session_fate {
    SESSION_LEFT_KEEPS, /* the box runs until they end */
    SESSION_LEFT_ENDS,  /* they end with the box, which stops when it has been idle */
    SESSION_LEFT_STAYS, /* the box does not stop by itself */
    SESSION_FATES,
};

/* A process that a session has left running, with those below it, and others of its name. */
struct session_program {
    char name[SESSION_NAME_MAX]; /* as the process calls itself: any bytes */
    uint32_t processes;
};

/* Programs that ended sessions have left running (guest/init/left_running.h). */
struct session_left {
    uint32_t fate;      /* enum session_fate */
    uint32_t processes; /* all of them, also of programs that have no room below */
    struct session_program programs[SESSION_LEFT_MAX]; /* unused ones are zero */
};

/* EXITED and INFO may end before LEFT: an older box-init sends them so. */
struct session_exited {
    int32_t status;           /* exit status, or 128 + signal */
    int32_t reason;           /* enum session_reason */
    struct session_left left; /* after a session that is to say it */
};

struct session_info {
    uint32_t sessions;  /* that are running */
    uint32_t idle_left; /* seconds until the box stops by itself; UINT32_MAX: not counting */
    struct session_left left;
};

/* A parsed START. Everything points into the caller's buffer. */
struct session_command {
    struct session_start start;
    const char *cwd; /* "" for the default */
    char **argv;     /* NULL-terminated, malloc'ed arrays of pointers into the buffer */
    char **env;
};

/*
 * Parses and checks the body of a START. 0, or -1 with errno EINVAL (breaks the protocol) or
 * ENOMEM. session_command_clear() frees the two arrays.
 */
int session_command_parse(struct session_command *command, char *body, size_t length);
void session_command_clear(struct session_command *command);

/* The port in the body of a CONNECT, or -1 with errno EINVAL. */
int session_connect_parse(const char *body, size_t length);

/*
 * Copy the body of an EXITED and of an INFO, whose length session_length_fits(). What is missing is
 * zero; names end with a NUL, and FATE is one of enum session_fate.
 */
void session_exited_read(struct session_exited *exited, const char *body, size_t length);
void session_info_read(struct session_info *info, const char *body, size_t length);

/* Builds the body of a START in malloc'ed memory. 0, or -1 with errno E2BIG, EINVAL or ENOMEM. */
int session_command_build(const struct session_command *command, char **body, size_t *length);

/* 1 when a message of TYPE may have a body of LENGTH. */
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
 * -1: errno (EPROTO when it breaks the protocol; EAGAIN when a receive timeout ran out, for a byte
 * or, from the first one on, for the whole message).
 */
int session_receive(int fd, struct session_header *header, char **body, int fds[3]);
/* Closes those of FDS that came: each becomes -1. */
void session_close_descriptors(int fds[3]);
