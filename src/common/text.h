/*
 * Text: escaping of hostile text before a person sees it, quoting, similar words, and names of
 * hosts.
 *
 * text_safe() stops these attacks of text from a box, a project, an image or the network: terminal
 * escape sequences (C0, C1, DEL), line breaks that forge a second line, bidirectional overrides and
 * isolates, zero-width and other invisible characters, invalid UTF-8, stacks of combining marks,
 * and text so long that it pushes facts off the screen.
 */
#pragma once

#include <glib.h>

/* Longest result of text_safe() in bytes; of longer text both ends are kept, with "…" between. */
#define TEXT_SAFE_MAX 1024

/*
 * Returns a new string in which every dangerous character of TEXT (LENGTH bytes; -1:
 * NUL-terminated) is written as \n, \t, \xHH or \u{HHHH}, at most TEXT_SAFE_MAX bytes long. "" for
 * NULL.
 */
char *text_safe(const char *text, gssize length);

/* Like text_safe(), at most MAX bytes long (but never less than 16). */
char *text_safe_max(const char *text, gssize length, gsize max);

/*
 * For a hostile name inside a sentence of ours. A plain word (ASCII letters, digits, ".", "_", "-")
 * is returned unchanged. Everything else is put in double quotes, with quotes, backslashes, all
 * that is not printable ASCII, and blanks after a blank escaped, so that no name can look as if it
 * ended and our text went on, or fill a line of a terminal so that its rest looks like the next.
 * The result without its quotes is at most MAX bytes long (but never less than 16).
 */
char *text_quoted(const char *text, gssize length, gsize max);

/* Cuts the relative PATH to that of its folder. FALSE: it is one name alone, and stays. */
gboolean text_cut_path(char *path);

/* FALSE for a character that text_safe() escapes wherever it stands. */
gboolean text_safe_char(gunichar c);

/*
 * Returns a new string with TEXT as one word of a POSIX shell: unchanged if it needs no quotes,
 * else in single quotes. For commands that we suggest to the user; apply text_safe() to the result.
 */
char *text_shell_quote(const char *text);

/* Returns a new string with TEXT in single quotes, for POSIX shells or, with FISH, for fish. */
char *text_quote(const char *text, gboolean fish);

/* TRUE when TEXT has nothing but ASCII letters, digits and characters of OTHERS. */
gboolean text_has_only(const char *text, const char *others);

/* 16 random hexadecimal digits, as a name that nothing else has; a new string. */
char *text_new_id(void);

/* The strings of LIST, which it takes, as a NULL-terminated array. */
char **text_list(GPtrArray *list);

/* Compares two strings by the pointers to them, for g_ptr_array_sort(). */
gint text_compare(gconstpointer a, gconstpointer b);

/* The candidate nearest to WORD by edit distance, for "did you mean". NULL if none is near: at most
 * 2 edits, 1 for a WORD of less than 6 characters, none for less than 3. The first character, which
 * is seldom wrong, may differ in words from 4 characters on, by 1 edit. CANDIDATES is
 * NULL-terminated; the result points into it. */
const char *text_nearest(const char *word, const char *const *candidates);

/*
 * How a person reads the name of a host: HOST (lower-case ASCII, or an IPv6 address in brackets)
 * decoded from Punycode (xn--…), harmless, a new string, and the names of its scripts ("Cyrillic,
 * Latin") in *SCRIPTS, a new string. NULL when it has no Punycode. A label that cannot be decoded
 * stays as it is.
 */
char *host_name_unicode(const char *host, char **scripts);
