/* The rules of the shared clipboard, with fake ends, and the checks of its content. */
#include "host/bridge/clipboard/exchange.h"

#include <glib.h>
#include <string.h>

/* An end that remembers the last calls. */
static struct fake_end {
    unsigned kinds;
    int n_offers, fetching, n_fetches, token;
    char *given; /* "no" when refused */
} ends[EXCHANGE_ENDS];
static struct exchange rules;
static int in_use;
static int64_t now;

static void offer(void *self, unsigned kinds)
{
    struct fake_end *end = self;
    end->kinds = kinds;
    end->n_offers++;
}

static void fetch(void *self, int kind)
{
    struct fake_end *end = self;
    end->fetching = kind;
    end->n_fetches++;
}

static void give(void *self, int token, const unsigned char *data, size_t length)
{
    struct fake_end *end = self;
    end->token = token;
    g_free(end->given);
    end->given = data ? g_strndup((const char *)data, length) : g_strdup("no");
}

static int is_in_use(void)
{
    return in_use;
}

/* Frees what the previous test has left. */
static void clear(void)
{
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        free(rules.fetched[kind].data);
        free(rules.published[kind].data);
    }
    for (int i = 0; i < EXCHANGE_ENDS; i++)
        g_free(ends[i].given);
}

static void begin(unsigned may)
{
    clear();
    memset(ends, 0, sizeof ends);
    rules = (struct exchange){.directions = may, .may_read = is_in_use, .may_write = is_in_use};
    for (int i = 0; i < EXCHANGE_ENDS; i++)
        rules.ends[i] = (struct exchange_port){&ends[i], offer, fetch, give};
    exchange_begin(&rules);
    in_use = 1;
    now = 1000000;
}

static void fetched(int end, int kind, const char *text)
{
    exchange_fetched(&rules, end, kind, text ? (unsigned char *)strdup(text) : NULL,
                     text ? strlen(text) : 0);
}

#define TEXT CLIP_HAS(CLIP_TEXT)
#define PICTURE CLIP_HAS(CLIP_PICTURE)

static void test_to_box(void)
{
    begin(EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, TEXT, now);
    g_assert_cmpuint(ends[EXCHANGE_BOX].kinds, ==, TEXT);
    /* Content is fetched on request only, and once for all requests. */
    g_assert_cmpint(ends[EXCHANGE_HOST].n_fetches, ==, 0);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, now);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 1, now);
    g_assert_cmpint(ends[EXCHANGE_HOST].n_fetches, ==, 1);
    fetched(EXCHANGE_HOST, CLIP_TEXT, "hello");
    g_assert_cmpstr(ends[EXCHANGE_BOX].given, ==, "hello");
    g_assert_cmpint(ends[EXCHANGE_BOX].token, ==, 1);
    /* A kind that was not offered is not fetched. */
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_PICTURE, 2, now);
    g_assert_cmpstr(ends[EXCHANGE_BOX].given, ==, "no");
    /* The other direction is closed. */
    exchange_offered(&rules, EXCHANGE_BOX, TEXT, now);
    g_assert_cmpint(ends[EXCHANGE_BOX].n_fetches, ==, 0);
    g_assert_cmpint(ends[EXCHANGE_HOST].n_offers, ==, 0);
}

static void test_to_box_only_in_use(void)
{
    begin(EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, TEXT, now);
    in_use = 0;
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, now);
    g_assert_cmpstr(ends[EXCHANGE_BOX].given, ==, "no");
    g_assert_cmpint(ends[EXCHANGE_HOST].n_fetches, ==, 0);
}

/* A request for the previous content does not get the new one, which may be a secret. */
static void test_changed_meanwhile(void)
{
    begin(EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, TEXT, now);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, now);
    exchange_offered(&rules, EXCHANGE_HOST, 0, now);
    g_assert_cmpstr(ends[EXCHANGE_BOX].given, ==, "no");
    g_assert_cmpuint(ends[EXCHANGE_BOX].kinds, ==, 0);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, now);
    g_assert_cmpint(ends[EXCHANGE_HOST].n_fetches, ==, 1);
}

static void test_reads_are_limited(void)
{
    begin(EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, TEXT, now);
    for (int i = 0; i < 1000; i++) {
        exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, now);
        if (strcmp(ends[EXCHANGE_BOX].given ?: "", "no") == 0)
            break;
        fetched(EXCHANGE_HOST, CLIP_TEXT, "x");
    }
    g_assert_cmpint(ends[EXCHANGE_HOST].n_fetches, ==, 20);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, now + 1000);
    g_assert_cmpint(ends[EXCHANGE_HOST].n_fetches, ==, 21);
}

