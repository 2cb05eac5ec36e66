/*
 * Sizes, durations and times: as the user writes them, as a person reads them, and as JSON has
 * them. All sizes are in bytes and all durations in seconds.
 */
#pragma once

#include <glib.h>

/*
 * Parses "512M", "4GiB", "1024" (bytes) into *BYTES. Suffixes k, M, G, T with or without i and B
 * are powers of 1024, as Podman reads them. FALSE on anything else, on overflow, and on signs.
 */
gboolean units_parse_size(const char *text, gint64 *bytes);

/* Parses "90", "90s", "10m", "2h", "1d" into *SECONDS; FALSE on anything else and on overflow. */
gboolean units_parse_duration(const char *text, gint64 *seconds);

/* "4G", "10m": exact, so that the parsers above read the same number back. New strings. */
char *units_exact_size(gint64 bytes);
char *units_exact_duration(gint64 seconds);

/* For people, rounded: "1.5 GiB"; "45 s", "12 min", "3 h 20 min", "2 d 4 h". New strings. */
char *units_format_size(gint64 bytes);
char *units_format_duration(gint64 seconds);

/* SECONDS since 1970 as RFC 3339 in UTC, "2025-03-01T12:00:05Z"; NULL where no year has four
 * digits. A new string. */
char *units_rfc3339(gint64 seconds);
/* The same for people, in the local zone: "2025-03-01 13:00:05 CET". "?" instead of NULL. */
char *units_format_time(gint64 seconds);
