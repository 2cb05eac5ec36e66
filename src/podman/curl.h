/*
 * The part of libcurl that we use, loaded with dlopen: a command that needs no Podman must not pay
 * the 4 ms that libcurl and its thirty libraries take to load.
 */
#pragma once

#include <glib.h>

/* The type checker of curl/curl.h turns calls through a table into calls of the linked function. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* One line a function; the table's members and the names that are looked up both come from here. */
#define CURL_TABLE(X)      \
    X(global_init)         \
    X(easy_init)           \
    X(easy_cleanup)        \
    X(easy_reset)          \
    X(easy_setopt)         \
    X(easy_getinfo)        \
    X(easy_pause)          \
    X(easy_strerror)       \
    X(multi_init)          \
    X(multi_cleanup)       \
    X(multi_add_handle)    \
    X(multi_remove_handle) \
    X(multi_perform)       \
    X(multi_poll)          \
    X(multi_info_read)     \
    X(multi_strerror)      \
    X(slist_append)        \
    X(slist_free_all)

typedef struct {
#define CURL_MEMBER(name) __typeof__(&curl_##name) name;
    CURL_TABLE(CURL_MEMBER)
#undef CURL_MEMBER
} curl_api;

/*
 * Loads libcurl and fills API. FALSE with BOX_ERROR_UNREACHABLE, and what to install, when it is
 * missing or too old. It is never unloaded: its own exit handlers stay valid that way.
 */
gboolean curl_load(curl_api *api, GError **error);
