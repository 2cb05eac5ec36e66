#include "podman/curl.h"

#include <dlfcn.h>

#include "common/error.h"

#define CURL_LIBRARY "libcurl.so.4"

gboolean curl_load(curl_api *api, GError **error)
{
    void *library = dlopen(CURL_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    const char *missing = NULL;

    if (!library) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot load " CURL_LIBRARY ", which talks to podman: install libcurl (%s)",
                    dlerror());
        return FALSE;
    }
#define CURL_LOOK_UP(name)                                            \
    api->name = (__typeof__(api->name))dlsym(library, "curl_" #name); \
    if (!api->name)                                                   \
        missing = "curl_" #name;
    CURL_TABLE(CURL_LOOK_UP)
#undef CURL_LOOK_UP
    if (missing) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    CURL_LIBRARY " has no %s: libcurl 7.66 or newer is needed", missing);
        return FALSE;
    }
    /* No TLS: a Unix socket needs none, and setting it up takes longer than a request. */
    if (api->global_init(CURL_GLOBAL_NOTHING) != CURLE_OK) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot set up " CURL_LIBRARY ": out of memory");
        return FALSE;
    }
    return TRUE;
}
