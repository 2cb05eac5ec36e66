/*
 * The records of what the gate did for the box (proto/network_record.h), for `box net log`.
 *
 * A box can repeat what is refused as fast as it likes, with as many names as it likes. So what is
 * alike is counted for JOURNAL_PERIOD_MS after the first one, and written as one record; and beyond
 * JOURNAL_BURST records, with one more each JOURNAL_REFILL_MS, and JOURNAL_PLACES that are counted,
 * what is left is written as one record without a name. For the event loop of the process. libc
 * only.
 */
#pragma once

#include "proto/network_record.h"

#define JOURNAL_PERIOD_MS 10000
#define JOURNAL_BURST 200
#define JOURNAL_REFILL_MS 50
#define JOURNAL_PLACES 128

/* WRITE gets each line, without its end. */
void journal_start(void (*write)(const char *line));
/* RECORD's count is 1. */
void journal_add(const struct network_record *record);
/* Writes what is counted and not written yet. */
void journal_flush(void);
