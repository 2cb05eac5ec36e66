/*
 * The user's git configuration, which may include a file that a box can write. What a box gets of
 * it is read again: it has the known settings alone, and the same when it is read once more.
 */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "identity/git_identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const char *text;
    gsize length;
} input;

/* Every path has the same contents, so that includes go in circles. */
static char *read_input(const char *path, gsize *length, gpointer data)
{
    const input *from = data;
    (void)path;
    *length = from->length;
    return g_strndup(from->text, from->length);
}

static char *collect(const char *text, gsize length)
{
    g_autoptr(git_identity) self = git_identity_new();
    input from = {text, length};
    git_identity_source source = {read_input, &from, "/home/me", "/home/me/src/x/.git"};
    git_identity_add_file(self, "/home/me/.gitconfig", &source);
    return git_identity_text(self, "~x", TRUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autofree char *first = collect(text, size);
    g_autofree char *again = collect(first, strlen(first));

    assert(strcmp(first, again) == 0);
    assert(!strstr(first, "\n[alias") && !strstr(first, "\n[credential") &&
           !strstr(first, "\n[url"));
    for (const char *c = first; *c; c++)
        assert((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
    return 0;
}
