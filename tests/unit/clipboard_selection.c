/* The end of an exchange that is an X server, with a server and clients that lie. */
#include "host/bridge/clipboard/selection.h"

#include <glib.h>
#include <string.h>

#include "host/bridge/clipboard/x11_requests.h"
#include "sys/clock.h"
#include "tests/unit/clipboard_fixture.h"

#define WINDOW 1u
#define OTHER 99u
#define FIXES_EVENT 87
#define SENT_BY_CLIENT 0x80
#define LATER_MS 6000

static struct exchange rules;
static struct x11_selection box;
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
    rules = (struct exchange){.directions = may, .may_read = yes, .may_write = yes};
    box = (struct x11_selection){.exchange = &rules,
                                 .end = EXCHANGE_BOX,
                                 .reads = !!(may & EXCHANGE_FROM_BOX),
                                 .window = WINDOW,
                                 .fixes_event = FIXES_EVENT};
    box.connection.fd = -1;
    box.connection.setup = (struct x11_setup){WINDOW, 2, 16384};
    for (guint32 i = 0; i < N_ATOMS; i++)
        box.atoms[i] = 64 + i;
    rules.ends[EXCHANGE_BOX] = selection_port(&box);
    rules.ends[EXCHANGE_HOST] = (struct exchange_port){NULL, host_offer, host_fetch, host_give};
    exchange_begin(&rules);
}

/* An event with up to six words behind its type. */
static void event(int kind, guint32 a, guint32 b, guint32 c, guint32 d, guint32 e, guint32 f)
{
    unsigned char message[32] = {(unsigned char)kind};
    guint32 words[] = {a, b, c, d, e, f};
    memcpy(message + 4, words, sizeof words);
    selection_message(&box, message, sizeof message);
}

static void copied_by(guint32 owner)
{
    event(FIXES_EVENT, 0, owner, box.atoms[ATOM_CLIPBOARD], 0, 0, 0);
}

/* SelectionNotify for the last conversion. */
static void converted(guint32 place)
{
    event(X11_SELECTION_NOTIFY | SENT_BY_CLIENT, 0, WINDOW, box.atoms[ATOM_CLIPBOARD],
          box.requestor.target, place, 0);
}

static void property(guint32 type, unsigned width, const void *data, size_t length)
{
    g_autofree unsigned char *message = g_malloc0(32 + length + 4);
    guint32 items = width ? (guint32)(length / width) : 0;
    message[0] = X11_REPLY;
    message[1] = (unsigned char)(width * 8);
    memcpy(message + 2, &box.connection.sequence, 2);
    memcpy(message + 8, &type, 4);
    memcpy(message + 16, &items, 4);
    if (length > 0)
        memcpy(message + 32, data, length);
    selection_message(&box, message, 32 + length);
}

static void answered(guint32 type, const char *text)
{
    converted(box.requestor.property);
    property(type, 1, text, strlen(text));
}

static void list(guint32 target)
{
    copied_by(OTHER);
    selection_due(&box, clock_ms() + 100);
    converted(box.requestor.property);
    property(X11_ATOM_ATOM, 4, &target, sizeof target);
}

static void piece(const void *data, size_t length)
{
    event(X11_PROPERTY_NOTIFY, WINDOW, box.requestor.property, 0, X11_PROPERTY_NEW_VALUE, 0, 0);
    property(box.requestor.target, 1, data, length);
}

static void begin_pieces(void)
{
    guint32 size = 5;
    list(box.atoms[ATOM_UTF8_STRING]);
    converted(box.requestor.property);
    property(box.atoms[ATOM_INCR], 4, &size, sizeof size);
}

/* The targets of many copies are asked for at intervals, and the last copy is not lost. */
static void test_many_copies(void)
{
    begin(EXCHANGE_FROM_BOX);
    copied_by(OTHER);
    guint16 once = box.connection.sequence;
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_ASKED);
    for (int i = 0; i < 1000; i++)
        copied_by(OTHER);
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_DELAYED);
    g_assert_cmpuint(box.connection.sequence - once, <=, 20 * once);
    int left = selection_due(&box, clock_ms());
    g_assert_cmpint(left, >, 0);
    g_assert_cmpint(left, <=, 100);
    /* A late answer to the earlier request is ignored. */
    converted(box.requestor.property);
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_DELAYED);
    selection_due(&box, clock_ms() + 100);
    guint32 target = box.atoms[ATOM_UTF8_STRING];
    converted(box.requestor.property);
    property(X11_ATOM_ATOM, 4, &target, sizeof target);
    answered(target, "last");
    g_assert_cmpmem(rules.published[CLIP_TEXT].data, rules.published[CLIP_TEXT].length, "last", 4);
    selection_free(&box);
}

