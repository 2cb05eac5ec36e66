/* An end that is an X server, told whatever such a server and its clients may say. */
#include "host/bridge/clipboard/xside.h"

#include <glib.h>
#include <string.h>

#include "host/bridge/clipboard/xrequest.h"
#include "sys/clock.h"
#include "tests/unit/clipboard-madeup.h"

#define WINDOW 1u
#define OTHER 99u
#define FIXES_EVENT 87
#define SENT 0x80
#define LATER_MS 6000

static struct exchange rules;
static struct xside box;
static unsigned host_kinds;
static int host_offers;

static int yes(void)
{
    return 1;
}

static void host_offer(void *self, unsigned kinds)
{
    host_kinds = kinds;
    host_offers++;
}

static void host_fetch(void *self, int kind)
{
    exchange_fetched(&rules, EXCHANGE_HOST, kind, (unsigned char *)strdup("of the host"), 11);
}

static void host_give(void *self, int token, const unsigned char *data, size_t length)
{
}

static void begin(unsigned may)
{
    host_kinds = 0;
    host_offers = 0;
    rules = (struct exchange){.may = may, .may_read = yes, .may_write = yes};
    box = (struct xside){.exchange = &rules,
                         .end = EXCHANGE_BOX,
                         .reads = !!(may & EXCHANGE_FROM_BOX),
                         .window = WINDOW,
                         .fixes_event = FIXES_EVENT};
    box.link.fd = -1;
    box.link.setup = (struct xwire_setup){WINDOW, 2, 16384};
    for (guint32 i = 0; i < X_ATOMS; i++)
        box.atoms[i] = 64 + i;
    rules.ends[EXCHANGE_BOX] = xside_port(&box);
    rules.ends[EXCHANGE_HOST] = (struct exchange_port){NULL, host_offer, host_fetch, host_give};
    exchange_begin(&rules);
}

/* An event with up to six words behind its head. */
static void event(int kind, guint32 a, guint32 b, guint32 c, guint32 d, guint32 e, guint32 f)
{
    unsigned char message[32] = {(unsigned char)kind};
    guint32 words[] = {a, b, c, d, e, f};
    memcpy(message + 4, words, sizeof words);
    xside_message(&box, message, sizeof message);
}

static void copied_by(guint32 owner)
{
    event(FIXES_EVENT, 0, owner, box.atoms[X_CLIPBOARD], 0, 0, 0);
}

/* The owner's answer to what was asked for last. */
static void converted(guint32 place)
{
    event(XWIRE_SELECTION_NOTIFY | SENT, 0, WINDOW, box.atoms[X_CLIPBOARD], box.reader.target,
          place, 0);
}

static void property(guint32 type, unsigned width, const void *data, size_t length)
{
    g_autofree unsigned char *message = g_malloc0(32 + length + 4);
    guint32 items = width ? (guint32)(length / width) : 0;
    message[0] = XWIRE_REPLY;
    message[1] = (unsigned char)(width * 8);
    memcpy(message + 2, &box.link.sequence, 2);
    memcpy(message + 8, &type, 4);
    memcpy(message + 16, &items, 4);
    if (length > 0)
        memcpy(message + 32, data, length);
    xside_message(&box, message, 32 + length);
}

static void answered(guint32 type, const char *text)
{
    converted(box.reader.place);
    property(type, 1, text, strlen(text));
}

static void list(guint32 target)
{
    copied_by(OTHER);
    xside_due(&box, clock_ms() + 100);
    converted(box.reader.place);
    property(X_ATOM, 4, &target, sizeof target);
}

static void piece(const void *data, size_t length)
{
    event(XWIRE_PROPERTY_NOTIFY, WINDOW, box.reader.place, 0, X_PROPERTY_NEW, 0, 0);
    property(box.reader.target, 1, data, length);
}

static void begin_pieces(void)
{
    guint32 size = 5;
    list(box.atoms[X_UTF8]);
    converted(box.reader.place);
    property(box.atoms[X_INCR], 4, &size, sizeof size);
}

