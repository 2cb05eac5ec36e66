#include "config/npm_range.h"

#include <string.h>

#include "common/text.h"

typedef struct {
    guint64 number[3]; /* major, minor, patch */
    int given;         /* of these; the others are 0 */
    char *before;      /* "rc.1", in the text that was read; "": a release */
} npm_version;

/* Sets the next number. FALSE when TEXT, up to its dot, is none; "x", "X" and "*" end the numbers.
 */
static gboolean parse_number(const char *text, npm_version *out)
{
    if (!*text || strcmp(text, "x") == 0 || strcmp(text, "X") == 0 || strcmp(text, "*") == 0)
        return TRUE;
    return g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT64, &out->number[out->given++], NULL);
}

/* Reads TEXT, "1.2.3-rc.1+build" or its beginning, and changes it. */
static gboolean parse_version(char *text, npm_version *out)
{
    *out = (npm_version){.before = (char *)""};
    text += *text == 'v';
    char *build = strchr(text, '+');
    if (build)
        *build = '\0';
    char *dash = strchr(text, '-');
    if (dash) {
        *dash = '\0';
        out->before = dash + 1;
    }
    g_auto(GStrv) parts = g_strsplit(text, ".", 4);
    guint count = g_strv_length(parts);
    for (guint i = 0; i < count && i < 3; i++)
        if ((int)i == out->given && !parse_number(parts[i], out))
            return FALSE;
    return count <= 3 &&
           (!dash || (out->given == 3 && *out->before && text_has_only(out->before, ".-")));
}

static gboolean is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789")];
}

/* semver.org 2.0.0, 11.4. */
static int compare_words(const char *a, const char *b)
{
    if (is_number(a) != is_number(b))
        return is_number(a) ? -1 : 1;
    if (is_number(a) && strlen(a) != strlen(b))
        return strlen(a) < strlen(b) ? -1 : 1;
    return strcmp(a, b);
}

static int compare_before(const char *a, const char *b)
{
    g_auto(GStrv) left = g_strsplit(a, ".", -1), right = g_strsplit(b, ".", -1);
    if (!*a || !*b)
        return (*b != '\0') - (*a != '\0');
    for (int i = 0;; i++) {
        if (!left[i] || !right[i])
            return (left[i] != NULL) - (right[i] != NULL);
        int order = compare_words(left[i], right[i]);
        if (order)
            return order;
    }
}

static int compare_numbers(const npm_version *a, const npm_version *b)
{
    for (int i = 0; i < 3; i++)
        if (a->number[i] != b->number[i])
            return a->number[i] < b->number[i] ? -1 : 1;
    return 0;
}

static int compare_versions(const npm_version *a, const npm_version *b)
{
    int order = compare_numbers(a, b);
    return order ? order : compare_before(a->before, b->before);
}

/* The first version above all that begin with the COUNT numbers of SELF: "1.2" gives 1.3.0-0. */
static npm_version above(const npm_version *self, int count)
{
    npm_version out = {.given = 3, .before = (char *)"0"};
    memcpy(out.number, self->number, (gsize)count * sizeof *out.number);
    out.number[count - 1]++;
    return out;
}

/* How many numbers of SELF "^" keeps: up to the first that is not 0. */
static int caret_keeps(const npm_version *self)
{
    for (int i = 0; i < self->given; i++)
        if (self->number[i])
            return i + 1;
    return self->given;
}

/* VERSION lies at LOW or above, and below what has the COUNT first numbers of LOW. */
static gboolean is_like(const npm_version *version, const npm_version *low, int count)
{
    npm_version high = above(low, count);
    return compare_versions(version, low) >= 0 && compare_versions(version, &high) < 0;
}

