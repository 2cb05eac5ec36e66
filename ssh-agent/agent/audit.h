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
