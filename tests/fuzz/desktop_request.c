/*
 * Requests of a box to the desktop, and the addresses in them. An address that is accepted must be
 * complete, within the limits, and safe to show and to open.
 */
#include <stdint.h>
#include <string.h>

#include "common/text.h"
#include "host/desktop-helper/url.h"
#include "proto/desktop_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Printable ASCII without spaces, quotes and backslashes, beginning with its scheme. */
static void check_text(const url *self)
{
    const char *text = self->text;
    g_assert_true(g_str_has_prefix(text, "http://") || g_str_has_prefix(text, "https://") ||
                  g_str_has_prefix(text, "mailto:"));
    g_assert_cmpuint(strlen(text), <=, REQUEST_ADDRESS_MAX);
    for (; *text; text++)
        g_assert_true(g_ascii_isgraph(*text) && !strchr("\\\"<>^`{|}", *text));
}

/* Parsing the result again gives the same. */
static void check_again(const url *self)
{
    enum request_outcome outcome;
    const char *why;
    g_autoptr(url) again = url_parse(self->text, &outcome, &why);
    g_assert_nonnull(again);
    g_assert_cmpstr(again->text, ==, self->text);
    g_assert_cmpstr(again->host, ==, self->host);
    g_assert_cmpint(again->login_port, ==, self->login_port);
}

static void check_host(const url *self)
{
    g_assert_true(!self->host == !!self->mail);
    if (!self->host)
        return;
    g_assert_true(*self->host && strlen(self->host) <= URL_HOST_MAX);
    g_assert_true(!self->login_port || self->login_port >= URL_LOGIN_PORT_MIN);
    g_assert_true(!self->unicode == !self->scripts);
    if (self->unicode) {
        g_autofree char *safe = text_safe_max(self->unicode, -1, 4 * URL_HOST_MAX);
        g_assert_cmpstr(safe, ==, self->unicode);
    }
}

static void check_address(const char *address)
{
    enum request_outcome outcome = REQUEST_DONE;
    const char *why = NULL;
    g_autoptr(url) self = url_parse(address, &outcome, &why);
    g_assert_true(!self == (outcome != REQUEST_DONE) && !self == !!why);
    if (!self)
        return;
    check_text(self);
    check_host(self);
    check_again(self);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct desktop_request asked;
    const char *wrong = desktop_request_parse(&asked, (const char *)data, size);
    if (!wrong && asked.kind == REQUEST_OPEN)
        check_address(asked.text[0]);
    if (!wrong && asked.kind == REQUEST_NOTIFY)
        g_assert_true(strlen(asked.text[0]) <= REQUEST_TITLE_MAX &&
                      strlen(asked.text[1]) <= REQUEST_BODY_MAX);
    /* The input also is an address, so that the fuzzer need not find the format of a request. */
    g_autofree char *address = g_strndup((const char *)data, size);
    check_address(address);
    return 0;
}
