/*
 * What is shown of a question, in which order and in which words: one place for the window and for
 * terminals. Below its headline and verdict a question consists of sections, each a list of facts.
 */
#pragma once

#include "proto/question.h"

enum question_section_type {
    QUESTION_SECTION_KNOWN,
    QUESTION_SECTION_WARNINGS,
    QUESTION_SECTION_NOTE,
    QUESTION_SECTION_KEYS,
    QUESTION_SECTION_ADDRESS,
    QUESTION_SECTION_CLAIMED,
};

typedef struct question_section {
    enum question_section_type type;
    const char *title, *hint; /* NULL: none */
    GPtrArray *facts;         /* of question_fact */
} question_section;

/* The sections that SELF has, in the order of showing: of question_section, a new array. */
GPtrArray *question_sections(const question *self);

/* "Verified" or "Not verified"; NULL for a question without a verdict. */
const char *question_verdict_label(const question *self);

/*
 * SELF for a terminal: everything below the headline, a fact a line, a new string whose lines end
 * with "\n" and are indented by two blanks.
 *
 * The phrase is left out: it proves that a window is not a box's, and a terminal can show anything.
 */
char *question_describe(const question *self);
