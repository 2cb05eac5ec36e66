#include "guest/guard/name_folding.h"

#include <stdint.h>
#include <string.h>

#define END (-1)
#define SHORT_BASE 6  /* of a short name, before the tilde */
#define HASHED_BASE 2 /* where that was taken too often: so much, and four hexadecimal digits */
#define HASH_DIGITS 4
#define SHORT_EXTENSION 3

/* Code points that file systems ignore: those without a width, and marks of direction. */
static const struct {
    uint32_t from, to;
} ignored[] = {
    {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/* Letters beyond ASCII that casefolded ext4 and f2fs take for letters of ASCII (CaseFolding.txt of
 * Unicode, C and F), and signs that mean one of ASCII. */
static const struct {
    uint32_t point;
    const char *ascii;
} folded[] = {
    {0xdf, "ss"},    {0x17f, "s"},   {0x37e, ";"},   {0x1e9e, "ss"}, {0x1fef, "`"},
    {0x212a, "k"},   {0xfb00, "ff"}, {0xfb01, "fi"}, {0xfb02, "fl"}, {0xfb03, "ffi"},
    {0xfb04, "ffl"}, {0xfb05, "st"}, {0xfb06, "st"},
};

/* Bytes of a name that are left; hostile ones may be anything. */
struct rest {
    const unsigned char *at, *end;
    const char *folded; /* what is left of the letter before AT; NULL for nothing */
};

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* The UTF-8 sequence at SELF, or 0 when there is none: then its bytes count each for itself. */
static size_t decode(const struct rest *self, uint32_t *point)
{
    unsigned char first = *self->at;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (!length || first > 0xf4 || (size_t)(self->end - self->at) < length)
        return 0;
    *point = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((self->at[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (self->at[i] & 0x3fu);
    }
    return length;
}

static int is_ignored(uint32_t point)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (point >= ignored[i].from && point <= ignored[i].to)
            return 1;
    }
    return 0;
}

static const char *fold_into_ascii(uint32_t point)
{
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++) {
        if (folded[i].point == point)
            return folded[i].ascii;
    }
    return NULL;
}

/* The next byte of the folded name, or END. */
static int next(struct rest *self)
{
    if (self->folded && *self->folded)
        return *self->folded++;
    while (self->at < self->end) {
        uint32_t point;
        size_t length = *self->at < 0x80 ? 0 : decode(self, &point);
        if (!length)
            return lower(*self->at++);
        if (is_ignored(point)) {
            self->at += length;
            continue;
        }
        self->folded = fold_into_ascii(point);
        if (!self->folded)
            return *self->at++;
        self->at += length;
        return *self->folded++;
    }
    return END;
}

/* Without a stream, and without the dots and spaces that FAT does not keep. */
static struct rest trim(const char *name, size_t length)
{
    const char *colon = memchr(name, ':', length);
    size_t end = colon && colon > name ? (size_t)(colon - name) : length;
    while (end && (name[end - 1] == '.' || name[end - 1] == ' '))
        end--;
    return (struct rest){(const unsigned char *)name, (const unsigned char *)name + end, NULL};
}

/* Like next(), of what a short name keeps of a long one. */
static int next_short(struct rest *self)
{
    int c;
    do
        c = next(self);
    while (c == '.' || c == ' ');
    return c;
}

/* 1 when SELF goes on like LONG's short form does: COUNT characters at most. */
static int begins(struct rest *self, struct rest whole, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int c = next_short(&whole);
        if (c == END)
            break;
        if (next(self) != c)
            return 0;
    }
    return 1;
}

static size_t skip(struct rest *self, const char *set, size_t most)
{
    size_t count = 0;
    while (count < most && self->at < self->end && *self->at && strchr(set, *self->at)) {
        self->at++;
        count++;
    }
    return count;
}

/* "~1" and what is left of the extension, which starts at DOT of the long name or is none. */
static int ends(struct rest self, struct rest extension)
{
    if (!skip(&self, "~", 1) || !skip(&self, "123456789", 1))
        return 0;
    skip(&self, "0123456789", SHORT_BASE);
    if (extension.at < extension.end &&
        (!skip(&self, ".", 1) || !begins(&self, extension, SHORT_EXTENSION)))
        return 0;
    return self.at == self.end;
}

/* NAME could be the short name of WHOLE: GIT~1 or GI7D29~1 of ".git", LITTER~1.TOM … */
static int is_short(struct rest name, struct rest whole)
{
    struct rest base = whole, extension, hashed = name;
    skip(&base, ". ", (size_t)-1);
    extension = (struct rest){base.end, base.end, NULL};
    for (const unsigned char *at = base.end; at > base.at; at--) {
        if (at[-1] == '.') {
            extension.at = at;
            base.end = at - 1;
            break;
        }
    }
    for (size_t kept = SHORT_BASE; kept > 0; kept--) { /* fewer where the number is longer */
        struct rest self = name;
        if (begins(&self, base, kept) && ends(self, extension))
            return 1;
    }
    return begins(&hashed, base, HASHED_BASE) &&
           skip(&hashed, "0123456789abcdefABCDEF", HASH_DIGITS) == HASH_DIGITS &&
           ends(hashed, extension);
}

int name_is_plain(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)name[i] >= 0x80 || name[i] == '~')
            return 0;
    }
    return 1;
}

/* 1 when what comes behind the first byte of a name may fold to nothing. */
static int is_dropped(unsigned char second)
{
    return second >= 0x80 || strchr(". :", second) != NULL;
}

int name_may_be(const char *a, size_t a_length, const char *b, size_t b_length)
{
    for (size_t i = 0; i < 2 && i < b_length; i++) {
        unsigned char wanted = (unsigned char)b[i];
        if (i ? is_dropped(wanted) : wanted >= 0x80)
            return 1; /* B may fold to fewer bytes */
        if (i == a_length || lower((unsigned char)a[i]) != lower(wanted))
            return !name_is_plain(a, a_length);
    }
    return 1;
}

static void add_pair(struct name_set *self, int first, int second)
{
    self->rows[first][second / 64] |= (uint64_t)1 << second % 64;
}

void name_set_add(struct name_set *self, const char *b, size_t b_length)
{
    unsigned char first = b_length ? (unsigned char)b[0] : 0x80;
    unsigned char second = b_length > 1 ? (unsigned char)b[1] : 0x80;
    if (first >= 0x80) /* what follows may come first */
        memset(self->rows, 0xff, sizeof self->rows);
    else if (is_dropped(second))
        memset(self->rows[lower(first)], 0xff, sizeof self->rows[0]);
    else
        add_pair(self, lower(first), lower(second));
}

int name_set_may_hold(const struct name_set *self, const char *a, size_t a_length)
{
    if (!name_is_plain(a, a_length))
        return 1;
    if (!a_length)
        return 0;
    int second = a_length > 1 ? lower((unsigned char)a[1]) : 0; /* 0: of whole rows alone */
    return self->rows[lower((unsigned char)a[0])][second / 64] >> second % 64 & 1;
}

int name_is_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (!name_may_be(a, a_length, b, b_length))
        return 0;
    struct rest one = trim(a, a_length), other = trim(b, b_length), left = one, right = other;
    for (;;) {
        int c = next(&left);
        if (c != next(&right))
            return is_short(one, other);
        if (c == END)
            return 1;
    }
}

int name_begins(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (!name_may_be(a, a_length, b, b_length))
        return 0;
    struct rest one = trim(a, a_length), other = trim(b, b_length), left = one, right = other;
    for (int c; (c = next(&right)) != END;) {
        if (next(&left) != c)
            return is_short(one, other);
    }
    return 1;
}
