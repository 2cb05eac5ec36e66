#include "config/problems.h"

#include "common/error.h"
#include "common/text.h"

typedef struct {
    char *file;
    guint file_order; /* of the file's first problem, so that files stay together */
    toml_place at;
    char *text;
} problem;

struct problems {
    GPtrArray *list;
};

static void problem_free(gpointer data)
{
    problem *self = data;
    g_free(self->file);
    g_free(self->text);
    g_free(self);
}

problems *problems_new(void)
{
    problems *self = g_new0(problems, 1);
    self->list = g_ptr_array_new_with_free_func(problem_free);
    return self;
}

void problems_free(problems *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->list);
    g_free(self);
}

static guint order_of(const problems *self, const char *file)
{
    for (guint i = 0; i < self->list->len; i++) {
        const problem *other = g_ptr_array_index(self->list, i);
        if (g_str_equal(other->file, file))
            return other->file_order;
    }
    return self->list->len;
}

void problems_add(problems *self, const char *file, toml_place at, const char *section,
                  const char *key, const char *format, ...)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *safe_section = text_safe_max(section, -1, 80);
    g_autofree char *safe_key = text_safe_max(key, -1, 80);
    va_list arguments;

    if (section)
        g_string_append_printf(text, "[%s]%s", safe_section, key ? " " : ": ");
    if (key)
        g_string_append_printf(text, "%s: ", safe_key);
    va_start(arguments, format);
    g_string_append_vprintf(text, format, arguments);
    va_end(arguments);

    problem *p = g_new0(problem, 1);
    p->file = text_safe(file, -1);
    p->file_order = order_of(self, p->file);
    p->at = at;
    p->text = g_strdup(text->str);
    g_ptr_array_add(self->list, p);
}

static gint by_place(gconstpointer a, gconstpointer b)
{
    const problem *x = *(problem *const *)a, *y = *(problem *const *)b;
    if (x->file_order != y->file_order)
        return x->file_order < y->file_order ? -1 : 1;
    if (x->at.line != y->at.line)
        return x->at.line < y->at.line ? -1 : 1;
    if (x->at.column != y->at.column)
        return x->at.column < y->at.column ? -1 : 1;
    return 0;
}

gboolean problems_check(problems *self, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    guint n = self->list->len;

    if (!n)
        return TRUE;
    g_ptr_array_sort(self->list, by_place);
    for (guint i = 0; i < MIN(n, PROBLEMS_SHOWN); i++) {
        const problem *p = g_ptr_array_index(self->list, i);
        g_string_append_printf(all, "%s%s:", i ? "\n" : "", p->file);
        if (p->at.line)
            g_string_append_printf(all, "%u:%u:", p->at.line, p->at.column);
        g_string_append_printf(all, " %s", p->text);
    }
    if (n > PROBLEMS_SHOWN)
        g_string_append_printf(all, "\n… and %u more", n - PROBLEMS_SHOWN);
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CONFIG, all->str);
    return FALSE;
}
