/*
 * What goes between one program in a box and the host's sound server (PulseAudio's protocol, which
 * PipeWire speaks as well). Over that server's socket a program could record, hear what others
 * play, load modules and change everything; so nothing is passed on that is not on the list of
 * pulse_rules.h, and each packet is written anew from the values that were understood.
 *
 * A program plays to the device that the user has chosen, or records from it, never from what the
 * machine plays (a "monitor"). No shared memory. libc only; reads what a box sends.
 */
#pragma once

#include "host/bridge/audio/pulse_show.h"
#include "net/byte_queue.h"

/* Waiting for answers that are looked at; streams of one program. */
#define PULSE_PENDING_MAX 64
#define PULSE_STREAMS_MAX 64

struct pulse_stream {
    uint32_t channel;      /* as its program calls it, */
    uint32_t number;       /* and as everybody does */
    unsigned char command; /* that made it; 0: free */
};

struct pulse_pending {
    uint32_t tag;
    unsigned char command; /* 0: free */
};

struct pulse_filter {
    const char *box; /* its name */
    unsigned may;    /* PULSE_PLAYS, PULSE_RECORDS */
    /* State; all 0 at first. */
    int begun;       /* its first packet has come */
    uint32_t next;   /* least tag of its next one: none comes twice */
    uint32_t device; /* to record from */
    struct pulse_pending pending[PULSE_PENDING_MAX];
    struct pulse_stream streams[PULSE_STREAMS_MAX];
    struct byte_queue held; /* a packet that waits until it is known what it would record */
    char program[PULSE_PROGRAM_MAX];
};

/*
 * How long the frame at DATA is that begins with LENGTH bytes of it: 0, not known yet; -1, it is
 * none, or longer than any that is passed on.
 */
long pulse_frame(const unsigned char *data, size_t length);

/*
 * Passes one whole frame on, of the program, or of the server: what is to be sent is put behind
 * TO_SERVER and TO_PROGRAM. -1: the connection is over.
 */
int pulse_from_program(struct pulse_filter *self, const unsigned char *frame, size_t length,
                       struct byte_queue *to_server, struct byte_queue *to_program);
int pulse_from_server(struct pulse_filter *self, const unsigned char *frame, size_t length,
                      struct byte_queue *to_server, struct byte_queue *to_program);

/* 1: the program's next frame has to wait until the server has said something. */
int pulse_is_waiting(const struct pulse_filter *self);
void pulse_clear(struct pulse_filter *self);
