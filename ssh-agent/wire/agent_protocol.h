/*
 * The SSH agent protocol (RFC 9987): messages, requests and replies. We are a server to the clients
 * in boxes and a client of the user's real agent ("upstream"). Both are untrusted.
 *
 * Parsers take a message without its length, as ssh_message_stream_next() returns it. Writers
 * append a message with its length.
 */
#pragma once

#include "ssh-agent/wire/buffer.h"

/* Longest message in bytes, without its length: OpenSSH's limit. A longer one ends the connection.
 */
#define SSH_MESSAGE_MAX 262144

/* Most bytes that ssh_message_stream_feed() takes at a time. */
#define SSH_MESSAGE_CHUNK 16384

/*
 * Splits a byte stream into messages: uint32 length, byte type, contents. Allocates memory for
 * bytes that arrived, not for lengths that were announced, and frees it when no bytes are buffered,
 * so an idle connection holds none.
 */
struct ssh_message_stream {
    uint8_t *data;
    size_t length, capacity; /* bytes in data, bytes allocated */
    size_t start;            /* bytes of data that were returned already */
    bool failed;
};

enum ssh_message_status {
    SSH_MESSAGE_INCOMPLETE, /* read more */
    SSH_MESSAGE_COMPLETE,
    SSH_MESSAGE_INVALID, /* empty or too long, or out of memory: close the connection */
};

/* Makes the stream empty, as a zeroed struct is. */
void ssh_message_stream_clear(struct ssh_message_stream *self);

/*
 * Appends LENGTH bytes that were read, at most SSH_MESSAGE_CHUNK. Call this only after
 * ssh_message_stream_next() returned INCOMPLETE, or on a new stream; so at most one message and one
 * chunk are buffered. False if this rule was broken or memory ran out; the stream is INVALID then.
 */
bool ssh_message_stream_feed(struct ssh_message_stream *self, const void *bytes, size_t length);

/*
 * Stores the next message in *MESSAGE: its type and contents, at least one byte, valid until the
 * next call with this stream. Messages in front of an invalid one are still returned.
 */
enum ssh_message_status ssh_message_stream_next(struct ssh_message_stream *self,
                                                struct ssh_span *message);

/* Message numbers (RFC 9987). Types that are missing here are refused. */
enum ssh_agent_message_type {
    SSH_AGENT_FAILURE = 5,
    SSH_AGENT_SUCCESS = 6,
    SSH_AGENTC_REQUEST_IDENTITIES = 11,
    SSH_AGENT_IDENTITIES_ANSWER = 12,
    SSH_AGENTC_SIGN_REQUEST = 13,
    SSH_AGENT_SIGN_RESPONSE = 14,
    SSH_AGENTC_ADD_IDENTITY = 17,
    SSH_AGENTC_REMOVE_IDENTITY = 18,
    SSH_AGENTC_REMOVE_ALL_IDENTITIES = 19,
    SSH_AGENTC_ADD_SMARTCARD_KEY = 20,
    SSH_AGENTC_REMOVE_SMARTCARD_KEY = 21,
    SSH_AGENTC_LOCK = 22,
    SSH_AGENTC_UNLOCK = 23,
    SSH_AGENTC_ADD_ID_CONSTRAINED = 25,
    SSH_AGENTC_ADD_SMARTCARD_KEY_CONSTRAINED = 26,
    SSH_AGENTC_EXTENSION = 27,
    SSH_AGENT_EXTENSION_FAILURE = 28,
    SSH_AGENT_EXTENSION_RESPONSE = 29,
};

/* Limit of identities in a list: OpenSSH's clients accept no more. */
#define SSH_AGENT_IDENTITIES_MAX 2048

#define SSH_AGENT_SESSION_BIND "session-bind@openssh.com"

enum ssh_request_kind {
    SSH_REQUEST_REFUSED, /* malformed, unknown, or not allowed for a box: answer with FAILURE */
    SSH_REQUEST_LIST,
    SSH_REQUEST_SIGN,
    SSH_REQUEST_BIND,  /* pass the contents to ssh_bindings_add() */
    SSH_REQUEST_QUERY, /* answer with ssh_agent_write_query_response() */
};

struct ssh_request {
    enum ssh_request_kind kind;
    uint8_t type;              /* message number, for the log; 0 for an empty message */
    bool malformed;            /* REFUSED because it did not parse */
    struct ssh_span key, data; /* SIGN: not parsed yet */
    uint32_t flags;            /* SIGN */
    struct ssh_span extension; /* name of the extension, for the log */
    struct ssh_span contents;  /* BIND */
};

/* Parses a whole MESSAGE. What is malformed or has trailing bytes becomes REFUSED. */
void ssh_request_parse(struct ssh_request *self, struct ssh_span message);

/* Replies to a client of ours. */
void ssh_agent_write_failure(struct ssh_writer *to);
void ssh_agent_write_success(struct ssh_writer *to);
void ssh_agent_write_extension_failure(struct ssh_writer *to);
/* SIGNATURE is a signature blob (signature.h). */
void ssh_agent_write_signature(struct ssh_writer *to, struct ssh_span signature);
/* The reply to the extension "query": the extensions that we support. */
void ssh_agent_write_query_response(struct ssh_writer *to);

struct ssh_identity {
    struct ssh_span blob;
    struct ssh_span comment;
};

/* The reply to a request for identities. Makes the writer fail if COUNT exceeds the limit. */
void ssh_agent_write_identities(struct ssh_writer *to, const struct ssh_identity *identities,
                                size_t count);

/* Requests to the real agent. */
void ssh_agent_write_identities_request(struct ssh_writer *to);
/* Relays MESSAGE, a bind or sign request of a client, byte for byte. */
void ssh_agent_write_message(struct ssh_writer *to, struct ssh_span message);

enum ssh_reply_status {
    SSH_REPLY_OK,
    SSH_REPLY_FAILED,  /* a well-formed failure message */
    SSH_REPLY_INVALID, /* close the connection */
};

struct ssh_reply {
    /* To REQUEST_IDENTITIES: iterate with ssh_identity_next(). */
    struct ssh_span identities;
    size_t identity_count;
    /* To SIGN_REQUEST: not verified; check it with ssh_signature_parse() before it is passed on. */
    struct ssh_span signature;
};

/* Parses MESSAGE, the real agent's reply to a message of type REQUEST: REQUEST_IDENTITIES,
 * SIGN_REQUEST, or EXTENSION for a bind. Other types, and trailing bytes, are INVALID. */
enum ssh_reply_status ssh_reply_parse(struct ssh_reply *self, enum ssh_agent_message_type request,
                                      struct ssh_span message);

/* Moves the next identity out of *LEFT, at first a reply's identities. False if none is left. */
bool ssh_identity_next(struct ssh_span *left, struct ssh_identity *identity);
