/* Which keys a box may ask for: by fingerprint, by label, and what is no wish. */
#include "ssh-agent/agent/wishes.h"

#include <string.h>

static char *label(const GPtrArray *self, const char *fingerprint, const char *comment)
{
    return wishes_label(self, fingerprint, comment, strlen(comment));
}

static void assert_label(const char *list, const char *fingerprint, const char *comment,
                         const char *expected)
{
    g_autoptr(GPtrArray) self = wishes_new();
    json_t *given = json_loads(list, 0, NULL);
    g_assert_nonnull(given);
    json_decref(wishes_take(self, given));
    json_decref(given);
    g_autofree char *found = label(self, fingerprint, comment);
    g_assert_cmpstr(found, ==, expected);
}

static void test_label(void)
{
    assert_label("[{\"label\":\"work\"}]", "SHA256:a", "work", "work");
    assert_label("[{\"label\":\"work\"}]", "SHA256:a", "work ", NULL);
    assert_label("[{\"fingerprint\":\"SHA256:a\"}]", "SHA256:a", "me\x1b[2J", "me\\x1b[2J");
    assert_label("[{\"fingerprint\":\"SHA256:a\"}]", "SHA256:a", "", "SHA256:a");
    assert_label("[{\"fingerprint\":\"SHA256:a\"}]", "SHA256:b", "", NULL);
    assert_label("[{\"fingerprint\":\"SHA256:a\",\"label\":\"home\"}]", "SHA256:a", "work", "home");
}

/* Without a fingerprint and with an empty label, it would be a wish for nothing. */
static void test_empty(void)
{
    assert_label("[{\"label\":\"\"}]", "SHA256:a", "", NULL);
    assert_label("[{\"label\":\"\"}, {\"label\":\"work\"}]", "SHA256:a", "work", "work");
    assert_label("[{}, {\"fingerprint\":7}, \"work\", null]", "SHA256:a", "work", NULL);
    assert_label("[{\"fingerprint\":\"SHA256:a\",\"label\":\"\"}]", "SHA256:a", "work", "work");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent-wishes/label", test_label);
    g_test_add_func("/agent-wishes/empty", test_empty);
    return g_test_run();
}