static void assert_published(const char *text)
{
    g_assert_cmpuint(host_kinds, ==, CLIP_HAS(CLIP_TEXT));
    g_assert_cmpmem(rules.published[CLIP_TEXT].data, rules.published[CLIP_TEXT].length, text,
                    strlen(text));
}

static void test_read(void)
{
    begin(EXCHANGE_FROM_BOX);
    list(box.atoms[ATOM_UTF8_STRING]);
    answered(box.atoms[ATOM_UTF8_STRING], "hello");
    assert_published("hello");
    selection_free(&box);
}

static void test_pieces(void)
{
    begin(EXCHANGE_FROM_BOX);
    begin_pieces();
    piece("one", 3);
    piece("two", 3);
    g_assert_cmpint(host_offers, ==, 0);
    piece("", 0);
    assert_published("onetwo");
    selection_free(&box);
}

static void test_too_many_pieces(void)
{
    static char much[X11_PROPERTY_MAX];
    memset(much, 'a', sizeof much);
    begin(EXCHANGE_FROM_BOX);
    begin_pieces();
    for (size_t sent = 0; sent < CLIP_MAX; sent += sizeof much)
        piece(much, sizeof much);
    g_assert_cmpint(box.requestor.state, !=, REQUESTOR_IDLE);
    piece("a", 1);
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_IDLE);
    piece("", 0);
    g_assert_cmpint(host_offers, ==, 0);
    selection_free(&box);
}

static void test_hangs(void)
{
    begin(EXCHANGE_FROM_BOX);
    begin_pieces();
    piece("one", 3);
    g_assert_cmpint(selection_due(&box, clock_ms()), >, 0);
    selection_due(&box, clock_ms() + LATER_MS);
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_IDLE);
    g_assert_cmpint(host_offers, ==, 0);
    g_assert_cmpint(selection_due(&box, clock_ms()), ==, -1);
    selection_free(&box);
}

/* A client that is busy for some seconds is asked again. */
static void test_busy(void)
{
    begin(EXCHANGE_FROM_BOX);
    copied_by(OTHER);
    for (int i = 1; i <= 3; i++) {
        g_assert_cmpuint(box.requestor.n_asked, ==, i);
        if (i < 3)
            selection_due(&box, clock_ms() + i * LATER_MS);
    }
    converted(box.requestor.property);
    property(X11_ATOM_ATOM, 4, &box.atoms[ATOM_UTF8_STRING], 4);
    answered(box.atoms[ATOM_UTF8_STRING], "at last");
    assert_published("at last");
    selection_free(&box);
}

/* One that never answers is not asked for ever. */
static void test_silent(void)
{
    begin(EXCHANGE_FROM_BOX);
    copied_by(OTHER);
    for (int i = 1; i <= 5; i++)
        selection_due(&box, clock_ms() + i * LATER_MS);
    g_assert_cmpuint(box.requestor.n_asked, ==, 3);
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_IDLE);
    g_assert_cmpint(host_offers, ==, 0);
    selection_free(&box);
}

static void assert_nothing_offered(void)
{
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_IDLE);
    g_assert_cmpint(host_offers, ==, 0);
    selection_free(&box);
    begin(EXCHANGE_FROM_BOX);
}

/* A refusal, a secret, an empty property, items of another width, invalid UTF-8. */
static void test_lies(void)
{
    begin(EXCHANGE_FROM_BOX);
    list(box.atoms[ATOM_UTF8_STRING]);
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_ASKED);
    converted(X11_NONE);
    assert_nothing_offered();
    list(box.atoms[ATOM_SECRET]);
    assert_nothing_offered();
    list(box.atoms[ATOM_UTF8_STRING]);
    answered(X11_NONE, "");
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_ASKED);
    selection_due(&box, clock_ms() + LATER_MS);
    assert_nothing_offered();
    list(box.atoms[ATOM_UTF8_STRING]);
    converted(box.requestor.property);
    property(box.atoms[ATOM_UTF8_STRING], 4, "hellohello12", 12);
    assert_nothing_offered();
    list(box.atoms[ATOM_UTF8_STRING]);
    answered(box.atoms[ATOM_UTF8_STRING], "\xff");
    assert_nothing_offered();
    selection_free(&box);
}

/* A late answer whose property is in use again, but empty, is not one to the new request. */
static void test_very_late(void)
{
    guint32 target = 64 + ATOM_UTF8_STRING;
    begin(EXCHANGE_FROM_BOX);
    copied_by(OTHER);
    converted(box.requestor.property);
    property(X11_NONE, 0, NULL, 0);
    converted(box.requestor.property);
    property(X11_ATOM_ATOM, 4, &target, sizeof target);
    /* The real answer may come while the property is read. */
    converted(box.requestor.property);
    converted(box.requestor.property);
    property(X11_NONE, 0, NULL, 0);
    property(target, 1, "hello", 5);
    assert_published("hello");
    selection_free(&box);
}

