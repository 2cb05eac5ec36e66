#include "podman/transport.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>

#include "build-config.h"
#include "common/error.h"
#include "common/units.h"

#define CURL_LIBRARY "libcurl.so.4"

gboolean curl_load(curl_api *api, GError **error)
{
    void *library = dlopen(CURL_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    const char *missing = NULL;

    if (!library) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot load " CURL_LIBRARY ", which connects to podman: install libcurl (%s)",
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
    /* A Unix socket needs no TLS, whose initialisation takes longer than a request. */
    if (api->global_init(CURL_GLOBAL_NOTHING) != CURLE_OK) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot set up " CURL_LIBRARY ": out of memory");
        return FALSE;
    }
    return TRUE;
}

/* Podman sends its version in every reply, so no call is needed to ask for it. */
#define VERSION_HEADER "Libpod-API-Version:"

/* As libcurl's own function, with SOCK_CLOEXEC. */
static int on_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static gsize on_header(char *line, gsize size, gsize count, void *data)
{
    http_exchange *self = data;
    gsize length = size * count; /* libcurl: size is always 1 */

    self->last_activity = g_get_monotonic_time();
    if (length > HTTP_HEADERS_MAX - self->header_bytes) {
        g_set_error(&self->error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                    "podman sent more than %d bytes of headers", HTTP_HEADERS_MAX);
        return 0;
    }
    self->header_bytes += length;
    if (length >= strlen("HTTP/") && memcmp(line, "HTTP/", strlen("HTTP/")) == 0)
        self->headers_ended = FALSE;
    else if (*line == '\r' || *line == '\n')
        self->headers_ended = TRUE;
    if (length > strlen(VERSION_HEADER) &&
        g_ascii_strncasecmp(line, VERSION_HEADER, strlen(VERSION_HEADER)) == 0) {
        g_free(self->reply->version);
        self->reply->version =
            g_strstrip(g_strndup(line + strlen(VERSION_HEADER), length - strlen(VERSION_HEADER)));
    }
    return length;
}

static gboolean append_body(http_exchange *self, const char *data, gsize length)
{
    GByteArray *body = self->reply->body;

    if (length > self->request->reply_max - MIN(body->len, self->request->reply_max)) {
        g_set_error(&self->error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                    "podman's reply is larger than %" G_GSIZE_FORMAT " bytes",
                    self->request->reply_max);
        return FALSE;
    }
    g_byte_array_append(body, (const guint8 *)data, length);
    return TRUE;
}

static gsize on_body(char *data, gsize size, gsize count, void *user_data)
{
    http_exchange *self = user_data;
    gsize length = size * count; /* libcurl: size is always 1 */
    long status = 0;

    self->last_activity = g_get_monotonic_time();
    if (length == 0)
        return 0;
    self->api->easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &status);
    if (self->request->chunk && status < 400)
        return self->request->chunk(data, length, self->request->user_data, &self->error) ? length
                                                                                          : 0;
    return append_body(self, data, length) ? length : 0;
}

static gboolean is_too_much(http_exchange *self)
{
    if (!self->request->body_max || self->sent <= self->request->body_max)
        return FALSE;
    g_autofree char *most = units_format_size(self->request->body_max);
    g_set_error(&self->error, BOX_ERROR, BOX_ERROR_FAILED,
                "more than %s is to be sent: is there a file with holes, which takes less on the "
                "disk?",
                most);
    return TRUE;
}

static gsize on_upload(char *buffer, gsize size, gsize count, void *data)
{
    http_exchange *self = data;
    struct pollfd readable = {.fd = self->request->body_fd, .events = POLLIN};
    ssize_t got;

    if (poll(&readable, 1, 0) == 0) {
        self->paused = TRUE;
        return CURL_READFUNC_PAUSE;
    }
    do {
        got = read(self->request->body_fd, buffer, size * count);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        g_set_error(&self->error, BOX_ERROR, BOX_ERROR_FAILED, "cannot read the data to upload: %s",
                    g_strerror(errno));
        return CURL_READFUNC_ABORT;
    }
    self->sent += got;
    if (is_too_much(self))
        return CURL_READFUNC_ABORT;
    self->last_activity = g_get_monotonic_time();
    return got;
}

