/*
 * The commands that a box may send to the host's sound server: a table of rules, and the function
 * that writes a command anew as its rule says. libc only; the input is untrusted.
 */
#pragma once

#include <stdint.h>

#include "host/bridge/audio/pulse_tagstruct.h"
#include "net/byte_queue.h"

/* Streams of one program. */
#define PULSE_STREAMS_MAX 64
/* PA_INVALID_INDEX: no device, no stream. */
#define PULSE_INVALID_INDEX 0xffffffffu

/* Commands of the PulseAudio native protocol (PulseAudio's native-common.h). */
enum pulse_command {
    PULSE_ERROR = 0,
    PULSE_REPLY = 2,
    PULSE_CREATE_PLAYBACK_STREAM = 3,
    PULSE_DELETE_PLAYBACK_STREAM = 4,
    PULSE_CREATE_RECORD_STREAM = 5,
    PULSE_DELETE_RECORD_STREAM = 6,
    PULSE_AUTH = 8,
    PULSE_SET_CLIENT_NAME = 9,
    PULSE_LOOKUP_SINK = 10,
    PULSE_LOOKUP_SOURCE = 11,
    PULSE_DRAIN_PLAYBACK_STREAM = 12,
    PULSE_GET_PLAYBACK_LATENCY = 14,
    PULSE_GET_SERVER_INFO = 20,
    PULSE_GET_SINK_INFO = 21,
    PULSE_GET_SINK_INFO_LIST = 22,
    PULSE_GET_SOURCE_INFO = 23,
    PULSE_GET_SOURCE_INFO_LIST = 24,
    PULSE_GET_SINK_INPUT_INFO = 29,
    PULSE_GET_SOURCE_OUTPUT_INFO = 31,
    PULSE_SUBSCRIBE = 35,
    PULSE_SET_SINK_INPUT_VOLUME = 37,
    PULSE_CORK_PLAYBACK_STREAM = 41,
    PULSE_FLUSH_PLAYBACK_STREAM = 42,
    PULSE_TRIGGER_PLAYBACK_STREAM = 43,
    PULSE_SET_PLAYBACK_STREAM_NAME = 46,
    PULSE_SET_RECORD_STREAM_NAME = 47,
    PULSE_GET_RECORD_LATENCY = 57,
    PULSE_CORK_RECORD_STREAM = 58,
    PULSE_FLUSH_RECORD_STREAM = 59,
    PULSE_PREBUF_PLAYBACK_STREAM = 60,
    PULSE_REQUEST = 61, /* to SUBSCRIBE_EVENT: events from the server */
    PULSE_PLAYBACK_STREAM_KILLED = 64,
    PULSE_RECORD_STREAM_KILLED = 65,
    PULSE_SUBSCRIBE_EVENT = 66,
    PULSE_SET_SINK_INPUT_MUTE = 69,
    PULSE_SET_PLAYBACK_STREAM_BUFFER_ATTR = 72,
    PULSE_SET_RECORD_STREAM_BUFFER_ATTR = 73,
    PULSE_UPDATE_PLAYBACK_STREAM_SAMPLE_RATE = 74,
    PULSE_UPDATE_RECORD_STREAM_SAMPLE_RATE = 75,
    PULSE_PLAYBACK_STREAM_SUSPENDED = 76, /* to RECORD_STREAM_MOVED: events */
    PULSE_RECORD_STREAM_MOVED = 79,
    PULSE_UPDATE_RECORD_STREAM_PROPLIST = 80,
    PULSE_UPDATE_PLAYBACK_STREAM_PROPLIST = 81,
    PULSE_UPDATE_CLIENT_PROPLIST = 82,
    PULSE_STARTED = 86,
    PULSE_PLAYBACK_STREAM_EVENT = 92,
    PULSE_RECORD_BUFFER_ATTR_CHANGED = 95,
    PULSE_SET_SOURCE_OUTPUT_VOLUME = 98,
    PULSE_SET_SOURCE_OUTPUT_MUTE = 99,
};

/* Permissions of a box, as bits. */
enum { PULSE_PLAYBACK = 1, PULSE_RECORDING = 2 };

struct pulse_stream {
    uint32_t channel;      /* its number on this connection */
    uint32_t index;        /* its number on the server */
    unsigned char command; /* that created it; 0: free entry */
};

/* One program in a box. */
struct pulse_client {
    const char *box;      /* name of the box */
    unsigned permissions; /* PULSE_PLAYBACK, PULSE_RECORDING */
    uint32_t source;      /* index of the device to record from */
    struct pulse_stream streams[PULSE_STREAMS_MAX];
    char program[PULSE_PROGRAM_MAX];
};

/*
 * VALUES has a letter for each value behind the command's number and tag. The types of
 * pulse_tagstruct.h and b (a boolean) are copied unchanged. These are checked or replaced:
 *
 *   V  protocol version, without the shared-memory flags   x  cookie, replaced by zeros
 *   P  property list, see pulse_proplist.c                 s  name of a stream
 *   F  formats, only PCM                                   n  name of a device
 *   D  device (index and name), replaced by the default    u  index, replaced by none
 *   i  index of one of the program's playback streams      o  the same for record streams
 *   S  subscription mask                                   y, z  boolean, replaced by true, false
 *   |  older versions of the protocol end here
 */
struct pulse_rule {
    unsigned char command, needs; /* needs: permissions */
    const char *values;
};

/* NULL: the command is refused. */
const struct pulse_rule *pulse_rule_find(uint32_t command);
/* 1 for a command that the server sends without a request, and that a box may receive. */
int pulse_is_event(uint32_t command);

/* PULSE_REFUSED: well-formed, but not allowed. */
enum { PULSE_MALFORMED = -1, PULSE_REWRITTEN, PULSE_REFUSED };

/* Appends the values in IN to OUT as RULE says. */
int pulse_rewrite(struct pulse_client *client, const struct pulse_rule *rule, struct tagstruct *in,
                  struct byte_queue *out);