/* FALSE: VERSION is not what SIGN and LIMIT, of which a number is given, ask for. */
static gboolean is_within(const npm_version *version, const char *sign, const npm_version *limit)
{
    gboolean is_whole = limit->given == 3;
    npm_version next = above(limit, limit->given), first = *limit;
    if (strcmp(sign, "^") == 0)
        return is_like(version, limit, caret_keeps(limit));
    if (*sign == '~')
        return is_like(version, limit, MIN(limit->given, 2));
    if (strcmp(sign, ">=") == 0)
        return compare_versions(version, limit) >= 0;
    if (strcmp(sign, ">") == 0)
        return is_whole ? compare_versions(version, limit) > 0
                        : compare_versions(version, &next) >= 0;
    if (strcmp(sign, "<=") == 0)
        return is_whole ? compare_versions(version, limit) <= 0
                        : compare_versions(version, &next) < 0;
    if (strcmp(sign, "<") == 0) {
        first.before = is_whole ? limit->before : (char *)"0";
        return compare_versions(version, &first) < 0;
    }
    return is_whole ? compare_versions(version, limit) == 0 : is_like(version, limit, limit->given);
}

/* What a set of comparators says of a version so far. */
typedef struct {
    const npm_version *version;
    gboolean holds;
    gboolean names_release; /* a comparator names a version before the same release */
} range_set;

static gboolean add_comparator(range_set *self, const char *sign, char *text)
{
    npm_version limit;
    if (!parse_version(text, &limit))
        return FALSE;
    if (limit.given)
        self->holds &= is_within(self->version, sign, &limit);
    else if (strcmp(sign, ">") == 0 || strcmp(sign, "<") == 0)
        self->holds = FALSE;
    self->names_release |= *limit.before && compare_numbers(self->version, &limit) == 0;
    return TRUE;
}

/* The operator at *TEXT, a new string, and what it is of. */
static char *take_operator(char **text)
{
    gsize length = strspn(*text, "<>=~^");
    char *sign = g_strndup(*text, length);
    *text += length;
    return sign;
}

/* Does WORDS[*AT], and what belongs to it. FALSE: it is no comparator. */
static gboolean add_word(range_set *self, char **words, guint *at)
{
    static const char *const operators[] = {"", "=", "<", "<=", ">", ">=", "~", "~>", "^", NULL};
    char *text = words[*at];
    if (words[*at + 1] && strcmp(words[*at + 1], "-") == 0) {
        if (!words[*at + 2] || !add_comparator(self, ">=", text))
            return FALSE;
        *at += 2;
        return add_comparator(self, "<=", words[*at]);
    }
    g_autofree char *sign = take_operator(&text);
    if (*sign && !*text && words[*at + 1])
        text = words[++*at];
    return g_strv_contains(operators, sign) && (*text || !*sign) &&
           add_comparator(self, sign, text);
}

static npm_range_answer check_set(const char *set, const npm_version *version)
{
    g_autofree char *copy = g_strstrip(g_strdup(set));
    g_auto(GStrv) split = g_strsplit(copy, " ", -1);
    g_autofree char **words = g_new0(char *, g_strv_length(split) + 1);
    guint count = 0;
    range_set self = {version, TRUE, FALSE};
    for (char **each = split; *each; each++)
        if (**each)
            words[count++] = *each;
    for (guint i = 0; i < count; i++)
        if (!add_word(&self, words, &i))
            return NPM_RANGE_UNKNOWN;
    return self.holds && (!*version->before || self.names_release) ? NPM_RANGE_HAS
                                                                   : NPM_RANGE_LACKS;
}

npm_range_answer npm_range_check(const char *range, const char *version)
{
    npm_version read;
    g_autofree char *copy = g_strdup(version);
    npm_range_answer answer = NPM_RANGE_LACKS;
    if (strlen(range) > NPM_RANGE_MAX || strlen(version) > NPM_RANGE_MAX ||
        !text_has_only(version, ".+-") || !parse_version(copy, &read) || read.given != 3)
        return NPM_RANGE_UNKNOWN;
    /* An empty text has no parts, and an empty range has every release. */
    g_autofree char *all = g_strconcat(" ", range, NULL);
    g_auto(GStrv) sets = g_strsplit(all, "||", -1);
    for (char **set = sets; *set; set++) {
        npm_range_answer one = check_set(*set, &read);
        if (one == NPM_RANGE_UNKNOWN)
            return one;
        if (one == NPM_RANGE_HAS)
            answer = one;
    }
    return answer;
}
