/*
 * Requests to an agent and its replies (RFC 9987), from a client to us and from us to the real one.
 * A message begins with its type, as ssh_framer_next() gives it; writers append whole frames.
 */
#pragma once

#include "ssh-agent/wire/buffer.h"

/* Numbers on the wire. Requests that we do not name are refused like those that we do. */
enum ssh_agent_type {
    SSH_AGENT_FAILURE = 5,
    SSH_AGENT_SUCCESS = 6,
    SSH_AGENT_LIST = 11,
    SSH_AGENT_IDENTITIES = 12,
    SSH_AGENT_SIGN = 13,
    SSH_AGENT_SIGNATURE = 14,
    SSH_AGENT_ADD = 17,
    SSH_AGENT_REMOVE = 18,
    SSH_AGENT_REMOVE_ALL = 19,
    SSH_AGENT_ADD_SMARTCARD = 20,
    SSH_AGENT_REMOVE_SMARTCARD = 21,
    SSH_AGENT_LOCK = 22,
    SSH_AGENT_UNLOCK = 23,
    SSH_AGENT_ADD_CONSTRAINED = 25,
    SSH_AGENT_ADD_SMARTCARD_CONSTRAINED = 26,
    SSH_AGENT_EXTENSION = 27,
    SSH_AGENT_EXTENSION_FAILURE = 28,
    SSH_AGENT_EXTENSION_RESPONSE = 29,
};

/* Most identities of a list: OpenSSH's clients accept no more. */
#define SSH_AGENT_IDENTITIES_MAX 2048

#define SSH_AGENT_SESSION_BIND "session-bind@openssh.com"

/* What to do with a request: all that is not one of the first four is answered with 5. */
enum ssh_request_kind {
    SSH_REQUEST_REFUSED, /* malformed, unknown, or never done for a box */
    SSH_REQUEST_LIST,
    SSH_REQUEST_SIGN,
    SSH_REQUEST_BIND,  /* contents go to ssh_bindings_add() */
    SSH_REQUEST_QUERY, /* answer with ssh_agent_write_query() */
};

struct ssh_request {
    enum ssh_request_kind kind;
    uint8_t type;              /* of the message, for the log; 0 for an empty one */
    bool malformed;            /* REFUSED because it did not parse */
    struct ssh_span key, data; /* SIGN: neither has been looked into */
    uint32_t flags;            /* SIGN */
    struct ssh_span extension; /* name of an EXTENSION that parsed, for the log */
    struct ssh_span contents;  /* BIND */
};

/* Parses a whole MESSAGE; nothing may be behind its end. Never fails: see REFUSED. */
void ssh_request_parse(struct ssh_request *self, struct ssh_span message);

/* Replies to a client. */
void ssh_agent_write_failure(struct ssh_writer *to);
void ssh_agent_write_success(struct ssh_writer *to);
void ssh_agent_write_extension_failure(struct ssh_writer *to);
/* SIGNATURE is a blob. */
void ssh_agent_write_signature(struct ssh_writer *to, struct ssh_span signature);
/* The reply to "query": the extensions that we answer. */
void ssh_agent_write_query(struct ssh_writer *to);

struct ssh_identity {
    struct ssh_span blob;
    struct ssh_span comment;
};

/* The reply to LIST with COUNT identities. Fails (see the writer) when they are too many. */
void ssh_agent_write_identities(struct ssh_writer *to, const struct ssh_identity *identities,
                                size_t count);

/* Requests to the real agent. */
void ssh_agent_write_list(struct ssh_writer *to);
/* Any MESSAGE as it came, framed again: relays a bind or a sign request byte for byte. */
void ssh_agent_write_message(struct ssh_writer *to, struct ssh_span message);

/*
 * What the real agent answered to a request of type REQUEST (LIST, SIGN or EXTENSION for a bind).
 * OK has a reply that parsed to its end; FAILED is an honest no: 5, 28, 30, 102. Everything else is
 * BAD: close the connection.
 */
enum ssh_reply { SSH_REPLY_OK, SSH_REPLY_FAILED, SSH_REPLY_BAD };

struct ssh_reply_facts {
    /* LIST: read with ssh_identity_next(). */
    struct ssh_span identities;
    size_t identity_count;
    /* SIGN: the blob as it came; ssh_signature_parse() and compare before it is passed on. */
    struct ssh_span signature;
};

enum ssh_reply ssh_reply_parse(struct ssh_reply_facts *facts, enum ssh_agent_type request,
                               struct ssh_span message);

/* Takes the next identity from *LEFT, which begins as facts.identities. FALSE: no more. */
bool ssh_identity_next(struct ssh_span *left, struct ssh_identity *identity);
