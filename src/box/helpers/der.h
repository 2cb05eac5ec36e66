/*
 * Values of ASN.1 as DER, read and written: a tag of one byte, the length in its shortest form, and
 * the contents (X.690, 8.1 and 10.1). So what is read and written again is the same.
 */
#pragma once

#include <glib.h>

enum {
    DER_OCTETS = 0x04,
    DER_OID = 0x06,
    DER_BMP_STRING = 0x1e,
    DER_SEQUENCE = 0x30,
    DER_SET = 0x31,
    DER_EXPLICIT_0 = 0xa0
};

/* What is left to read. */
typedef struct {
    const guint8 *at, *end;
} der_reader;

/* Reads the next value of SELF, if that has TAG, and sets CONTENTS to what is in it. FALSE: it has
 * another one, or is broken; SELF is as it was. */
gboolean der_take(der_reader *self, guint8 tag, der_reader *contents);

/* Appends a value of TAG with LENGTH bytes of CONTENTS. */
void der_put(GString *to, guint8 tag, const void *contents, gsize length);
