#include "guest/portal/scheme.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY "gtk-application-prefer-dark-theme"
#define SETTINGS "/gtk-3.0/settings.ini"
/* Made of the user's settings, with [desktop] appearance. */
#define LOOK "/run/litterbox/look/config" SETTINGS
#define SETTINGS_MAX 16384

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

int scheme_prefers_dark(const char *text)
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
    return scheme_prefers_dark(text);
}

static int of_the_box(void)
{
    char path[4096];
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = config && *config == '/'
                     ? snprintf(path, sizeof path, "%s" SETTINGS, config)
                     : snprintf(path, sizeof path, "%s/.config" SETTINGS, home ? home : "");
    return length > 0 && (size_t)length < sizeof path ? prefers_dark(path) : -1;
}

enum scheme scheme_read(void)
{
    const char *said = getenv("LITTERBOX_COLOR_SCHEME");
    if (said && strcmp(said, "dark") == 0)
        return SCHEME_DARK;
    if (said && strcmp(said, "light") == 0)
        return SCHEME_LIGHT;
    int dark = of_the_box();
    if (dark < 0)
        dark = prefers_dark(LOOK);
    return dark == 1 ? SCHEME_DARK : SCHEME_ANY;
}