static void test_from_box(void)
{
    begin(EXCHANGE_FROM_BOX);
    exchange_offered(&rules, EXCHANGE_BOX, TEXT | PICTURE, now);
    g_assert_cmpint(ends[EXCHANGE_BOX].fetching, ==, CLIP_TEXT);
    fetched(EXCHANGE_BOX, CLIP_TEXT, "one\x1b[31mtwo");
    g_assert_cmpint(ends[EXCHANGE_BOX].fetching, ==, CLIP_PICTURE);
    g_assert_cmpint(ends[EXCHANGE_HOST].n_offers, ==, 0);
    fetched(EXCHANGE_BOX, CLIP_PICTURE, "not a picture");
    g_assert_cmpuint(ends[EXCHANGE_HOST].kinds, ==, TEXT);
    exchange_wanted(&rules, EXCHANGE_HOST, CLIP_TEXT, 3, now);
    g_assert_cmpstr(ends[EXCHANGE_HOST].given, ==, "one[31mtwo");
    exchange_wanted(&rules, EXCHANGE_HOST, CLIP_PICTURE, 3, now);
    g_assert_cmpstr(ends[EXCHANGE_HOST].given, ==, "no");
    /* The desktop's clipboard is none of the box's business. */
    exchange_offered(&rules, EXCHANGE_HOST, TEXT, now);
    g_assert_cmpint(ends[EXCHANGE_BOX].n_offers, ==, 0);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, now);
    g_assert_cmpstr(ends[EXCHANGE_BOX].given, ==, "no");
}

/* A copy that cannot be fetched leaves the desktop's clipboard as it is. */
static void test_nothing_from_box(void)
{
    begin(EXCHANGE_FROM_BOX);
    exchange_offered(&rules, EXCHANGE_BOX, TEXT, now);
    fetched(EXCHANGE_BOX, CLIP_TEXT, NULL);
    exchange_offered(&rules, EXCHANGE_BOX, 0, now);
    in_use = 0;
    exchange_offered(&rules, EXCHANGE_BOX, TEXT, now + 10000);
    g_assert_cmpint(ends[EXCHANGE_BOX].n_fetches, ==, 1);
    g_assert_cmpint(ends[EXCHANGE_HOST].n_offers, ==, 0);
}

/* Nor does one that arrives when the user has left the box's windows. */
static void test_late_from_box(void)
{
    begin(EXCHANGE_FROM_BOX);
    exchange_offered(&rules, EXCHANGE_BOX, TEXT, now);
    in_use = 0;
    fetched(EXCHANGE_BOX, CLIP_TEXT, "late");
    g_assert_cmpint(ends[EXCHANGE_HOST].n_offers, ==, 0);
    in_use = 1;
    exchange_offered(&rules, EXCHANGE_BOX, TEXT, now + 1000);
    fetched(EXCHANGE_BOX, CLIP_TEXT, "in time");
    exchange_wanted(&rules, EXCHANGE_HOST, CLIP_TEXT, 0, now);
    g_assert_cmpstr(ends[EXCHANGE_HOST].given, ==, "in time");
}

static void test_writes_are_limited(void)
{
    begin(EXCHANGE_FROM_BOX);
    for (int i = 0; i < 1000; i++) {
        exchange_offered(&rules, EXCHANGE_BOX, TEXT, now + i);
        if (ends[EXCHANGE_BOX].n_fetches > ends[EXCHANGE_HOST].n_offers)
            fetched(EXCHANGE_BOX, CLIP_TEXT, "x");
    }
    g_assert_cmpint(ends[EXCHANGE_HOST].n_offers, <=, 5);
    /* The last one is not lost. */
    int before = ends[EXCHANGE_BOX].n_fetches;
    g_assert_cmpint(exchange_due(&rules, now + 1000), >=, 0);
    exchange_due(&rules, now + 20000);
    g_assert_cmpint(ends[EXCHANGE_BOX].n_fetches, ==, before + 1);
    fetched(EXCHANGE_BOX, CLIP_TEXT, "last");
    exchange_wanted(&rules, EXCHANGE_HOST, CLIP_TEXT, 0, now);
    g_assert_cmpstr(ends[EXCHANGE_HOST].given, ==, "last");
    g_assert_cmpint(exchange_due(&rules, now + 20000), ==, -1);
}

static void assert_text(const char *text, const char *expected)
{
    g_autofree char *copy = g_strdup(text);
    size_t length = strlen(copy);
    int done = clip_clean(CLIP_TEXT, (unsigned char *)copy, &length);
    if (!expected) {
        g_assert_cmpint(done, ==, -1);
        return;
    }
    g_assert_cmpint(done, ==, 0);
    g_assert_cmpmem(copy, length, expected, strlen(expected));
}

static void test_text(void)
{
    assert_text("a\tb\r\nc", "a\tb\r\nc");
    assert_text("Grüße, 世界 🙂", "Grüße, 世界 🙂");
    assert_text("\x1b[201~rm\x7f\xc2\x9b", "[201~rm");
    assert_text("", NULL);
    assert_text("\x1b", NULL);
    assert_text("\xff\xfe", NULL);
    assert_text("\xc0\xaf", NULL);
    assert_text("\xed\xa0\x80", NULL);
    assert_text("\xf4\x90\x80\x80", NULL);
    assert_text("abc\xe4\xb8", NULL);
}

