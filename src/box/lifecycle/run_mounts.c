#include "box/lifecycle/run_mounts.h"

#include <string.h>

#include "box/lifecycle/base_images.h"
#include "common/text.h"
#include "podman/storage.h"

#define ESCAPES "\\`"
#define ONBUILD_MAX 8 /* nobody writes as many */
#define SHOWN_MAX 60
#define FROM_MAX 100 /* for each all of the file is read */

/* Followed by what is neither an option nor may become one. */
#define HARMLESS "^[ \t]*RUN([ \t]+--network=(none|default))+[ \t]+[A-Za-z0-9/_.:\\[(]"

/* FROM, its flags, the image, and what follows. */
#define FROM_FLAGS "(?:[ \t]+--[A-Za-z]+=[A-Za-z0-9/_.:${}-]*)*"
#define FROM "^((?:\xEF\xBB\xBF)?[ \t]*FROM" FROM_FLAGS "[ \t]+)([^ \t\r]+)((?:[ \t].*)?\r?)$"

/* FALSE for what a parser takes out of a word, or between words: quotes, escape characters, and
 * blanks, to which Go counts some of Unicode's. */
static gboolean is_letter(char byte)
{
    return g_ascii_isgraph(byte) && !strchr("'\"" ESCAPES, byte);
}

static gboolean has_letters(const char *line)
{
    while (*line && !is_letter(*line))
        line++;
    return *line != '\0';
}

/* TRUE: the instruction goes on in the next line, by one of the ESCAPE characters. */
static gboolean goes_on(const char *line, const char *escape)
{
    gsize length = strlen(line);
    while (length && !g_ascii_isgraph(line[length - 1]))
        length--;
    return length && strchr(escape, line[length - 1]);
}

/* A line within an instruction that counts as none. */
static gboolean is_skipped(const char *line)
{
    while (*line && !g_ascii_isgraph(*line))
        line++;
    return !*line || *line == '#';
}

/* TRUE: the instruction that begins at LINES is RUN with an option, after some ONBUILD or none.
 * What parsers take out is no letter of it. */
static gboolean has_options(char **lines)
{
    static const char run[] = "RUN--", onbuild[] = "ONBUILD";
    const char *word = run, *left = run; /* the word that the letters are in, and what it lacks */
    int words = 0;
    for (char **line = lines; *line; line++) {
        if (line > lines && is_skipped(*line))
            continue;
        for (const char *at = *line; *at; at++) {
            if (!is_letter(*at))
                continue;
            if (left == run && g_ascii_toupper(*at) == *onbuild)
                word = left = onbuild;
            if (g_ascii_toupper(*at) != *left++)
                return FALSE;
            if (*left)
                continue;
            if (word == run || ++words == ONBUILD_MAX)
                return TRUE;
            word = left = run;
        }
        if (!goes_on(*line, ESCAPES))
            break;
    }
    return FALSE;
}

/* The instruction that begins at LINES as most write it, in one line; a new string. */
static char *join(char **lines)
{
    g_autoptr(GString) joined = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        if (line > lines && is_skipped(*line))
            continue;
        gboolean more = goes_on(*line, "\\");
        gsize length = more ? (gsize)(strrchr(*line, '\\') - *line) : strlen(*line);
        g_string_append_len(joined, *line, (gssize)length);
        if (!more)
            break;
    }
    return g_string_free(g_steal_pointer(&joined), FALSE);
}

gboolean run_mounts_are_harmless(const char *contents, gsize length, char **found)
{
    g_autofree char *text = g_strndup(contents, length);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        /* One that begins with nothing is that of the next line. */
        if (!has_letters(*line) || !has_options(line))
            continue;
        g_autofree char *whole = join(line);
        if (g_regex_match_simple(HARMLESS, whole, G_REGEX_CASELESS | G_REGEX_RAW, 0))
            continue;
        *found = text_safe(whole, (gssize)MIN(strlen(whole), SHOWN_MAX));
        return FALSE;
    }
    return TRUE;
}

/* TRUE: the instruction that begins at LINES is FROM to some parser. */
static gboolean may_be_from(char **lines)
{
    const char *left = "FROM";
    for (char **line = lines; *line; line++) {
        if (line > lines && is_skipped(*line))
            continue;
        for (const char *at = *line; *at; at++) {
            if (!*left)
                return !is_letter(*at);
            if (is_letter(*at) && g_ascii_toupper(*at) != *left++)
                return FALSE;
        }
        if (!*left)
            return TRUE;
        if (!goes_on(*line, ESCAPES))
            break;
    }
    return FALSE;
}

/* TRUE: to each parser the next line belongs to the instruction of LINE, in a file without '`' and
 * heredocs, whose last line may end so, too. To some two escape characters are none. */
