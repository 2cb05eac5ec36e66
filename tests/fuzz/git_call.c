/* Fuzzes the parser of git's command lines. Words are separated by NUL bytes. No word may be lost.
 */
#include "box/git_shim/git_call.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char **words_of(const char *text, const char *end)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, g_strdup("git"));
    for (; text < end; text += strlen(text) + 1)
        g_ptr_array_add(words, g_strdup(text));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    g_auto(GStrv) argv = words_of(text, text + size);
    g_auto(git_call) call;
    git_call_parse(&call, argv);
    guint total = g_strv_length(argv) - 1;
    g_assert_cmpuint(call.folders->len + call.rest->len, <=, total);
    for (guint i = 0; i < call.rest->len; i++)
        g_assert_true(g_strv_contains((const char *const *)argv, call.rest->pdata[i]));
    /* What is behind the command is all there, in its order. */
    if (call.command && !call.unknown)
        g_assert_true(call.rest->len >= 1 + g_strv_length(call.arguments));
    return 0;
}
