#include "host/bridge/audio/pulse_rules.h"

#include <stddef.h>

/* Since version 13 of the protocol (2008). */
static const struct pulse_rule rules[] = {
    {PULSE_AUTH, 0, "Vx"},
    {PULSE_SET_CLIENT_NAME, 0, "P"},
    {PULSE_UPDATE_CLIENT_PROPLIST, 0, "LP"},
    {PULSE_GET_SERVER_INFO, 0, ""},
    {PULSE_SUBSCRIBE, 0, "S"},
    {PULSE_LOOKUP_SINK, 0, "n"},
    {PULSE_GET_SINK_INFO, 0, "Ln"},
    {PULSE_GET_SINK_INFO_LIST, 0, ""},

    /* The last z: passthrough, which would take the device away from everybody else. */
    {PULSE_CREATE_PLAYBACK_STREAM, PULSE_PLAYS, "amDLbLLLLvbbbbbbbbbP|bb|bbb|b|z|F"},
    {PULSE_DELETE_PLAYBACK_STREAM, PULSE_PLAYS, "L"},
    {PULSE_DRAIN_PLAYBACK_STREAM, PULSE_PLAYS, "L"},
    {PULSE_GET_PLAYBACK_LATENCY, PULSE_PLAYS, "LT"},
    {PULSE_CORK_PLAYBACK_STREAM, PULSE_PLAYS, "Lb"},
    {PULSE_FLUSH_PLAYBACK_STREAM, PULSE_PLAYS, "L"},
    {PULSE_TRIGGER_PLAYBACK_STREAM, PULSE_PLAYS, "L"},
    {PULSE_PREBUF_PLAYBACK_STREAM, PULSE_PLAYS, "L"},
    {PULSE_SET_PLAYBACK_STREAM_NAME, PULSE_PLAYS, "Ls"},
    {PULSE_SET_PLAYBACK_STREAM_BUFFER_ATTR, PULSE_PLAYS, "LLLLLb|b"},
    {PULSE_UPDATE_PLAYBACK_STREAM_SAMPLE_RATE, PULSE_PLAYS, "LL"},
    {PULSE_UPDATE_PLAYBACK_STREAM_PROPLIST, PULSE_PLAYS, "LLP"},
    {PULSE_GET_SINK_INPUT_INFO, PULSE_PLAYS, "i"},
    {PULSE_SET_SINK_INPUT_VOLUME, PULSE_PLAYS, "iv"},
    {PULSE_SET_SINK_INPUT_MUTE, PULSE_PLAYS, "ib"},

    /*
     * y: it stays at that device, or it would go on with what the machine plays when the microphone
     * is unplugged. u: what a single program plays.
     */
    {PULSE_CREATE_RECORD_STREAM, PULSE_RECORDS, "amDLbLbbbbbybbbPu|b|bb|Fvbbbbz"},
    {PULSE_DELETE_RECORD_STREAM, PULSE_RECORDS, "L"},
    {PULSE_GET_RECORD_LATENCY, PULSE_RECORDS, "LT"},
    {PULSE_CORK_RECORD_STREAM, PULSE_RECORDS, "Lb"},
    {PULSE_FLUSH_RECORD_STREAM, PULSE_RECORDS, "L"},
    {PULSE_SET_RECORD_STREAM_NAME, PULSE_RECORDS, "Ls"},
    {PULSE_SET_RECORD_STREAM_BUFFER_ATTR, PULSE_RECORDS, "LLLb|b"},
    {PULSE_UPDATE_RECORD_STREAM_SAMPLE_RATE, PULSE_RECORDS, "LL"},
    {PULSE_UPDATE_RECORD_STREAM_PROPLIST, PULSE_RECORDS, "LLP"},
    {PULSE_GET_SOURCE_OUTPUT_INFO, PULSE_RECORDS, "o"},
    {PULSE_SET_SOURCE_OUTPUT_VOLUME, PULSE_RECORDS, "ov"},
    {PULSE_SET_SOURCE_OUTPUT_MUTE, PULSE_RECORDS, "ob"},
    {PULSE_LOOKUP_SOURCE, PULSE_RECORDS, "n"},
    {PULSE_GET_SOURCE_INFO, PULSE_RECORDS, "Ln"},
    {PULSE_GET_SOURCE_INFO_LIST, PULSE_RECORDS, ""},
};

const struct pulse_rule *pulse_rule_of(uint32_t command)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].command == command)
            return &rules[i];
    return NULL;
}

int pulse_is_event(uint32_t command)
{
    return (command >= PULSE_REQUEST && command <= PULSE_SUBSCRIBE_EVENT) ||
           (command >= PULSE_PLAYBACK_STREAM_SUSPENDED && command <= PULSE_RECORD_STREAM_MOVED) ||
           command == PULSE_STARTED ||
           (command >= PULSE_PLAYBACK_STREAM_EVENT && command <= PULSE_RECORD_BUFFER_ATTR_CHANGED);
}