/* libcurl sends the body again when a reused connection turns out to be closed. */
static int on_rewind(void *data, curl_off_t offset, int origin)
{
    http_exchange *self = data;

    if (self->body_start < 0 || origin != SEEK_SET ||
        lseek(self->request->body_fd, self->body_start + offset, SEEK_SET) < 0)
        return CURL_SEEKFUNC_CANTSEEK;
    self->sent = offset;
    return CURL_SEEKFUNC_OK;
}

#define SET(option, value) api->easy_setopt(easy, CURLOPT_##option, value)

static void set_body(http_exchange *self)
{
    const curl_api *api = self->api;
    CURL *easy = self->easy;
    const http_request *request = self->request;

    if (request->body_fd >= 0) {
        self->body_start = lseek(request->body_fd, 0, SEEK_CUR);
        SET(POST, 1L);
        SET(READFUNCTION, on_upload);
        SET(READDATA, self);
        SET(SEEKFUNCTION, on_rewind);
        SET(SEEKDATA, self);
    } else if (request->body || strcmp(request->method, "POST") == 0) {
        SET(POST, 1L);
        SET(POSTFIELDS, request->body ? request->body : "");
        SET(POSTFIELDSIZE_LARGE, (curl_off_t)request->length);
    } else if (strcmp(request->method, "HEAD") == 0) {
        SET(NOBODY, 1L);
    }
    SET(CUSTOMREQUEST, request->method);
}

static gboolean set_headers(http_exchange *self)
{
    const http_request *request = self->request;
    g_autofree char *type = g_strdup_printf(
        "Content-Type: %s", request->content_type ? request->content_type : "application/json");
    /* Without the empty Expect, libcurl waits a second for a "100 Continue" before a large body. */
    const char *lines[] = {type, "Expect:", "User-Agent: litterbox/" BOX_VERSION,
                           request->body_fd >= 0 ? "Transfer-Encoding: chunked" : NULL};

    for (gsize i = 0; i < G_N_ELEMENTS(lines) && lines[i]; i++) {
        struct curl_slist *longer = self->api->slist_append(self->headers, lines[i]);
        if (!longer)
            return FALSE;
        self->headers = longer;
    }
    return TRUE;
}

gboolean http_exchange_prepare(http_exchange *self, GError **error)
{
    const curl_api *api = self->api;
    CURL *easy = self->easy;
    /* The host name has no meaning on a Unix socket. */
    g_autofree char *url = g_strconcat("http://d", self->request->path, NULL);

    api->easy_reset(easy);
    if (!set_headers(self) || SET(URL, url) != CURLE_OK) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "out of memory for a request to podman");
        return FALSE;
    }
    SET(UNIX_SOCKET_PATH, self->request->socket);
    SET(OPENSOCKETFUNCTION, on_socket);
    SET(PROXY, ""); /* a proxy in the environment must not see Podman's socket */
    SET(PROTOCOLS_STR, "http");
    SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(FOLLOWLOCATION, 0L);
    SET(NOSIGNAL, 1L);
    SET(HTTPHEADER, self->headers);
    SET(HEADERFUNCTION, on_header);
    SET(HEADERDATA, self);
    SET(WRITEFUNCTION, on_body);
    SET(WRITEDATA, self);
    set_body(self);
    return TRUE;
}

#undef SET

void http_exchange_resume(http_exchange *self)
{
    if (!self->paused)
        return;
    /* on_upload() pauses again when there is still nothing to read. */
    self->paused = FALSE;
    self->api->easy_pause(self->easy, CURLPAUSE_CONT);
}

void http_exchange_clear(http_exchange *self)
{
    self->api->slist_free_all(self->headers);
    g_clear_error(&self->error);
}

void http_reply_clear(http_reply *self)
{
    g_clear_pointer(&self->body, g_byte_array_unref);
    g_clear_pointer(&self->version, g_free);
}
