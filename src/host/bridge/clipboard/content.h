/*
 * What may go from one clipboard to another: text and one kind of picture, checked. Plain functions
 * over buffers; libc only.
 */
#pragma once

#include <stddef.h>

enum clip_kind { CLIP_TEXT, CLIP_PICTURE, CLIP_KINDS };
/* Sets of kinds. */
#define CLIP_HAS(kind) (1u << (kind))

/* More is not passed on, of either kind. */
#define CLIP_MAX ((size_t)16 << 20)
/* Pixels of a picture, across or down, and in all: what decodes to more than this (256 MiB, as most
 * programs have it) has no use but to hurt. */
#define CLIP_PIXELS_MAX 16384u
#define CLIP_AREA_MAX (1u << 26)

#define CLIP_TYPE_TEXT "text/plain;charset=utf-8"
#define CLIP_TYPE_PICTURE "image/png"
/* Who copies a password says so by offering this, too (KDE's, KeePassXC's and others' way). */
#define CLIP_TYPE_SECRET "x-kde-passwordManagerHint"

/* The kind that a MIME type says; -1: none of ours. */
int clip_kind_of(const char *type);
const char *clip_type(int kind);

/*
 * Makes what a box has copied fit for the host, in place: text has to be UTF-8, and loses its
 * control characters but tab and line ends (a terminal into which it is pasted would obey them); a
 * picture has to be one whole PNG of reasonable size, and loses all but the parts that make it up:
 * the rest is text, profiles, and whatever else somebody hides there. *LENGTH is what is left. -1:
 * it is nothing to pass on.
 */
int clip_clean(int kind, unsigned char *data, size_t *length);