/* Events that only the server sends are ignored when a client sends them. */
static void test_forged(void)
{
    begin(EXCHANGE_FROM_BOX | EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, CLIP_HAS(CLIP_TEXT), clock_ms());
    uint16_t before = box.connection.sequence;
    event(FIXES_EVENT | SENT_BY_CLIENT, 0, OTHER, box.atoms[ATOM_CLIPBOARD], 0, 0, 0);
    event(X11_SELECTION_REQUEST | SENT_BY_CLIENT, 0, WINDOW, 5, box.atoms[ATOM_CLIPBOARD],
          box.atoms[ATOM_UTF8_STRING], 80);
    g_assert_cmpint(box.requestor.state, ==, REQUESTOR_IDLE);
    g_assert_cmpuint(box.connection.sequence, ==, before);
    selection_free(&box);
}

static gboolean was_sent(const char *text)
{
    return memmem(box.connection.out.data, box.connection.out.length, text, strlen(text)) != NULL;
}

static void test_write(void)
{
    begin(EXCHANGE_TO_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, CLIP_HAS(CLIP_TEXT), clock_ms());
    event(X11_SELECTION_REQUEST, 0, WINDOW, 5, box.atoms[ATOM_CLIPBOARD], box.atoms[ATOM_PNG], 80);
    g_assert_false(was_sent("of the host"));
    event(X11_SELECTION_REQUEST, 0, WINDOW, 5, box.atoms[ATOM_CLIPBOARD],
          box.atoms[ATOM_UTF8_STRING], 80);
    g_assert_true(was_sent("of the host"));
    g_assert_cmpint(box.owner.transfers[0].state, ==, TRANSFER_FREE);
    selection_free(&box);
}

/* Without the direction to the box, nothing of the host is sent, whatever the server asks for. */
static void test_not_written(void)
{
    begin(EXCHANGE_FROM_BOX);
    exchange_offered(&rules, EXCHANGE_HOST, CLIP_HAS(CLIP_TEXT), clock_ms());
    event(X11_SELECTION_REQUEST, 0, WINDOW, 5, box.atoms[ATOM_CLIPBOARD],
          box.atoms[ATOM_UTF8_STRING], 80);
    g_assert_false(was_sent("of the host"));
    selection_free(&box);
}

/* After a change of owner the old content is not offered, and the new one not before its targets.
 */
static void test_new_owner(void)
{
    begin(EXCHANGE_TO_BOX);
    box.end = EXCHANGE_HOST;
    box.reads = 1;
    rules.ends[EXCHANGE_HOST] = selection_port(&box);
    rules.ends[EXCHANGE_BOX] = (struct exchange_port){NULL, host_offer, host_fetch, host_give};
    list(box.atoms[ATOM_UTF8_STRING]);
    g_assert_cmpuint(host_kinds, ==, CLIP_HAS(CLIP_TEXT));
    copied_by(OTHER + 1);
    selection_due(&box, clock_ms() + 100);
    g_assert_cmpuint(host_kinds, ==, 0);
    exchange_wanted(&rules, EXCHANGE_BOX, CLIP_TEXT, 0, clock_ms());
    g_assert_cmpint(box.requestor.what, ==, REQUESTOR_TARGETS);
    guint32 targets[] = {box.atoms[ATOM_UTF8_STRING], box.atoms[ATOM_SECRET]};
    converted(box.requestor.property);
    property(X11_ATOM_ATOM, 4, targets, sizeof targets);
    g_assert_cmpuint(host_kinds, ==, 0);
    selection_free(&box);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clipboard-selection/reads what a client copies", test_read);
    g_test_add_func("/clipboard-selection/joins the pieces of an INCR transfer", test_pieces);
    g_test_add_func("/clipboard-selection/stops a transfer at the size limit",
                    test_too_many_pieces);
    g_test_add_func("/clipboard-selection/asks rarely while a client copies very often",
                    test_many_copies);
    g_test_add_func("/clipboard-selection/gives up on a client that hangs", test_hangs);
    g_test_add_func("/clipboard-selection/asks a busy client again", test_busy);
    g_test_add_func("/clipboard-selection/does not ask a silent client for ever", test_silent);
    g_test_add_func("/clipboard-selection/offers nothing after false answers", test_lies);
    g_test_add_func("/clipboard-selection/ignores an answer to an earlier request", test_very_late);
    g_test_add_func("/clipboard-selection/ignores events that a client has forged", test_forged);
    g_test_add_func("/clipboard-selection/gives what was offered, and nothing else", test_write);
    g_test_add_func("/clipboard-selection/gives nothing in a direction that is closed",
                    test_not_written);
    g_test_add_func(
        "/clipboard-selection/offers nothing until the targets of a new owner are known",
        test_new_owner);
    return g_test_run();
}
