#include "common/units.h"

#include <string.h>

static const struct {
    char unit;
    gint64 seconds;
} durations[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};

/* Reads the digits at the start of TEXT; REST is what follows. FALSE without any, or on overflow.
 */
static gboolean parse_digits(const char *text, gint64 *value, const char **rest)
{
    gint64 sum = 0;
    if (!g_ascii_isdigit(*text))
        return FALSE;
    for (; g_ascii_isdigit(*text); text++) {
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, *text - '0', &sum))
            return FALSE;
    }
    *value = sum;
    *rest = text;
    return TRUE;
}

gboolean units_parse_size(const char *text, gint64 *bytes)
{
    static const char units[] = "kmgt";
    const char *rest;
    gint64 value, factor = 1;

    if (!text || !parse_digits(text, &value, &rest))
        return FALSE;
    const char *unit = *rest ? strchr(units, g_ascii_tolower(*rest)) : NULL;
    if (unit) {
        factor = (gint64)1 << (10 * (unit - units + 1));
        rest++;
        if (*rest == 'i')
            rest++;
    }
    if (*rest == 'b' || *rest == 'B')
        rest++;
    return !*rest && !__builtin_mul_overflow(value, factor, bytes);
}

gboolean units_parse_duration(const char *text, gint64 *seconds)
{
    const char *rest;
    gint64 value;

    if (!text || !parse_digits(text, &value, &rest))
        return FALSE;
    if (!*rest) {
        *seconds = value;
        return TRUE;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(durations); i++) {
        if (*rest == durations[i].unit)
            return !rest[1] && !__builtin_mul_overflow(value, durations[i].seconds, seconds);
    }
    return FALSE;
}

char *units_format_size(gint64 bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = bytes;
    int unit = -1;

    /* 1023.95 would be shown as 1024.0 of the smaller unit. */
    while ((value >= 1023.95 || value <= -1023.95) && unit + 1 < (int)G_N_ELEMENTS(units)) {
        value /= 1024;
        unit++;
    }
    if (unit < 0)
        return g_strdup_printf("%" G_GINT64_FORMAT " B", bytes);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof number, "%.1f", value);
    if (g_str_has_suffix(number, ".0"))
        number[strlen(number) - 2] = '\0';
    return g_strdup_printf("%s %s", number, units[unit]);
}

char *units_exact_size(gint64 bytes)
{
    static const char units[] = "TGMk";
    for (int i = 0; units[i]; i++) {
        gint64 factor = (gint64)1 << (10 * (4 - i));
        if (bytes && bytes % factor == 0)
            return g_strdup_printf("%" G_GINT64_FORMAT "%c", bytes / factor, units[i]);
    }
    return g_strdup_printf("%" G_GINT64_FORMAT, bytes);
}

char *units_exact_duration(gint64 seconds)
{
    for (gsize i = G_N_ELEMENTS(durations); seconds && i-- > 0;)
        if (seconds % durations[i].seconds == 0)
            return g_strdup_printf("%" G_GINT64_FORMAT "%c", seconds / durations[i].seconds,
                                   durations[i].unit);
    return g_strdup("0");
}

/* Two units at most: a third one would be false precision. */
char *units_format_duration(gint64 seconds)
{
    gint64 minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
    if (minutes == 0)
        return g_strdup_printf("%" G_GINT64_FORMAT " s", seconds);
    if (hours == 0)
        return g_strdup_printf("%" G_GINT64_FORMAT " min", minutes);
    if (days == 0)
        return g_strdup_printf("%" G_GINT64_FORMAT " h %" G_GINT64_FORMAT " min", hours,
                               minutes % 60);
    return g_strdup_printf("%" G_GINT64_FORMAT " d %" G_GINT64_FORMAT " h", days, hours % 24);
}

char *units_rfc3339(gint64 seconds)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);
    return time ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ") : NULL;
}

char *units_format_time(gint64 seconds)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(seconds);
    return time ? g_date_time_format(time, "%Y-%m-%d %H:%M:%S %Z") : g_strdup("?");
}