static gboolean surely_goes_on(const char *line)
{
    gsize length = strlen(line);
    length -= length && line[length - 1] == '\r';
    while (length && strchr(" \t", line[length - 1]))
        length--;
    gboolean is_escaped = length > 1 && line[length - 2] == '\\';
    return length && line[length - 1] == '\\' && !is_escaped && !is_skipped(line) &&
           has_letters(line);
}

/* A name that Podman looks for among the images that it has, and in registries. */
static gboolean is_plain_name(const char *text)
{
    static const char *const transports[] = {"atomic:",        "containers-storage:",
                                             "dir:",           "docker-archive:",
                                             "docker-daemon:", "oci:",
                                             "oci-archive:",   "ostree:",
                                             "sif:",           "tarball:"};
    for (gsize i = 0; i < G_N_ELEMENTS(transports); i++)
        if (g_str_has_prefix(text, transports[i]))
            return FALSE;
    return g_ascii_isalnum(*text) && text_has_only(text, "._-/:@") && !strstr(text, ":/");
}

char *run_mounts_name_images(const char *contents, gsize length, char *const *args, char **found)
{
    g_autofree char *text = g_strndup(contents, length);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GRegex) from =
        g_regex_new(FROM, G_REGEX_CASELESS | G_REGEX_RAW | G_REGEX_DOLLAR_ENDONLY, 0, NULL);
    gboolean is_certain = !strchr(text, '`') && !strstr(text, "<<");
    int left = FROM_MAX;
    for (char **line = lines; *line; line++) {
        g_autoptr(GMatchInfo) match = NULL;
        if ((line > lines && is_certain && surely_goes_on(line[-1])) || !has_letters(*line) ||
            !may_be_from(line))
            continue;
        gboolean is_plain = left-- > 0 && g_regex_match(from, *line, 0, &match);
        g_autofree char *image = is_plain ? g_match_info_fetch(match, 2) : NULL;
        g_autofree char *name = image ? base_images_expand(contents, length, args, image) : NULL;
        if (!name || !is_plain_name(name)) {
            *found = text_safe(*line, (gssize)MIN(strlen(*line), SHOWN_MAX));
            return NULL;
        }
        g_autofree char *before = g_match_info_fetch(match, 1);
        g_autofree char *after = g_match_info_fetch(match, 3);
        g_free(*line);
        *line = g_strconcat(before, name, after, NULL);
    }
    return g_strjoinv("\n", lines);
}

gboolean image_mounts_are_safe(podman_client *server, const image_source *from)
{
    return !from->is_of_project || podman_at_least(server, RUN_MOUNTS_MAJOR, RUN_MOUNTS_MINOR);
}

/* WHAT follows "with Podman 4.3.1". Returns FALSE. */
static gboolean refuse_mounts(podman_client *server, const char *in, const char *found,
                              const char *what, GError **error)
{
    g_autofree char *safe = text_safe(in, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "'%s' has '%s': with Podman %s %s. Mounts are safe with Podman %d.%d", safe, found,
                podman_version(server, NULL), what, RUN_MOUNTS_MAJOR, RUN_MOUNTS_MINOR);
    return FALSE;
}

static gboolean steps_are_harmless(podman_client *server, const char *in, const char *contents,
                                   gsize length, const char *more, GError **error)
{
    g_autofree char *found = NULL;
    if (run_mounts_are_harmless(contents, length, &found))
        return TRUE;
    g_autofree char *what = g_strconcat(
        "such a step can read and change your files outside of the project", more, NULL);
    return refuse_mounts(server, in, found, what, error);
}

GBytes *image_mounts_check_file(podman_client *server, const image_source *from, GError **error)
{
    g_autofree char *found = NULL;
    gsize length;
    const char *contents = g_bytes_get_data(from->contents, &length);
    if (!steps_are_harmless(server, from->file, contents, length, "", error))
        return NULL;
    char *plain = run_mounts_name_images(contents, length, from->args, &found);
    if (plain)
        return g_bytes_new_take(plain, strlen(plain));
    refuse_mounts(
        server, from->file, found,
        "FROM must name an image plainly, or by variables that an 'ARG NAME=VALUE' before it sets, "
        "as one from an archive may have steps that read and change your files outside of the "
        "project",
        error);
    return NULL;
}

static gboolean check_step(const char *image, const char *step, gpointer data, GError **error)
{
    return steps_are_harmless(data, image, step, strlen(step),
                              ", in a build that starts from this image: remove it (podman rmi)",
                              error);
}

gboolean image_mounts_check_images(podman_client *server, GError **error)
{
    if (storage_steps_each(server, check_step, server, error))
        return TRUE;
    g_prefix_error(error, "nothing is built: ");
    return FALSE;
}
