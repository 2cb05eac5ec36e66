#include "proto/question_view.h"

/* Width of the column of labels on a terminal; longer labels move their value. */
#define LABEL_WIDTH 10

static void add_fact(GPtrArray *facts, const char *label, const char *value, const char *detail,
                     const char *aside)
{
    question_fact *fact = g_new0(question_fact, 1);
    fact->label = g_strdup(label);
    fact->value = g_strdup(value);
    fact->detail = g_strdup(detail);
    fact->aside = g_strdup(aside);
    g_ptr_array_add(facts, fact);
}

static void add_facts(GPtrArray *facts, const GPtrArray *from)
{
    for (guint i = 0; i < from->len; i++) {
        const question_fact *fact = from->pdata[i];
        add_fact(facts, fact->label, fact->value, fact->detail, fact->aside);
    }
}

static char *describe_pids(const question_program *program)
{
    g_autoptr(GString) text =
        g_string_new(*program->name ? program->name : "a program without a name");
    if (program->pid)
        g_string_append_printf(text, ", pid %" G_GINT64_FORMAT " in the box", program->pid);
    if (program->host_pid)
        g_string_append_printf(text, ", %s%" G_GINT64_FORMAT " on the host",
                               program->pid ? "" : "pid ", program->host_pid);
    return g_strdup(text->str);
}

static void add_chain(GPtrArray *facts, const GPtrArray *chain)
{
    for (guint i = 0; i < chain->len; i++) {
        const question_program *program = chain->pdata[i];
        g_autofree char *pids = describe_pids(program);
        add_fact(facts, i ? "Started by" : "Program",
                 *program->command ? program->command : program->name, pids, NULL);
    }
}

static void section_free(gpointer data)
{
    question_section *self = data;
    g_ptr_array_unref(self->facts);
    g_free(self);
}

/* The facts of the new section, to be filled. */
static GPtrArray *add_section(GPtrArray *sections, enum question_section_type type,
                              const char *title, const char *hint)
{
    question_section *self = g_new0(question_section, 1);
    *self =
        (question_section){type, title, hint, g_ptr_array_new_with_free_func(question_fact_free)};
    g_ptr_array_add(sections, self);
    return self->facts;
}

static void add_warnings(GPtrArray *sections, const question *self)
{
    GPtrArray *facts = add_section(sections, QUESTION_SECTION_WARNINGS, NULL, NULL);
    for (guint i = 0; i < self->warnings->len; i++)
        add_fact(facts, "Warning", self->warnings->pdata[i], NULL, NULL);
}

static void add_keys(GPtrArray *sections, const question *self)
{
    GPtrArray *facts = add_section(sections, QUESTION_SECTION_KEYS, "Keys", NULL);
    for (guint i = 0; i < self->keys->len; i++) {
        const question_key *key = self->keys->pdata[i];
        add_fact(facts, "Key", key->label, key->id, key->type);
    }
}

GPtrArray *question_sections(const question *self)
{
    GPtrArray *sections = g_ptr_array_new_with_free_func(section_free);
    /* First, so that nothing can push it out of sight. */
    if (self->known->len > 0)
        add_facts(
            add_section(sections, QUESTION_SECTION_KNOWN, "Known", "Litterbox has checked this"),
            self->known);
    if (self->warnings->len > 0)
        add_warnings(sections, self);
    if (self->note)
        add_fact(add_section(sections, QUESTION_SECTION_NOTE, NULL, NULL), "Note", self->note, NULL,
                 NULL);
    if (self->keys->len > 0)
        add_keys(sections, self);
    if (self->address) {
        const question_traits *kind = question_kind_traits(self->kind);
        add_fact(add_section(sections, QUESTION_SECTION_ADDRESS, kind->address_label,
                             kind->address_hint),
                 kind->address_label, self->address, NULL, NULL);
    }
    if (self->chain->len + self->claimed->len > 0) {
        GPtrArray *facts = add_section(sections, QUESTION_SECTION_CLAIMED, "Claimed by the box",
                                       "It may have made this up");
        add_chain(facts, self->chain);
        add_facts(facts, self->claimed);
    }
    return sections;
}

const char *question_verdict_label(const question *self)
{
    static const char *const labels[] = {
        [QUESTION_VERDICT_NONE] = NULL,
        [QUESTION_VERDICT_VERIFIED] = "Verified",
        [QUESTION_VERDICT_UNVERIFIED] = "Not verified",
    };
    G_STATIC_ASSERT(G_N_ELEMENTS(labels) == QUESTION_VERDICT_COUNT);
    return labels[self->verdict];
}

/* With many blanks TEXT (may be NULL) could fill a line of the terminal, which begins the next one
 * by itself: what follows would look like a line of ours. */
static void append_text(GString *to, const char *text)
{
    for (const char *p = text; p && *p; p++) {
        if (*p == ' ' && p > text && p[-1] == ' ')
            g_string_append(to, "\\x20");
        else
            g_string_append_c(to, *p);
    }
}

static void append_verdict(GString *text, const question *self)
{
    const char *label = question_verdict_label(self), *words = self->verdict_text;
    if (label || words)
        g_string_append_printf(text, "  %s%s%s\n", label ? label : "", label && words ? ": " : "",
                               words ? words : "");
}

static void append_fact(GString *text, int indent, const question_fact *fact)
{
    g_string_append_printf(text, "%*s%-*s ", indent, "", LABEL_WIDTH, fact->label);
    append_text(text, fact->value);
    if (fact->aside)
        g_string_append_printf(text, "  %s", fact->aside);
    if (fact->detail)
        g_string_append(text, "  ");
    append_text(text, fact->detail);
    g_string_append_c(text, '\n');
}

static void append_section(GString *text, const question_section *section)
{
    /* The only fact of an address repeats its section's title. */
    gboolean titled = section->title && section->type != QUESTION_SECTION_ADDRESS;
    if (titled)
        g_string_append_printf(text, "  %s%s%s\n", section->title, section->hint ? ": " : "",
                               section->hint ? section->hint : "");
    for (guint i = 0; i < section->facts->len; i++)
        append_fact(text, titled ? 4 : 2, section->facts->pdata[i]);
}

char *question_describe(const question *self)
{
    GString *text = g_string_new(NULL);
    g_autoptr(GPtrArray) sections = question_sections(self);
    if (self->box)
        g_string_append_printf(text, "  %-*s %s%s%s\n", LABEL_WIDTH, "Box", self->box,
                               self->project ? "  " : "", self->project ? self->project : "");
    append_verdict(text, self);
    for (guint i = 0; i < sections->len; i++)
        append_section(text, sections->pdata[i]);
    return g_string_free(text, FALSE);
}
