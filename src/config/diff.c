#include "config/diff.h"

#include <string.h>

#include "common/text.h"

/* Most lines on each side for the table of the longest common subsequence (2 bytes a cell). */
#define DIFF_MAX 1000
#define CONTEXT 2
/* A longer line is cut in the middle. */
#define LINE_MAX_SHOWN 200

typedef struct {
    GString *out;
    guint shown, hidden, max;
} printer;

static void print(printer *self, char sign, const char *line)
{
    g_autofree char *safe = text_safe_max(line, -1, LINE_MAX_SHOWN);
    if (self->shown >= self->max) {
        self->hidden++;
        return;
    }
    self->shown++;
    g_string_append_printf(self->out, "%c %s\n", sign, safe);
}

static void print_range(printer *self, char sign, char **from, gsize n)
{
    for (gsize i = 0; i < n; i++)
        print(self, sign, from[i]);
}

/* Lengths of the longest common subsequence of A from i and B from j, row by row. */
static guint16 *common_lengths(char **a, gsize na, char **b, gsize nb)
{
    gsize width = nb + 1;
    guint16 *table = g_new0(guint16, (na + 1) * width);
    for (gsize i = na; i-- > 0;) {
        for (gsize j = nb; j-- > 0;) {
            guint16 below = table[(i + 1) * width + j], right = table[i * width + j + 1];
            table[i * width + j] =
                g_str_equal(a[i], b[j]) ? table[(i + 1) * width + j + 1] + 1 : MAX(below, right);
        }
    }
    return table;
}

static void compare(printer *self, char **a, gsize na, char **b, gsize nb)
{
    if (na > DIFF_MAX || nb > DIFF_MAX) {
        print_range(self, '-', a, na);
        print_range(self, '+', b, nb);
        return;
    }
    g_autofree guint16 *table = common_lengths(a, na, b, nb);
    gsize width = nb + 1, i = 0, j = 0;
    while (i < na || j < nb) {
        if (i < na && j < nb && g_str_equal(a[i], b[j])) {
            print(self, ' ', a[i]);
            i++, j++;
        } else if (i < na && (j == nb || table[(i + 1) * width + j] >= table[i * width + j + 1])) {
            print(self, '-', a[i++]);
        } else {
            print(self, '+', b[j++]);
        }
    }
}

static char **lines_of(const char *text)
{
    g_autofree char *copy = g_strdup(text);
    gsize length = strlen(copy);
    if (length && copy[length - 1] == '\n')
        copy[length - 1] = '\0';
    return g_strsplit(copy, "\n", -1);
}

char *diff_lines(const char *old, const char *new, guint max)
{
    g_auto(GStrv) a = lines_of(old);
    g_auto(GStrv) b = lines_of(new);
    gsize na = g_strv_length(a), nb = g_strv_length(b), head = 0, tail = 0;
    printer self = {.out = g_string_new(NULL), .max = max};

    while (head < na && head < nb && g_str_equal(a[head], b[head]))
        head++;
    while (tail < na - head && tail < nb - head && g_str_equal(a[na - tail - 1], b[nb - tail - 1]))
        tail++;
    if (head == na && head == nb)
        return g_string_free(self.out, FALSE);
    gsize before = MIN(head, CONTEXT), after = MIN(tail, CONTEXT);
    print_range(&self, ' ', a + head - before, before);
    compare(&self, a + head, na - head - tail, b + head, nb - head - tail);
    print_range(&self, ' ', a + na - tail, after);
    if (self.hidden)
        g_string_append_printf(self.out, "… %u lines more\n", self.hidden);
    return g_string_free(self.out, FALSE);
}
