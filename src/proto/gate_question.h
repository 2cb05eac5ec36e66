/*
 * What the gate of a box asks the user by litterbox-gate-asker, a program for each question:
 * whether the box may reach a name and port that no rule has. The question is one line of text, a
 * word on the command line; the answer is one byte on stdout. The gate may have been taken over by
 * the box, so the question is parsed wherever it arrives. libc only.
 */
#pragma once

#include "proto/network_rules.h"

#define GATE_ASKER "litterbox-gate-asker"

struct gate_question {
    char name[HOST_NAME_SIZE]; /* normalised */
    uint16_t port;
    /* The box's end of the first connection that waits, to find its program; host byte order. */
    uint32_t from;
    uint16_t from_port;
};

/* Bytes of the text, with its NUL: a name, an address and two ports. */
#define GATE_QUESTION_SIZE (HOST_NAME_SIZE + 32)
void gate_question_write(const struct gate_question *self, char text[GATE_QUESTION_SIZE]);
/* Parses LENGTH bytes. 0, or -1 for everything that gate_question_write() does not write, and for
 * the loopback of this machine, about which nobody is asked. */
int gate_question_parse(const char *text, size_t length, struct gate_question *self);

/* Every other byte, and none at all, is GATE_UNANSWERED. */
enum gate_reply {
    GATE_ONCE = 'o',   /* the connections that wait now may be */
    GATE_RULED = 'r',  /* the user's answer is a rule, which the gate has read again */
    GATE_DENIED = 'd', /* the user said no, or is not asked again so soon */
    GATE_LATE = 't',   /* nobody answered in time */
    GATE_UNANSWERED = 'f',
};