/* Copies as fast as can be are asked about now and then; the last of them is not lost. */
static void test_many_copies(void)
{
    begin(EXCHANGE_FROM_BOX);
    copied_by(OTHER);
    guint16 once = box.link.sequence;
    g_assert_cmpint(box.reader.state, ==, XREADER_ASKED);
    for (int i = 0; i < 1000; i++)
        copied_by(OTHER);
    g_assert_cmpint(box.reader.state, ==, XREADER_LATER);
    g_assert_cmpuint(box.link.sequence - once, <=, 20 * once);
    int left = xside_due(&box, clock_ms());
    g_assert_cmpint(left, >, 0);
    g_assert_cmpint(left, <=, 100);
    /* An answer to what was asked before says nothing about what is there now. */
    converted(box.reader.place);
    g_assert_cmpint(box.reader.state, ==, XREADER_LATER);
    xside_due(&box, clock_ms() + 100);
    guint32 target = box.atoms[X_UTF8];
    converted(box.reader.place);
    property(X_ATOM, 4, &target, sizeof target);
    answered(target, "last");
    g_assert_cmpmem(rules.held[CLIP_TEXT].data, rules.held[CLIP_TEXT].length, "last", 4);
    madeup_side_free(&box);
}

static void assert_held(const char *text)
{
    g_assert_cmpuint(host_kinds, ==, CLIP_HAS(CLIP_TEXT));
    g_assert_cmpmem(rules.held[CLIP_TEXT].data, rules.held[CLIP_TEXT].length, text, strlen(text));
}

static void test_read(void)
{
    begin(EXCHANGE_FROM_BOX);
    list(box.atoms[X_UTF8]);
    answered(box.atoms[X_UTF8], "hello");
    assert_held("hello");
    madeup_side_free(&box);
}

static void test_pieces(void)
{
    begin(EXCHANGE_FROM_BOX);
    begin_pieces();
    piece("one", 3);
    piece("two", 3);
    g_assert_cmpint(host_offers, ==, 0);
    piece("", 0);
    assert_held("onetwo");
    madeup_side_free(&box);
}

static void test_too_many_pieces(void)
{
    static char much[XWIRE_PIECE];
    memset(much, 'a', sizeof much);
    begin(EXCHANGE_FROM_BOX);
    begin_pieces();
    for (size_t sent = 0; sent < CLIP_MAX; sent += sizeof much)
        piece(much, sizeof much);
    g_assert_cmpint(box.reader.state, !=, XREADER_IDLE);
    piece("a", 1);
    g_assert_cmpint(box.reader.state, ==, XREADER_IDLE);
    piece("", 0);
    g_assert_cmpint(host_offers, ==, 0);
    madeup_side_free(&box);
}

static void test_hangs(void)
{
    begin(EXCHANGE_FROM_BOX);
    begin_pieces();
    piece("one", 3);
    g_assert_cmpint(xside_due(&box, clock_ms()), >, 0);
    xside_due(&box, clock_ms() + LATER_MS);
    g_assert_cmpint(box.reader.state, ==, XREADER_IDLE);
    g_assert_cmpint(host_offers, ==, 0);
    g_assert_cmpint(xside_due(&box, clock_ms()), ==, -1);
    madeup_side_free(&box);
}

static void assert_nothing(void)
{
    g_assert_cmpint(box.reader.state, ==, XREADER_IDLE);
    g_assert_cmpint(host_offers, ==, 0);
    madeup_side_free(&box);
    begin(EXCHANGE_FROM_BOX);
}

/* A refusal, a secret, nothing at all, items of another width, no text. */
static void test_lies(void)
{
    begin(EXCHANGE_FROM_BOX);
    list(box.atoms[X_UTF8]);
    g_assert_cmpint(box.reader.state, ==, XREADER_ASKED);
    converted(X_NONE);
    assert_nothing();
    list(box.atoms[X_TYPE_SECRET]);
    assert_nothing();
    list(box.atoms[X_UTF8]);
    answered(X_NONE, "");
    g_assert_cmpint(box.reader.state, ==, XREADER_ASKED);
    xside_due(&box, clock_ms() + LATER_MS);
    assert_nothing();
    list(box.atoms[X_UTF8]);
    converted(box.reader.place);
    property(box.atoms[X_UTF8], 4, "hellohello12", 12);
    assert_nothing();
    list(box.atoms[X_UTF8]);
    answered(box.atoms[X_UTF8], "\xff");
    assert_nothing();
    madeup_side_free(&box);
}

