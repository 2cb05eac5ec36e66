/* The log of what a gate did for its box (proto/network_record.h), in the box's runtime folder. */
#pragma once

#include "common/error.h"
#include "proto/network_record.h"

/* "allow RULE", a new string; NULL: no rule has decided. */
char *network_record_rule(const struct network_record *record);

/* TIME: when the record was written, in microseconds since 1970. */
typedef void (*network_log_func)(gint64 time, const struct network_record *record,
                                 gpointer user_data);

/* Calls EACH for every record in FOLDER, the oldest first. FOLLOW: waits for more, until the folder
 * is removed or the process ends. FALSE with ERROR. Lines that are no records are left out. */
gboolean network_log_each(const char *folder, gboolean follow, network_log_func each,
                          gpointer user_data, GError **error);
