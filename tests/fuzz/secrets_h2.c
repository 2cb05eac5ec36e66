/*
 * Fuzzes heads of HTTP/2 that become those of HTTP/1.1 and go back: what is read as a request of
 * HTTP/1.1 has the fields that came, and no other. The first byte says what it is, and each field
 * is a byte with the length of its name, one with that of its value, and both.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "host/secrets/alpn.h"
#include "host/secrets/h2_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_word(const h2_field *field, const char *word)
{
    return field->name.length == strlen(word) &&
           memcmp(field->name.text, word, field->name.length) == 0;
}

static void add_all(h2_head *head, GArray *came, const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (size - at >= 2) {
        size_t name = data[at], value = data[at + 1];
        at += 2;
        if (name + value > size - at)
            return;
        const h2_field field = {{(const char *)data + at, name},
                                {(const char *)data + at + name, value}};
        h2_head_add(head, field.name.text, name, field.value.text, value);
        if (!is_word(&field, "host"))
            g_array_append_val(came, field);
        at += name + value;
    }
}

/* A value loses blanks at its ends. */
static bool has_value(struct http_text came, struct http_text is)
{
    return is.length <= came.length &&
           (is.length == 0 || memmem(came.text, came.length, is.text, is.length) != NULL);
}

static void check(const GArray *came, enum h2_kind kind, const GByteArray *text)
{
    unsigned n_host = 0;
    g_autoptr(GArray) back = h2_head_fields(kind, (const char *)text->data, text->len);
    for (guint i = 0; i < back->len; i++) {
        const h2_field *field = &g_array_index(back, h2_field, i);
        bool is_there = is_word(field, ":authority") && n_host++ == 0;
        for (guint j = 0; !is_there && j < came->len; j++) {
            const h2_field *each = &g_array_index(came, h2_field, j);
            is_there = each->name.length == field->name.length &&
                       memcmp(each->name.text, field->name.text, field->name.length) == 0 &&
                       has_value(each->value, field->value);
        }
        assert(is_there);
    }
    assert(back->len <= came->len + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *why = NULL;
    unsigned status;
    enum h2_kind kind = data[0] % 3;
    const struct http_message asked = {0};
    struct http_message message;
    g_auto(h2_head) head = {0};
    g_autoptr(GArray) came = g_array_new(FALSE, FALSE, sizeof(h2_field));
    alpn_offers(data + 1, size - 1, "h2");
    add_all(&head, came, data + 1, size - 1);
    g_autoptr(GByteArray) text = h2_head_text(&head, kind, &status, &why);
    assert(!text == (why != NULL));
    if (!text)
        return 0;
    const char *bytes = (const char *)text->data;
    assert(text->len >= 2 && memcmp(bytes + text->len - 2, "\r\n", 2) == 0);
    enum head_state state =
        kind == H2_REQUEST    ? http_read_request(bytes, text->len, 443, &message, &why)
        : kind == H2_RESPONSE ? http_read_response(bytes, text->len, &asked, &message, &why)
                              : HEAD_COMPLETE;
    assert(state != HEAD_INCOMPLETE);
    if (state == HEAD_WRONG)
        return 0;
    assert(kind == H2_TRAILERS || message.length == text->len);
    assert(kind != H2_REQUEST || message.body.kind != BODY_CHUNKED);
    check(came, kind, text);
    return 0;
}
