/* Which parts of what a server has a box gets. */
#include <glib.h>
#include <string.h>

#include "host/secrets/ranges.h"
#include "host/secrets/request_rewrite.h"

/* The fields of a request after it was rewritten for a host with a secret, or for one without. */
static char *rewrite(const char *fields, gboolean has_secret)
{
    static char value_data[] = "a-value-of-a-secret";
    static secret value = {.data = (guint8 *)value_data, .length = sizeof value_data - 1};
    static secret_definition definition = {.name = (char *)"one", .forms = SECRET_BEARER};
    held_secret held = {.definition = &definition, .value = &value, .placeholder = (char *)"place"};
    g_autoptr(GPtrArray) all = g_ptr_array_new(), here = g_ptr_array_new();
    g_ptr_array_add(all, &held);
    if (has_secret)
        g_ptr_array_add(here, &held);
    const rewrite_rules rules = {.all = all, .here = here};
    g_autofree char *head = g_strconcat("GET / HTTP/1.1\r\n", fields, "\r\n", NULL);
    g_auto(rewritten) new = {0};
    request_rewrite(&rules, head, strlen(head), &new);
    g_autofree char *text = g_strndup((const char *)new.head->data, new.head->len);
    const char *start = strchr(text, '\n') + 1;
    return g_strndup(start, (gsize)(strstr(start, "Accept-Encoding") - start));
}

static void requests(void)
{
    static const char *const left_out[] = {
        "Range: bytes=0-3,4-7\r\n",     "range: Bytes=0-3, 8-\r\n",
        "RANGE: bytes = 0-0 ,-1\r\n",   "Request-Range: bytes=0-3,4-7\r\n",
        "Range: bytes=0-3\t,\t4-7\r\n", "Range: bytes=0-,\r\n"};
    static const char *const kept[] = {
        "Range: bytes=100-\r\n", "Range: bytes=0-0\r\n",     "Range: bytes=-16384\r\n",
        "Range: items=0-9\r\n",  "Range: 0-9\r\nX: a,b\r\n", "Range: id ..; max=10,order=desc\r\n"};
    for (gsize i = 0; i < G_N_ELEMENTS(left_out); i++) {
        g_autofree char *got = rewrite(left_out[i], TRUE), *without = rewrite(left_out[i], FALSE);
        g_assert_cmpstr(got, ==, "");
        g_assert_cmpstr(without, ==, left_out[i]);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(kept); i++) {
        g_autofree char *got = rewrite(kept[i], TRUE);
        g_assert_cmpstr(got, ==, kept[i]);
    }
}

static const char *refused(unsigned status, const char *fields)
{
    g_autofree char *head = g_strconcat("HTTP/1.1 200\r\n", fields, "\r\n\r\n", NULL);
    return range_refuse_answer(status, head, strlen(head));
}

static void answers(void)
{
    static const char *const parts[] = {
        "Content-Range: bytes 4-7/100",
        "content-range: BYTES 4-7/*",
        "Content-Range: bytes 0-98/100",
        "Content-Range: bytes 1-99/100",
        "Content-Range: bytes 4-7",
        "Content-Range: bytes 4-/100",
        "Content-Range: bytes 1-1048575/1048576",
        "Content-Range: bytes",
        "Content-Range: bytes=0-99/100",
        "Content-Range: bytes 0-99/100 x",
        "Content-Range: bytes 0-99/100\r\nContent-Range: bytes 4-7/100",
        "Content-Range: bytes 4-7/9999999999999999999999",
        "Content-Range: bytes 4-7/100\r\nETag:"};
    static const char *const passed[] = {
        "Content-Range: bytes 0-99/100", "Content-Range: bytes 1-1048576/1048577",
        "Content-Range: 0-9/100", "Content-Range: items 0-9/*", "Content-Type: text/plain"};
    static const char *const several[] = {
        "Content-Type: multipart/byteranges; boundary=x",
        "content-type: Multipart/ByteRanges;boundary=x\r\nETag: \"x\"",
        "Content-Type: multipart/x-byteranges; boundary=x\r\nLast-Modified: x"};
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_autofree char *tagged = g_strconcat("ETag: W/\"x\"\r\n", parts[i], NULL);
        g_autofree char *dated = g_strconcat(parts[i], "\r\nLast-Modified: yesterday", NULL);
        g_test_message("%s", parts[i]);
        g_assert_nonnull(refused(206, parts[i]));
        g_assert_null(refused(206, tagged));
        g_assert_null(refused(206, dated));
        g_assert_null(refused(416, parts[i]));
    }
    for (gsize i = 0; i < G_N_ELEMENTS(passed); i++)
        g_assert_null(refused(206, passed[i]));
    for (gsize i = 0; i < G_N_ELEMENTS(several); i++) {
        g_assert_nonnull(refused(206, several[i]));
        g_assert_nonnull(refused(200, several[i]));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secrets_ranges/requests", requests);
    g_test_add_func("/secrets_ranges/answers", answers);
    return g_test_run();
}
