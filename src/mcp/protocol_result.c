#include "mcp/protocol_result.h"

#include "build-config.h"

/* The tools change with the program alone, which a client may replace while it runs. */
#define FRESH_MS (5 * 60 * 1000)

json_t *protocol_server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "litterbox", "title", "Litterbox", "version",
                     BOX_VERSION);
}

json_t *protocol_complete(json_t *result)
{
    json_object_set_new(result, "resultType", json_string("complete"));
    json_object_set_new(
        result, "_meta",
        json_pack("{s:o}", "io.modelcontextprotocol/serverInfo", protocol_server_info()));
    return result;
}

json_t *protocol_cacheable(json_t *result)
{
    json_object_set_new(result, "ttlMs", json_integer(FRESH_MS));
    json_object_set_new(result, "cacheScope", json_string("public"));
    return protocol_complete(result);
}
