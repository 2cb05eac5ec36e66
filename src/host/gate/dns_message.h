/*
 * DNS messages (RFC 1035): the question of a box, and the gate's answer. Plain functions over a
 * buffer, libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "proto/network_rules.h"

/* Most bytes of an answer: it repeats the question, and has one record. */
#define DNS_ANSWER_MAX 1024

enum dns_type { DNS_A = 1, DNS_PTR = 12, DNS_ANY = 255 };
enum dns_code {
    DNS_NO_ERROR = 0,
    DNS_FORMAT_ERROR = 1,
    DNS_SERVER_FAILURE = 2,
    DNS_NO_NAME = 3,
    DNS_NOT_IMPLEMENTED = 4,
    DNS_REFUSED = 5,
};

struct dns_question {
    const uint8_t *message;    /* the query; borrowed */
    size_t end;                /* of the question in it; 0: the question cannot be read */
    enum dns_code code;        /* what it must be answered with; NO_ERROR: not decided yet */
    char name[HOST_NAME_SIZE]; /* normalised; "": it is not the name of a host */
    uint16_t type;
};

/* What the answer has: nothing, an address, or a name. */
struct dns_record {
    enum dns_type type; /* 0: nothing */
    uint32_t address;   /* of A, in host byte order */
    const char *name;   /* of PTR */
};

/* Reads a query of SIZE bytes. 0; -1 when it deserves no answer, as a response does not. */
int dns_question_parse(const uint8_t *message, size_t size, struct dns_question *question);

/* Writes the answer to OUT, of DNS_ANSWER_MAX bytes, and returns its length. */
size_t dns_answer(const struct dns_question *question, enum dns_code code,
                  const struct dns_record *record, uint8_t *out);

/* The address, in host byte order, that NAME ("4.3.2.1.in-addr.arpa") stands for; 0: none. */
uint32_t dns_reverse_address(const char *name);
