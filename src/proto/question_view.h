/*
 * The presentation of a question, for the window and for terminals: which sections it has below its
 * headline and verdict, in which order, and in which words. A section is a list of facts.
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

/* The sections of SELF in the order in which they are shown: of question_section, a new array. */
GPtrArray *question_sections(const question *self);

/* "Verified" or "Not verified"; NULL for a question without a verdict. */
const char *question_verdict_label(const question *self);

/*
 * SELF for a terminal: everything below the headline, one fact a line, indented by two spaces. A
 * new string.
 *
 * It leaves the phrase out. The phrase proves that a window is ours; on a terminal it proves
 * nothing, as boxes write there too.
 */
char *question_describe(const question *self);
