/*
 * Filters the connection between one program in a box and the host's sound server: the PulseAudio
 * native protocol, which PipeWire has as well. With the server's socket itself a program could
 * record, listen to other programs, load modules and change all settings. So only the commands of
 * pulse_rewrite.h pass, and each packet is written anew from the parsed values.
 *
 * A program plays to and records from the user's default devices, never from a monitor source (what
 * the host plays). There is no shared memory. libc only; the input is untrusted.
 */
#pragma once

#include "host/bridge/audio/pulse_rewrite.h"
#include "net/byte_queue.h"

/* Requests whose replies the filter needs. */
#define PULSE_PENDING_MAX 64

struct pulse_pending {
    uint32_t tag;
    unsigned char command; /* 0: free entry */
};

struct pulse_filter {
    struct pulse_client client; /* BOX and PERMISSIONS are set at first, all else is 0 */
    int is_authenticated;       /* PULSE_AUTH has passed */
    uint32_t next_tag;          /* the least tag of the next request: none is used twice */
    struct pulse_pending pending[PULSE_PENDING_MAX];
    struct byte_queue held; /* a request to record that waits for the default source's type */
};

/* Length of the frame at DATA, of which LENGTH bytes are there. 0: not known yet; -1: malformed or
 * too long. */
long pulse_frame(const unsigned char *data, size_t length);

/* Handle one complete frame from the program or the server, and append what is to be sent to
 * TO_SERVER and TO_PROGRAM. -1: the connection must end. */
int pulse_from_program(struct pulse_filter *self, const unsigned char *frame, size_t length,
                       struct byte_queue *to_server, struct byte_queue *to_program);
int pulse_from_server(struct pulse_filter *self, const unsigned char *frame, size_t length,
                      struct byte_queue *to_server, struct byte_queue *to_program);

/* 1: no frame of the program may be handled until the server has replied. */
int pulse_is_waiting(const struct pulse_filter *self);
