/*
 * Text from the other side of the boundary, made harmless before a person sees it (invariant 8).
 *
 * Attacks stopped: terminal escape sequences (C0, C1, DEL), line breaks that forge a second line,
 * bidi overrides and isolates, zero-width and other invisible characters, unpaired or invalid
 * UTF-8, and text so long that it pushes facts off the screen.
 */
#pragma once

#include <glib.h>

/* Longest result of text_safe in bytes; longer text keeps both ends around "…". */
#define TEXT_SAFE_MAX 1024

/*
 * Returns a new string with every dangerous character of TEXT (LENGTH bytes; -1: NUL-terminated)
 * shown as \n, \t, \xHH or \u{HHHH}, at most TEXT_SAFE_MAX bytes. Never NULL; "" for NULL.
 */
char *text_safe(const char *text, gssize length);

/* The same with a ceiling of MAX bytes (at least 16). */
char *text_safe_max(const char *text, gssize length, gsize max);

/*
 * The same for a name in the middle of a sentence that is ours: a plain word (ASCII letters,
 * digits,
 * ".", "_", "-") as it is, all else in double quotes, with everything but plain ASCII, and every
 * quote and backslash, escaped. So no name can seem to end, and go on in our words.
 */
char *text_quoted(const char *text, gssize length, gsize max);

/* FALSE for a character that text_safe would not show as it is. (Runs of marks are not judged.) */
gboolean text_safe_char(gunichar c);

/*
 * Returns a new string with TEXT as one word of a POSIX shell: unchanged when it needs no quotes,
 * else in single quotes. For commands that we suggest to a person; apply text_safe afterwards.
 */
char *text_shell_quote(const char *text);

/* TEXT in single quotes, as POSIX shells (FISH: fish) read them. A new string. */
char *text_quote(const char *text, gboolean fish);

/*
 * Parses "512M", "4GiB", "1024" (bytes) into *BYTES. Suffixes k, M, G, T with or without i and B
 * are powers of 1024, as Podman reads them. FALSE on anything else, on overflow, and on signs.
 */
gboolean text_parse_size(const char *text, gint64 *bytes);

/* Parses "90", "90s", "10m", "2h", "1d" into *SECONDS; FALSE on anything else and on overflow. */
gboolean text_parse_duration(const char *text, gint64 *seconds);

/* A size for people: "1.5 GiB". */
char *text_format_size(gint64 bytes);

/* The candidate nearest to WORD by edit distance, NULL when none is near (at most 2 edits and less
 * than half of the word). CANDIDATES is NULL-terminated; the result points into it. */
const char *text_nearest(const char *word, const char *const *candidates);
