/*
 * What of a clipboard may cross the border of a box: UTF-8 text and PNG pictures. libc only.
 */
#pragma once

#include <stddef.h>

enum clip_kind { CLIP_TEXT, CLIP_PICTURE, CLIP_KINDS };
/* A set of kinds is a mask of these. */
#define CLIP_HAS(kind) (1u << (kind))

/* Bytes of a content at most. */
#define CLIP_MAX ((size_t)16 << 20)
/* Pixels of a picture in one direction, and in all. Most programs decode to 4 bytes a pixel: larger
 * pictures (256 MiB) are taken for an attack on memory. */
#define CLIP_PIXELS_MAX 16384u
#define CLIP_AREA_MAX (1u << 26)

#define CLIP_TYPE_TEXT "text/plain;charset=utf-8"
#define CLIP_TYPE_PICTURE "image/png"
/* Password managers (KeePassXC, KDE and others) also offer this type when they copy a secret. */
#define CLIP_TYPE_SECRET "x-kde-passwordManagerHint"

/* The kind of a MIME type; -1 for none. */
int clip_kind_of(const char *type);
const char *clip_type(int kind);

/*
 * Cleans content that crosses the border of a box in place. Text must be UTF-8, and loses control
 * characters except tabs and line breaks, because a terminal would execute them when pasted. A
 * picture must be one complete PNG of limited size, and keeps only the chunks that are needed to
 * draw it: others have texts, profiles and possibly hidden data. *LENGTH becomes the new length.
 * -1: refused.
 */
int clip_clean(int kind, unsigned char *data, size_t *length);
