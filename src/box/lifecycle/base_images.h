/*
 * The images that a Containerfile starts from. A build that has no open network cannot pull, so
 * they are pulled before it. Parser of hostile text: what it does not find, the build misses.
 */
#pragma once

#include <glib.h>

#define BASE_IMAGES_MAX 32

/* The images of FROM, COPY --from and RUN --mount=…,from= in LENGTH bytes of CONTENTS, with the
 * arguments ARGS ("K=V", NULL-terminated) put in: new strings, each once. Neither stages of the
 * build, nor what is no name of an image of a registry. */
GPtrArray *base_images_parse(const char *contents, gsize length, char *const *args);
/* TEXT of a FROM there, with its variables put in, a new string; NULL: it has one that is not
 * known, or more than that. */
char *base_images_expand(const char *contents, gsize length, char *const *args, const char *text);
