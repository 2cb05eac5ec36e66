/*
 * The log of what was asked and how it was answered: JSON lines in the state folder, mode 0600,
 * rotated. A line is written before its signature is returned, so there is no signature without a
 * line. It is not synced to disk: it must survive a crash of the agent, not of the machine.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#define AUDIT_FILE "agent.log"
/* A file is rotated before it exceeds this many bytes; AUDIT_OLD older ones are kept. */
#define AUDIT_BYTES (1 << 20)
#define AUDIT_OLD 5

/* Token bucket for the refusals of each box: a burst of AUDIT_REFUSALS, then one entry every
 * AUDIT_REFUSAL_SECONDS. A box may ask as often as it likes, and must not push the entries about
 * signatures out of the log. */
#define AUDIT_REFUSALS 100
#define AUDIT_REFUSAL_SECONDS 60

typedef struct audit audit;
/* FOLDER must exist. NULL with errno. */
audit *audit_new(const char *folder);
void audit_free(audit *self);

/* Writes ENTRY (taken) with the time in front. FALSE unless all of it is in the file. */
gboolean audit_write(audit *self, json_t *entry);
/* The same for a request of BOX that was refused at NOW (microseconds), within the limit above. The
 * next entry that is written counts those that were left out as "left_out". */
void audit_write_refusal(audit *self, const char *box, json_t *entry, gint64 now);
