/*
 * Debug messages: what a program decides, and why. Off unless BOX_DEBUG or `box --debug` names the
 * topic; a message that is off costs one branch, and its arguments are not evaluated. libc only.
 *
 * A message is one line on stderr, "PROGRAM: debug SECONDS TOPIC: TEXT". SECONDS are those of
 * CLOCK_MONOTONIC, which is the same in all programs of the machine, boxes included, so that lines
 * of several programs can be put in order. Never pass key material or passwords.
 */
#pragma once

#include <stddef.h>

/* The topics and their words in BOX_DEBUG. */
#define DEBUG_TOPIC_LIST(ROW)                                                      \
    ROW(BOX, "box")         /* the state of a box, and what `box` does about it */ \
    ROW(PLAN, "plan")       /* how a container and its plan differ */              \
    ROW(PODMAN, "podman")   /* requests to Podman's service */                     \
    ROW(SESSION, "session") /* how a session is started */                         \
    ROW(HELPER, "helper")   /* starts and restarts of helpers */                   \
    ROW(BRIDGE, "bridge")                                                          \
    ROW(DESKTOP, "desktop") /* desktop requests */                                 \
    ROW(PORT, "port")                                                              \
    ROW(GATE, "gate")                                                              \
    ROW(AGENT, "agent")                                                            \
    ROW(PROMPT, "prompt")                                                          \
    ROW(INIT, "init")                                                              \
    ROW(GUARD, "guard")

enum debug_topic {
#define DEBUG_TOPIC_CONSTANT(name, word) DEBUG_##name,
    DEBUG_TOPIC_LIST(DEBUG_TOPIC_CONSTANT)
#undef DEBUG_TOPIC_CONSTANT
        DEBUG_TOPICS
};

#define DEBUG_VARIABLE "BOX_DEBUG"
/* Longest value of BOX_DEBUG: all topics, some of them twice. */
#define DEBUG_LIST_MAX 256

/* Bits by enum debug_topic. */
extern unsigned debug_enabled;

/*
 * The bits for LIST: topics with commas between them, "all", or nothing. -1 for an unknown word,
 * which is then at *WRONG (a part of LIST) with *LENGTH bytes.
 */
int debug_parse(const char *list, const char **wrong, int *length);

/* "box, plan, …, all", for an error message. */
const char *debug_topic_list(void);

/*
 * Enables what LIST names (NULL: nothing), for messages of PROGRAM (kept, not copied). A list that
 * debug_parse() refuses enables nothing: `box` has refused it already.
 */
void debug_enable(const char *program, const char *list);
/* Enables what the environment's BOX_DEBUG names. */
void debug_start(const char *program);

/* Writes a message; called through debug_log() only. Its text is escaped and cut to one line. */
void debug_write(enum debug_topic topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define debug_is_on(topic) __builtin_expect((debug_enabled >> (topic)) & 1u, 0)
#define debug_log(topic, ...)                \
    do {                                     \
        if (debug_is_on(topic))              \
            debug_write(topic, __VA_ARGS__); \
    } while (0)

/* Escapes hostile text for logs. libc only; common/text.h does more for programs with GLib. */

/*
 * Copies LENGTH bytes of TEXT to OUT, which has ROOM bytes, and ends them with a NUL. Control
 * characters (C0, DEL, and C1 in UTF-8 or as single bytes outside of UTF-8 sequences) are written
 * as \xHH, so that a log neither changes the terminal it is shown on nor gets a forged second line.
 * Stops where OUT is full. Returns the length of what it wrote.
 */
size_t log_text_escape(char *out, size_t room, const char *text, size_t length);
