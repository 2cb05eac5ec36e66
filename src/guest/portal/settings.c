/* org.freedesktop.portal.Settings, with one setting: whether the desktop is light or dark. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/portal/portal.h"

#define KEY "gtk-application-prefer-dark-theme"
#define SETTINGS "/gtk-3.0/settings.ini"
/* Settings of the user's desktop, there if [desktop] appearance is on. */
#define HOST_SETTINGS "/run/litterbox/appearance/config" SETTINGS
#define SETTINGS_MAX 16384 /* bytes */

/* Values of org.freedesktop.appearance color-scheme. */
enum color_scheme { COLOR_SCHEME_ANY, COLOR_SCHEME_DARK, COLOR_SCHEME_LIGHT };

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* The value of KEY in the line at TEXT, or NULL. */
static const char *value_at(const char *text)
{
    text = skip_blanks(text);
    if (strncmp(text, KEY, strlen(KEY)) != 0)
        return NULL;
    text = skip_blanks(text + strlen(KEY));
    return *text == '=' ? skip_blanks(text + 1) : NULL;
}

int settings_prefer_dark(const char *text)
{
    int dark = -1;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const char *value = value_at(text);
        if (value)
            dark = *value == '1' || strncmp(value, "true", strlen("true")) == 0;
    }
    return dark;
}

static int prefers_dark(const char *path)
{
    char text[SETTINGS_MAX + 1];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, SETTINGS_MAX);
    if (fd >= 0)
        close(fd);
    if (length < 0)
        return -1;
    text[length] = '\0';
    return settings_prefer_dark(text);
}

/* What GTK's settings in the box say. */
static int box_prefers_dark(void)
{
    char path[4096];
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = config && *config == '/'
                     ? snprintf(path, sizeof path, "%s" SETTINGS, config)
                     : snprintf(path, sizeof path, "%s/.config" SETTINGS, home ? home : "");
    return length > 0 && (size_t)length < sizeof path ? prefers_dark(path) : -1;
}

/* $LITTERBOX_COLOR_SCHEME, else the box's own GTK settings, else the user's desktop. */
static enum color_scheme read_color_scheme(void)
{
    const char *scheme = getenv("LITTERBOX_COLOR_SCHEME");
    if (scheme && strcmp(scheme, "dark") == 0)
        return COLOR_SCHEME_DARK;
    if (scheme && strcmp(scheme, "light") == 0)
        return COLOR_SCHEME_LIGHT;
    int dark = box_prefers_dark();
    if (dark < 0)
        dark = prefers_dark(HOST_SETTINGS);
    return dark == 1 ? COLOR_SCHEME_DARK : COLOR_SCHEME_ANY;
}

#define APPEARANCE "org.freedesktop.appearance"
#define COLOR_SCHEME "color-scheme"

static void put_scheme(struct dbus_writer *out)
{
    dbus_write_signature(out, "u");
    dbus_write_u32(out, read_color_scheme());
}

/* DEPTH: variants around the value. Read returns one too many, which its documentation keeps. */
static void read_setting(const struct caller *caller, const struct dbus_message *call, int depth)
{
    struct dbus_reader in = call->body;
    const char *space = dbus_read_string(&in), *key = dbus_read_string(&in);
    if (strcmp(space, APPEARANCE) != 0 || strcmp(key, COLOR_SCHEME) != 0) {
        reply_error(caller, PORTAL_NOT_FOUND, "a box has no such setting");
        return;
    }
    struct dbus_writer *out = reply_begin(caller, "v");
    if (depth > 1)
        dbus_write_signature(out, "v");
    put_scheme(out);
    reply_end(caller);
}

static void read_deprecated(const struct caller *caller, const struct dbus_message *call)
{
    read_setting(caller, call, 2);
}

static void read_one(const struct caller *caller, const struct dbus_message *call)
{
    read_setting(caller, call, 1);
}

/* "" matches everything, and so does a "*" at the end of PATTERN. */
static int matches(const char *pattern)
{
    size_t length = strlen(pattern);
    if (!length)
        return 1;
    return pattern[length - 1] == '*' ? strncmp(pattern, APPEARANCE, length - 1) == 0
                                      : strcmp(pattern, APPEARANCE) == 0;
}

static void read_all(const struct caller *caller, const struct dbus_message *call)
{
    struct dbus_reader in = call->body;
    size_t end = dbus_read_array(&in, 's');
    int wanted = in.at == end;
    while (in.at < end && !in.wrong)
        wanted |= matches(dbus_read_string(&in));
    if (in.wrong) {
        reply_invalid_arguments(caller);
        return;
    }
    struct dbus_writer *out = reply_begin(caller, "a{sa{sv}}");
    size_t spaces = dbus_begin_array(out, '{');
    if (wanted) {
        dbus_write_struct(out);
        dbus_write_string(out, APPEARANCE);
        size_t keys = dbus_begin_array(out, '{');
        dbus_write_struct(out);
        dbus_write_string(out, COLOR_SCHEME);
        put_scheme(out);
        dbus_end_array(out, keys, '{');
    }
    dbus_end_array(out, spaces, '{');
    reply_end(caller);
}

static const struct method methods[] = {
    {"Read", "ss", "v", read_deprecated},
    {"ReadOne", "ss", "v", read_one},
    {"ReadAll", "as", "a{sa{sv}}", read_all},
    {0},
};
const struct interface settings_interface = {PORTAL_PATH, "org.freedesktop.portal.Settings", 2,
                                             methods};
