/*
 * Fuzzes apt's sources and npm's configuration, as an image has them. The first byte says which
 * parser. What comes out is a rule for one full name on a port, and not many of them.
 */
#include <assert.h>
#include <glib.h>
#include <stdint.h>

#include "box/helpers/package_hosts.h"
#include "box/lifecycle/package_sources.h"
#include "proto/network_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func(g_free);
    const char *text = (const char *)data + 1;
    if (size == 0)
        return 0;
    size--;
    switch (data[0] % 4) {
    case 0:
    case 1:
        apt_sources_parse(text, size, data[0] % 4 == 1, hosts);
        break;
    case 2:
        npm_config_parse(text, size, hosts);
        break;
    case 3:
        npm_definitions_parse(text, size, hosts);
        break;
    }
    assert(hosts->len <= PACKAGE_HOSTS_MAX);
    for (guint i = 0; i < hosts->len; i++) {
        struct network_rule rule;
        const char *wrong;
        assert(network_rule_parse(hosts->pdata[i], false, &rule, &wrong) == 0);
        assert(rule.kind == RULE_NAME);
    }
    return 0;
}
