/*
 * What was asked and what was answered: JSON lines in the state folder, mode 0600, rotated. A line
 * is written before a signature is returned, so that there is none without its line; it is not
 * synced, because what it has to survive is the agent's end, not the machine's.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#define AUDIT_FILE "agent.log"
/* A file grows to this size; as many older ones are kept. */
#define AUDIT_BYTES (1 << 20)
#define AUDIT_OLD 5

typedef struct audit audit;
/* FOLDER exists. */
audit *audit_new(const char *folder);
void audit_free(audit *self);

/* Writes ENTRY (taken) with the time in front. FALSE when it is not in the file as a whole. */
gboolean audit_write(audit *self, json_t *entry);

/*
 * The same for what BOX was refused at NOW (microseconds). A box can ask as often as it likes, and
 * must not push out of the log what was signed: after so many at once only one in a while is
 * written, with the number of those that were left out before it.
 */
#define AUDIT_REFUSALS 100
#define AUDIT_REFUSAL_SECONDS 60
void audit_write_refusal(audit *self, const char *box, json_t *entry, gint64 now);
