/* What a box may ask of the host's sound server: the table of commands that are passed on. */
#pragma once

#include <stdint.h>

/* Commands of the PulseAudio protocol, by their numbers. Up to 13 both sides speak of them. */
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
    PULSE_REQUEST = 61, /* events, of the server alone … */
    PULSE_SUBSCRIBE_EVENT = 66,
    PULSE_SET_SINK_INPUT_MUTE = 69,
    PULSE_SET_PLAYBACK_STREAM_BUFFER_ATTR = 72,
    PULSE_SET_RECORD_STREAM_BUFFER_ATTR = 73,
    PULSE_UPDATE_PLAYBACK_STREAM_SAMPLE_RATE = 74,
    PULSE_UPDATE_RECORD_STREAM_SAMPLE_RATE = 75,
    PULSE_PLAYBACK_STREAM_SUSPENDED = 76, /* … */
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

/* What a command needs. */
enum { PULSE_PLAYS = 1, PULSE_RECORDS = 2 };

/*
 * The values of a command behind its number and tag, a letter each. As they are: those of
 * pulse_tags.h, b (a truth). Looked at, or written anew:
 *
 *   V  the protocol's version, without shared memory     x  the cookie: none of the box's
 *   P  properties: none but what a mixer shows           s  a name that it shows
 *   F  formats: plain samples alone                      n  the name of a device
 *   D  a device (number and name): only the default one  u  a number that is to be none
 *   i  the number of a stream of its own that plays      o  … that records
 *   S  what it wants to be told of                       y, z  a truth that is to be yes, no
 *   |  older versions end here
 */
struct pulse_rule {
    unsigned char command, needs;
    const char *shape;
};

/* NULL: is refused. */
const struct pulse_rule *pulse_rule_of(uint32_t command);
/* What the host's server says without having been asked, and a box may hear: 1. */
int pulse_is_event(uint32_t command);
