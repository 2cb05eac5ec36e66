/* Light or dark: org.freedesktop.portal.Settings, of which programs read little else. */
#include <string.h>

#include "guest/portal/portal.h"
#include "guest/portal/scheme.h"

#define APPEARANCE "org.freedesktop.appearance"
#define COLOR_SCHEME "color-scheme"

static void put_scheme(struct wire_out *out)
{
    wire_put_signature(out, "u");
    wire_put_u32(out, scheme_read());
}

/* DEPTH variants around the value: Read has one too many, which programs know. */
static void read_one(const struct caller *caller, const struct message *call, int depth)
{
    struct wire_in in = call->body;
    const char *space = wire_get_string(&in), *key = wire_get_string(&in);
    if (strcmp(space, APPEARANCE) != 0 || strcmp(key, COLOR_SCHEME) != 0) {
        reply_error(caller, PORTAL_NOT_FOUND, "a box has no such setting");
        return;
    }
    struct wire_out *out = reply_begin(caller, "v");
    if (depth > 1)
        wire_put_signature(out, "v");
    put_scheme(out);
    reply_end(caller);
}

static void read_old(const struct caller *caller, const struct message *call)
{
    read_one(caller, call, 2);
}

static void read_new(const struct caller *caller, const struct message *call)
{
    read_one(caller, call, 1);
}

/* "" and no pattern at all are everything; a "*" at the end is for any end. */
static int matches(const char *pattern)
{
    size_t length = strlen(pattern);
    if (!length)
        return 1;
    return pattern[length - 1] == '*' ? strncmp(pattern, APPEARANCE, length - 1) == 0
                                      : strcmp(pattern, APPEARANCE) == 0;
}

static void read_all(const struct caller *caller, const struct message *call)
{
    struct wire_in in = call->body;
    size_t end = wire_get_array(&in, 's');
    int wanted = in.at == end;
    while (in.at < end && !in.wrong)
        wanted |= matches(wire_get_string(&in));
    if (in.wrong) {
        reply_wrong(caller);
        return;
    }
    struct wire_out *out = reply_begin(caller, "a{sa{sv}}");
    size_t spaces = wire_begin_array(out, '{');
    if (wanted) {
        wire_put_struct(out);
        wire_put_string(out, APPEARANCE);
        size_t keys = wire_begin_array(out, '{');
        wire_put_struct(out);
        wire_put_string(out, COLOR_SCHEME);
        put_scheme(out);
        wire_end_array(out, keys, '{');
    }
    wire_end_array(out, spaces, '{');
    reply_end(caller);
}

static const struct method methods[] = {
    {"Read", "ss", "v", read_old},
    {"ReadOne", "ss", "v", read_new},
    {"ReadAll", "as", "a{sa{sv}}", read_all},
    {0},
};
const struct interface settings_interface = {PORTAL_PATH, "org.freedesktop.portal.Settings", 2,
                                             methods};
