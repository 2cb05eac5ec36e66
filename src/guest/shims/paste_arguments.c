#include "guest/shims/paste_arguments.h"

#include <string.h>

#include "proto/clip_content.h"

static int is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return 1;
    return 0;
}

/* TRUE where the word at *AT is the option --type, or -t, with its value in *VALUE: the next word,
 * to which *AT is moved, or the rest of this one. */
static int takes_type(char *const **at, const char **value)
{
    const char *word = **at;
    if (strcmp(word, "-t") == 0 || strcmp(word, "--type") == 0)
        *value = *++*at;
    else if (strncmp(word, "--type=", 7) == 0)
        *value = word + 7;
    else if (strncmp(word, "-t", 2) == 0)
        *value = word + 2;
    else
        return 0;
    return *value != NULL;
}

/* wl-paste takes "image" for any type that begins so (wl-paste(1), --type). */
static int is_picture(const char *type)
{
    static const char *const names[] = {CLIP_TYPE_PICTURE, "image", NULL};
    return is_one_of(type, names);
}

enum paste_request paste_request_wl_paste(char *const *argv)
{
    static const char *const lists[] = {"-l", "--list-types", NULL};
    static const char *const plain[] = {"-n", "--no-newline", NULL};
    const char *type = NULL;
    int wants_list = 0;
    for (char *const *at = argv + 1; *at; at++) {
        if (is_one_of(*at, lists))
            wants_list = 1;
        else if (!is_one_of(*at, plain) && !takes_type(&at, &type))
            return PASTE_OTHER;
    }
    if (wants_list)
        return PASTE_TYPES;
    return type && is_picture(type) ? PASTE_PICTURE : PASTE_OTHER;
}

/* xclip takes each beginning of an option that no other one has, after a single "-". */
static int begins(const char *option, const char *word, size_t least)
{
    size_t length = strlen(word);
    return length >= least && strncmp(option, word, length) == 0;
}

enum paste_request paste_request_xclip(char *const *argv)
{
    const char *type = NULL, *selection = NULL;
    int is_out = 0;
    for (char *const *at = argv + 1; *at; at++) {
        const char **value = begins("-selection", *at, 3) ? &selection
                             : begins("-target", *at, 2)  ? &type
                                                          : NULL;
        if (value && at[1])
            *value = *++at;
        else if (begins("-out", *at, 2))
            is_out = 1;
        else
            return PASTE_OTHER;
    }
    /* Of the name of a selection the first letter counts. */
    if (!is_out || !type || !selection || *selection != 'c')
        return PASTE_OTHER;
    return strcmp(type, "TARGETS") == 0           ? PASTE_TYPES
           : strcmp(type, CLIP_TYPE_PICTURE) == 0 ? PASTE_PICTURE
                                                  : PASTE_OTHER;
}