static void add_chunk(GByteArray *data, const char *name, guint32 size)
{
    guint32 head = GUINT32_TO_BE(size);
    g_byte_array_append(data, (const guint8 *)&head, 4);
    g_byte_array_append(data, (const guint8 *)name, 4);
    for (guint32 i = 0; i < size; i++)
        g_byte_array_append(data, (const guint8 *)"x", 1);
    g_byte_array_append(data, (const guint8 *)"CRC.", 4);
}

/* A PNG of WIDTH by HEIGHT, with a chunk EXTRA unless that is NULL. */
static GByteArray *make_picture(guint32 width, guint32 height, const char *extra)
{
    GByteArray *data = g_byte_array_new();
    guint32 sizes[] = {GUINT32_TO_BE(width), GUINT32_TO_BE(height)};
    g_byte_array_append(data, (const guint8 *)"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16);
    g_byte_array_append(data, (const guint8 *)sizes, 8);
    g_byte_array_append(data, (const guint8 *)"\x08\x02\0\0\0CRC.", 9);
    if (extra)
        add_chunk(data, extra, strcmp(extra, "IHDR") == 0 ? 13 : 7);
    add_chunk(data, "IDAT", 3);
    add_chunk(data, "IEND", 0);
    return data;
}

/* Without its last CUT bytes, and with BEHIND appended. */
static int clean(GByteArray *data, size_t cut, const char *behind)
{
    g_byte_array_append(data, (const guint8 *)behind, (guint)strlen(behind));
    size_t length = data->len - cut;
    int done = clip_clean(CLIP_PICTURE, data->data, &length);
    g_assert_cmpuint(length, <=, data->len);
    g_byte_array_set_size(data, (guint)length);
    return done;
}

static int picture(guint32 width, guint32 height, size_t cut, const char *behind)
{
    GByteArray *data = make_picture(width, height, NULL);
    int done = clean(data, cut, behind);
    g_byte_array_unref(data);
    return done;
}

static void test_picture(void)
{
    g_assert_cmpint(picture(1, 1, 0, ""), ==, 0);
    g_assert_cmpint(picture(16384, 4096, 0, ""), ==, 0);
    g_assert_cmpint(picture(16384, 4097, 0, ""), ==, -1);
    g_assert_cmpint(picture(0, 1, 0, ""), ==, -1);
    g_assert_cmpint(picture(1, 0, 0, ""), ==, -1);
    g_assert_cmpint(picture(16385, 1, 0, ""), ==, -1);
    g_assert_cmpint(picture(G_MAXUINT32, G_MAXUINT32, 0, ""), ==, -1);
    g_assert_cmpint(picture(1, 1, 0, "PK"), ==, -1);
    for (size_t cut = 1; cut < 60; cut++)
        g_assert_cmpint(picture(1, 1, cut, ""), ==, -1);
}

/* Other ancillary chunks are dropped; unknown critical chunks and a second size are refused. */
static void test_picture_parts(void)
{
    GByteArray *plain = make_picture(1, 1, NULL), *with = make_picture(1, 1, "tRNS");
    guint whole = with->len;
    g_assert_cmpint(clean(with, 0, ""), ==, 0);
    g_assert_cmpuint(with->len, ==, whole);
    g_byte_array_unref(with);
    for (const char *const *name = (const char *[]){"zTXt", "iCCP", "eXIf", "acTL", "paCk",
                                                    /* longer than what it holds */
                                                    "gAMA", "sRGB", NULL};
         *name; name++) {
        with = make_picture(1, 1, *name);
        g_assert_cmpint(clean(with, 0, ""), ==, 0);
        g_assert_cmpmem(with->data, with->len, plain->data, plain->len);
        g_byte_array_unref(with);
    }
    for (const char *const *name = (const char *[]){"EVIL", "IHDR", NULL}; *name; name++) {
        with = make_picture(1, 1, *name);
        g_assert_cmpint(clean(with, 0, ""), ==, -1);
        g_byte_array_unref(with);
    }
    g_byte_array_unref(plain);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clipboard/the box gets what it asks for", test_to_box);
    g_test_add_func("/clipboard/the box gets nothing while its windows are not in use",
                    test_to_box_only_in_use);
    g_test_add_func("/clipboard/a request for earlier content is refused", test_changed_meanwhile);
    g_test_add_func("/clipboard/the box cannot read often", test_reads_are_limited);
    g_test_add_func("/clipboard/what the box copies becomes the desktop's clipboard",
                    test_from_box);
    g_test_add_func("/clipboard/a copy that fails changes nothing", test_nothing_from_box);
    g_test_add_func("/clipboard/a copy that takes too long changes nothing", test_late_from_box);
    g_test_add_func("/clipboard/the box cannot copy often", test_writes_are_limited);
    g_test_add_func("/clipboard/text is UTF-8 without control characters", test_text);
    g_test_add_func("/clipboard/a picture is one complete PNG", test_picture);
    g_test_add_func("/clipboard/a picture keeps only the chunks that draw it", test_picture_parts);
    int status = g_test_run();
    clear();
    return status;
}
