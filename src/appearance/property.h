/* The table of properties, and what their values may be. */
#pragma once

#include "appearance/appearance.h"

typedef enum { LOOK_NAME, LOOK_TEXT, LOOK_WORD, LOOK_INT, LOOK_DOUBLE, LOOK_BOOL } look_kind;

typedef struct {
    const char *dconf; /* NULL: not in GSettings */
    const char *gtk;   /* in settings.ini; NULL: not there */
    look_kind kind;
    double least, most; /* of numbers */
} look_row;

extern const look_row look_rows[N_LOOKS];

/* VALUE as it may be passed on, a new string; NULL when it may not. */
char *look_check(look_property property, const char *value);

/* As GSettings has it, floating; and back: NULL when it is of another type. */
GVariant *look_to_variant(look_property property, const char *value);
char *look_from_variant(look_property property, GVariant *value);

/* TRUE when all of TEXT, of at most MAX bytes and not empty, can be shown and needs no quotes. */
gboolean look_is_plain(const char *text, gsize max);
