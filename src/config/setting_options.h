/*
 * Settings as PID 1 and the helpers get them: options "section.key=VALUE", written by serialize.h
 * from the schema's rows. A program names the settings that it takes in a table of its own, and
 * gets them as typed fields. libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/choices.h"

/* The time of [box] idle_stop that means never. */
#define SETTINGS_NEVER INT64_MIN

enum setting_type {
    SETTING_BOOL,   /* int */
    SETTING_CHOICE, /* an enum of choices.h */
    SETTING_NUMBER, /* int64_t: a number, a size in bytes, a time in seconds or SETTINGS_NEVER */
};

struct setting_option {
    const char *name; /* "section.key"; NULL ends the table */
    enum setting_type type;
    size_t offset;                /* of the field */
    const struct choice *choices; /* of a SETTING_CHOICE */
};

/*
 * Stores the value of OPTION, "section.key=VALUE", in its field of the struct INTO. Returns 1;
 * 0 when TABLE does not have the key; -1 when the value is not one of the type's.
 */
int setting_option_read(const struct setting_option *table, const char *option, void *into);
