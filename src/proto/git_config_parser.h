/*
 * The entries of a git configuration, read as git reads them: config.c of git 2.39 to 2.48
 * (git_parse_source()), of which git-config(1), CONFIGURATION FILE, describes the most. A pure
 * function over hostile bytes. tests/escape/git_config.bats compares it with git itself.
 */
#pragma once

#include <stddef.h>

/* Bytes of the largest configuration that is read. */
#define GIT_CONFIG_MAX 65536

/* Of one entry, or the section before it. The texts are the parser's own. */
struct git_config_entry {
    const char *section; /* lower case, with any ".name" of the old form; NULL before the first */
    const char *name;    /* of [section "name"], with case; NULL: there is none */
    const char *key;     /* lower case */
    const char *value;   /* NULL for a key alone, which means true */
};

struct git_config_parser {
    const unsigned char *at, *end;
    struct git_config_entry entry;
    char room[2 * GIT_CONFIG_MAX]; /* section and name, then key and value */
    size_t section_end, room_end;  /* bytes of ROOM that are used */
    int is_comment, has_failed;
};

/* Begins with LENGTH bytes at TEXT, which must stay. */
void git_config_parser_begin(struct git_config_parser *self, const char *text, size_t length);
/*
 * The next entry, valid until the next call. NULL at the end, or where git would report a bad line:
 * then SELF->has_failed is 1. It also fails for what is too long or has a NUL.
 */
const struct git_config_entry *git_config_parser_next(struct git_config_parser *self);
