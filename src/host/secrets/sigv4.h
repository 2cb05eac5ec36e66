/*
 * Requests that are signed with Signature Version 4 of AWS (AWS4-HMAC-SHA256, in the Authorization
 * field): what such a request says, and its signature with a key. Plain functions over a buffer.
 *
 * Rules: "Create a signed AWS API request" in the IAM User Guide, and "Authenticating Requests:
 * Using the Authorization Header" in the API reference of Amazon S3, on docs.aws.amazon.com.
 */
#pragma once

#include <glib.h>

#include "proto/http_fields.h"
#include "ssh-agent/store/secret.h"

/* A signature, or a hash of SHA-256: hexadecimal digits. */
#define SIGV4_HEX 64
/* Most fields that a request may have signed. */
#define SIGV4_FIELDS_MAX 64
/* Between the time of a request and now. AWS allows as much. */
#define SIGV4_SKEW_SECONDS (15 * 60)

#define SIGV4_TOKEN_FIELD "x-amz-security-token"

/* Parts of the head, unless they say otherwise. */
typedef struct {
    struct http_text key_id;
    struct http_text scope; /* "20150830/us-east-1/iam/aws4_request" */
    struct http_text date, region, service;
    char **fields; /* that are signed: lower case, sorted, each once, "host" among them */
    struct http_text signature;
    struct http_text time;    /* X-Amz-Date */
    struct http_text payload; /* X-Amz-Content-Sha256; NULL: the hash of the body is signed */
    struct http_text token;   /* X-Amz-Security-Token; NULL: none */
} sigv4_request;
void sigv4_request_clear(sigv4_request *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(sigv4_request, sigv4_request_clear)

/*
 * Reads HEAD, which http_read_request() took, at the time NOW. NULL; or why its signature cannot be
 * made anew: it leaves out a field that counts, is too old, or signs each chunk of the body as
 * well.
 */
const char *sigv4_read(const char *head, gsize length, gint64 now, sigv4_request *self);

/*
 * How the path and the query get into what is signed. Services differ, and so do clients: S3 signs
 * a path that is coded once, others one that is coded again.
 */
enum sigv4_form { SIGV4_ONCE, SIGV4_TWICE, SIGV4_AS_SENT, SIGV4_FORMS };

/*
 * The canonical request of HEAD, of which an empty line at the end may be missing. FIELDS: those
 * that are signed; PAYLOAD: what it says of the body. A new string; NULL when HEAD lacks one of
 * FIELDS, or has a "%" that codes nothing.
 */
char *sigv4_canonical(const char *head, gsize length, char *const *fields, struct http_text payload,
                      enum sigv4_form form);

/* Signs CANONICAL with KEY, the secret access key, for the time and scope of REQUEST. */
void sigv4_sign(const sigv4_request *request, const secret *key, const char *canonical,
                char hex[SIGV4_HEX + 1]);