/* An answer so late that its place is in use again, and empty, is none to what is asked now. */
static void test_very_late(void)
{
    guint32 target = 64 + X_UTF8;
    begin(EXCHANGE_FROM_BOX);
    copied_by(OTHER);
    converted(box.reader.place);
    property(X_NONE, 0, NULL, 0);
    converted(box.reader.place);
    property(X_ATOM, 4, &target, sizeof target);
    /* The answer may come while that is being found out. */
    converted(box.reader.place);
    converted(box.reader.place);
    property(X_NONE, 0, NULL, 0);
    property(target, 1, "hello", 5);
    assert_held("hello");
    madeup_side_free(&box);
}

/* What only the server says is not believed of a client. */
static void test_forged(void)
{
    begin(EXCHANGE_FROM_BOX | EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, CLIP_HAS(CLIP_TEXT), clock_ms());
    uint16_t before = box.link.sequence;
    event(FIXES_EVENT | SENT, 0, OTHER, box.atoms[X_CLIPBOARD], 0, 0, 0);
    event(XWIRE_SELECTION_REQUEST | SENT, 0, WINDOW, 5, box.atoms[X_CLIPBOARD], box.atoms[X_UTF8],
          80);
    g_assert_cmpint(box.reader.state, ==, XREADER_IDLE);
    g_assert_cmpuint(box.link.sequence, ==, before);
    madeup_side_free(&box);
}

static gboolean was_sent(const char *text)
{
    return memmem(box.link.out.data, box.link.out.length, text, strlen(text)) != NULL;
}

static void test_write(void)
{
    begin(EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, CLIP_HAS(CLIP_TEXT), clock_ms());
    event(XWIRE_SELECTION_REQUEST, 0, WINDOW, 5, box.atoms[X_CLIPBOARD], box.atoms[X_TYPE_PICTURE],
          80);
    g_assert_false(was_sent("of the host"));
    event(XWIRE_SELECTION_REQUEST, 0, WINDOW, 5, box.atoms[X_CLIPBOARD], box.atoms[X_UTF8], 80);
    g_assert_true(was_sent("of the host"));
    g_assert_cmpint(box.owner.answers[0].state, ==, XOWNER_FREE);
    madeup_side_free(&box);
}

/* Without the other direction, nothing of the host's is sent whatever the server says. */
static void test_not_written(void)
{
    begin(EXCHANGE_FROM_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, CLIP_HAS(CLIP_TEXT), clock_ms());
    event(XWIRE_SELECTION_REQUEST, 0, WINDOW, 5, box.atoms[X_CLIPBOARD], box.atoms[X_UTF8], 80);
    g_assert_false(was_sent("of the host"));
    madeup_side_free(&box);
}

/* Between a new owner and the list of what it has, what the last one had is not to be had. */
static void test_new_owner(void)
{
    begin(EXCHANGE_TO_BOX);
    box.end = EXCHANGE_HOST;
    box.reads = 1;
    rules.ends[EXCHANGE_HOST] = xside_port(&box);
    rules.ends[EXCHANGE_BOX] = (struct exchange_port){NULL, host_offer, host_fetch, host_give};
    list(box.atoms[X_UTF8]);
    g_assert_cmpuint(host_kinds, ==, CLIP_HAS(CLIP_TEXT));
    copied_by(OTHER + 1);
    xside_due(&box, clock_ms() + 100);
    g_assert_cmpuint(host_kinds, ==, 0);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, clock_ms());
    g_assert_cmpint(box.reader.what, ==, XREADER_TARGETS);
    guint32 targets[] = {box.atoms[X_UTF8], box.atoms[X_TYPE_SECRET]};
    converted(box.reader.place);
    property(X_ATOM, 4, targets, sizeof targets);
    g_assert_cmpuint(host_kinds, ==, 0);
    madeup_side_free(&box);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clipboard-side/read", test_read);
    g_test_add_func("/clipboard-side/pieces", test_pieces);
    g_test_add_func("/clipboard-side/too-many-pieces", test_too_many_pieces);
    g_test_add_func("/clipboard-side/many-copies", test_many_copies);
    g_test_add_func("/clipboard-side/hangs", test_hangs);
    g_test_add_func("/clipboard-side/lies", test_lies);
    g_test_add_func("/clipboard-side/very-late", test_very_late);
    g_test_add_func("/clipboard-side/forged", test_forged);
    g_test_add_func("/clipboard-side/write", test_write);
    g_test_add_func("/clipboard-side/not-written", test_not_written);
    g_test_add_func("/clipboard-side/new-owner", test_new_owner);
    return g_test_run();
}
