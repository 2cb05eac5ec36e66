/* The bounds of a question, for the prompt and for whoever asks. */
#pragma once

/* Longest question in bytes. */
#define QUESTION_MAX (64 * 1024)
/* Most items of a list; a longer one makes the question invalid. */
#define QUESTION_KNOWN_MAX 8
#define QUESTION_CLAIMED_MAX 16
#define QUESTION_CHAIN_MAX 32
#define QUESTION_WARNINGS_MAX 4
#define QUESTION_CHOICES_MAX 6
#define QUESTION_KEYS_MAX 64
/* Longest address: more than browsers and the servers of logins make use of. */
#define QUESTION_ADDRESS_MAX 8192
