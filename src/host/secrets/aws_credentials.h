/*
 * The value of a secret with SECRET_SIGV4: an access key of AWS, or of a service that has the same
 * signatures. "ID:SECRET" or "ID:SECRET:TOKEN", or the JSON that a credential_process prints, as
 * `aws configure export-credentials` does ("Sourcing credentials with an external process in the
 * AWS CLI", docs.aws.amazon.com). Plain functions over a buffer.
 */
#pragma once

#include <glib.h>

#include "ssh-agent/store/secret.h"

typedef struct {
    secret *id, *key, *token; /* of which TOKEN may be NULL */
} aws_credentials;
void aws_credentials_clear(aws_credentials *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(aws_credentials, aws_credentials_clear)

/* FALSE with ERROR, whose message has nothing of TEXT, and SELF empty. */
gboolean aws_credentials_read(const secret *text, aws_credentials *self, GError **error);
