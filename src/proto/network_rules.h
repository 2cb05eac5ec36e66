/*
 * Rules of [network] allow and deny: what a box with mode "filtered" may reach. libc only.
 *
 *   api.example.com         a name, on port 443
 *   *.example.com           one or more labels before it
 *   api.example.com:8443    on another port
 *   10.0.0.5:5432           an address
 *   10.1.0.0/16:5432        a private network
 *   [2001:db8::5]:5432      an address of IPv6
 *   [fd12::/16]             a private network of it
 *   host:5432               the loopback of the host
 *
 * In deny, an entry without a port counts for every port. Deny wins, whatever the order. An empty
 * list allows nothing.
 *
 * An entry of allow with a name may be for some requests of HTTP alone (request_rule.h):
 *
 *   GET api.example.com     a method     api.example.com/v1     a path, which may have stars
 *   POST api.example.com:8443/v1         both, on another port
 *
 * It lets the name be reached, and each request is checked (network_requests.h), unless another
 * entry allows the name as a whole.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/network_address.h"
#include "proto/request_rule.h"

#define HTTP_PORT 80
#define HTTPS_PORT 443 /* of a rule of allow that names none */

/* With the NUL: RFC 1035, without the last dot. */
#define HOST_NAME_SIZE 254
/* Longest text of a rule, with its NUL. */
#define NETWORK_RULE_SIZE (HOST_NAME_SIZE + REQUEST_METHOD_SIZE + REQUEST_PATTERN_SIZE + 16)
/* Most rules of a box, and bytes of the file with them. */
#define NETWORK_RULES_MAX 1024
#define NETWORK_RULES_FILE_MAX (512 * 1024)

/* How a program in a box calls the loopback of the host. */
#define HOST_IN_BOX "host.box.internal"

/* An address of FAKE_NETWORK: that of the box's DNS server. */
#define FAKE_SERVER (FAKE_NETWORK + 1)
#define FAKE_SERVER_TEXT "198.18.0.1"

enum network_rule_kind { RULE_NAME, RULE_SUBDOMAINS, RULE_ADDRESS, RULE_HOST };

struct network_rule {
    enum network_rule_kind kind;
    bool denies;
    uint16_t port;                 /* 0: every port; in deny alone */
    char name[HOST_NAME_SIZE];     /* of NAME and SUBDOMAINS, there without "*." */
    struct network_prefix network; /* of ADDRESS */
    struct request_rule request;   /* of NAME, in allow alone */
};

/* Connections of a box at a time: the default, and the most. */
#define NETWORK_CONNECTIONS 1024
#define NETWORK_CONNECTIONS_MAX 4096

/* What becomes of a name that no rule has: [network] ask and audit. */
enum network_unlisted {
    UNLISTED_REFUSED,
    UNLISTED_ASKED,   /* the user decides */
    UNLISTED_AUDITED, /* it is let through, and logged as such */
};

struct network_rules {
    struct network_rule *rules; /* malloc'ed */
    size_t count;
    bool allows_ech; /* [network] ech */
    enum network_unlisted unlisted;
    unsigned connections; /* [network] connections */
};

/*
 * Writes TEXT, of LENGTH bytes, to NAME as rules and the gate compare names: lower case, without a
 * last dot. Returns 0; -1 when it is not a full host name: two or more labels of letters, digits
 * and inner '-', and a last label that no program takes for a number.
 */
int host_name_normalise(const char *text, size_t length, char name[HOST_NAME_SIZE]);

/* NAME has one or more labels before DOMAIN. Both are normalised. */
bool host_name_is_below(const char *name, const char *domain);

/* Parses an entry of allow, or of deny when DENIES. 0; or -1 with *WRONG a sentence that goes on
 * from the quoted text: "must be …". */
int network_rule_parse(const char *text, bool denies, struct network_rule *rule,
                       const char **wrong);
/* Writes RULE as a text that parses into the same rule. */
void network_rule_text(const struct network_rule *rule, char text[NETWORK_RULE_SIZE]);

/*
 * The file of the rules of a running box, in its runtime folder: lines "allow RULE", "deny RULE",
 * NETWORK_RULES_ECH, NETWORK_RULES_ASK, NETWORK_RULES_AUDIT, and NETWORK_RULES_CONNECTIONS with a
 * number, unless it is NETWORK_CONNECTIONS. What stands behind a tab says where
 * a rule comes from, and is for `box` alone (box/helpers/gate_list.h). Parses SIZE bytes of it. 0,
 * or -1 with SELF empty when any line is wrong: a rule that is left out could be a deny.
 */
#define NETWORK_RULES_FILE "network.rules"
#define NETWORK_RULES_ECH "ech"
#define NETWORK_RULES_ASK "ask"
#define NETWORK_RULES_AUDIT "audit"
#define NETWORK_RULES_CONNECTIONS "connections="
int network_rules_parse(const char *data, size_t size, struct network_rules *self);
void network_rules_clear(struct network_rules *self);

/* The folder, in that of a box, in which the gate of a build of its image works, with the same
 * files. No box has this name. */
#define GATE_BUILD_FOLDER "gate+build"

/* The gate's socket in that folder. A client sends one byte, and gets the answer and the end. */
#define GATE_SOCKET "gate.sock"
enum gate_request {
    GATE_READ_RULES = 'r', /* the file has changed; the answer is a byte of enum gate_answer */
    GATE_LIST_RULES = 'l', /* the answer is the file as the gate has read it */
    /* A line for each connection: a number that no other one has, a space, and its record so far
     * (network_record.h). */
    GATE_LIST_CONNECTIONS = 'c',
};
/* The last line of an answer that is a text, so that a cut one is noticed. */
#define GATE_TEXT_END "end\n"
enum gate_answer {
    GATE_CHANGED = 'c',
    GATE_RESTARTS = 'r', /* and holds the rules as soon as it serves again */
    GATE_BROKEN = 'b',   /* the rules that it had still hold */
};

/* The first rule that denies NAME or ADDRESS, or one that allows it; NULL: no rule has it. One with
 * a request only where none allows NAME as a whole. */
const struct network_rule *network_rules_decide(const struct network_rules *self, const char *name,
                                                uint16_t port);
/* The rule that lets NAME (normalised; HOST_IN_BOX too) be reached on PORT; NULL: refused. */
const struct network_rule *network_rules_name(const struct network_rules *self, const char *name,
                                              uint16_t port);
const struct network_rule *network_rules_decide_address(const struct network_rules *self,
                                                        const struct in6_addr *address,
                                                        uint16_t port);
/* TRUE when NAME can be reached on any port: then the DNS has an address for it. */
bool network_rules_has_name(const struct network_rules *self, const char *name);
/* TRUE when this is the name of a rule, and not only one of those below it. */
bool network_rules_has_exact_name(const struct network_rules *self, const char *name);
/* What becomes of NAME and PORT when no rule decides about them; REFUSED when one does. PORT 0: of
 * any port, of a name that no rule allows. The host itself is always REFUSED: what listens on its
 * loopback trusts whoever connects. */
enum network_unlisted network_rules_unlisted(const struct network_rules *self, const char *name,
                                             uint16_t port);

/*
 * Whether a name may lead to the address FROM and its port. NULL, or why not: loopback, link-local
 * and reserved addresses never; private ones if a rule names them; an address of the host itself
 * (IS_OWN) if a rule names just this one.
 */
const char *network_rules_refuse(const struct network_rules *self, const struct sockaddr *from,
                                 bool is_own);
