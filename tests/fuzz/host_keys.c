/* A repository's configuration that a box wrote, and the user's known_hosts, which may hold
 * anything. What a box gets are lines with names and keys alone. */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "identity/host_keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_auto(GStrv) hosts = host_keys_of_remotes((const char *)data, size);
    char *also[] = {(char *)"a.example", NULL};
    g_autofree char *of_remotes = host_keys_text(hosts, text);
    g_autofree char *known = host_keys_text(also, text);

    assert(g_strv_length(hosts) <= HOST_KEYS_HOSTS_MAX);
    for (char **host = hosts; *host; host++)
        assert(host_keys_is_name(*host));
    for (const char *c = known; *c; c++)
        assert(((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f) || *c == '\n');
    for (const char *c = of_remotes; *c; c++)
        assert(((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f) || *c == '\n');
    return 0;
}
