/*
 * Commands as Podman, Docker, distrobox and toolbox call them. Where Litterbox has an equal, it is
 * what runs; else one line says what it is called here. box(1) lists them.
 */
#pragma once

#include <glib.h>

struct foreign_word {
    const char *word;
    const char *means; /* the words that stand for it: "image list"; or NULL, */
    const char *says;  /* and then what to do instead, the end of a sentence */
};

/* Ends with a row of NULL. */
extern const struct foreign_word foreign_words[];

/* NULL when WORD is none. */
const struct foreign_word *foreign_word_find(const char *word);

/* The command line that stands for ARGV, which begins with WORD's: a new list whose words are
 * borrowed, free with g_free(). Only for a word that means something. */
char **foreign_word_replace(const struct foreign_word *word, char **argv);
