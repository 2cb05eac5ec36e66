#include "cli/commands/consent.h"

#include <stdio.h>
#include <string.h>

#include "box/helpers/log_lines.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"
#include "proto/question_view.h"

static const char *field_of(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static void print_question_line(const char *indent, const char *name, const char *value)
{
    g_autofree char *safe = text_safe(value, -1);
    g_autofree char *label = text_safe_max(name, -1, 40);
    printf("%s%-10s %s\n", indent, label, safe);
}

/* "work, SHA256:…", a new string; NULL: there are none. */
static char *key_names(const json_t *list)
{
    const json_t *key;
    size_t i;
    GString *names = g_string_new(NULL);
    json_array_foreach (list, i, key) {
        const char *label = field_of(key, "label");
        g_string_append_printf(names, "%s%s", i ? ", " : "",
                               *label ? label : field_of(key, "fingerprint"));
    }
    return g_string_free(names, names->len == 0);
}

/* "4 of 100", a new string. */
static char *uses_of(const json_t *object, const char *uses)
{
    return g_strdup_printf("%d of %d", (int)json_integer_value(json_object_get(object, uses)),
                           (int)json_integer_value(json_object_get(object, "most")));
}

static char *duration_of(const json_t *object, const char *seconds)
{
    return units_format_duration(json_integer_value(json_object_get(object, seconds)));
}

void consent_show_ssh(const json_t *ssh)
{
    const json_t *each;
    size_t i;
    g_autofree char *keys = key_names(json_object_get(ssh, "keys"));
    if (keys)
        print_question_line("", "ssh keys", keys);
    json_array_foreach (json_object_get(ssh, "grants"), i, each) {
        g_autofree char *uses = uses_of(each, "uses");
        g_autofree char *idle = duration_of(each, "idle");
        g_autofree char *words =
            g_strdup_printf("%s, used %s, last %s ago", field_of(each, "scope"), uses, idle);
        print_question_line("", "granted", words);
    }
}

static void show_box(const json_t *box)
{
    g_autofree char *keys = key_names(json_object_get(box, "keys"));
    print_question_line("", "box", field_of(box, "box"));
    print_question_line("  ", "keys", keys ? keys : "none");
    print_question_line("  ", "real agent",
                        *field_of(box, "upstream") ? field_of(box, "upstream") : "none");
    print_question_line("  ", "forward", field_of(box, "forward"));
    if (json_is_true(json_object_get(box, "muted")))
        print_question_line("  ", "muted", "it may not ask: 'box consent mute --for 0' ends that");
}

void consent_show_status(const json_t *status)
{
    const json_t *box;
    size_t i;
    print_question_line("", "phrase", field_of(status, "phrase"));
    print_question_line("", "state",
                        json_is_true(json_object_get(status, "locked")) ? "locked"
                        : json_is_true(json_object_get(status, "held")) ? "the screen is locked"
                                                                        : "ready");
    print_question_line("", "own keys",
                        json_is_true(json_object_get(status, "keys_unlocked")) ? "unlocked"
                                                                               : "locked");
    print_question_line("", "asks",
                        json_is_true(json_object_get(status, "display")) ? "in a window"
                                                                         : "on a terminal");
    printf("%-10s %d\n", "pending", (int)json_integer_value(json_object_get(status, "pending")));
    printf("%-10s %d\n", "grants", (int)json_integer_value(json_object_get(status, "grants")));
    json_array_foreach (json_object_get(status, "boxes"), i, box)
        show_box(box);
}

/* The commands that answer the question ID. */
static void show_choices(const question *asked, guint64 id)
{
    const char *command = question_kind_traits(asked->kind)->command;
    gboolean by_window = question_kind_traits(asked->kind)->gives;
    for (guint i = 0; !by_window && i < asked->choices->len; i++) {
        const question_choice *choice = asked->choices->pdata[i];
        printf("  box %s approve %" G_GUINT64_FORMAT " %-5s %s%s%s\n", command, id,
               question_answer_word(choice->answer), choice->text, choice->scope ? ": " : "",
               choice->scope ? choice->scope : "");
    }
    if (by_window)
        printf("  only its window can allow this, as %s\n",
               question_kind_traits(asked->kind)->gives_why);
    printf("  box %s deny %" G_GUINT64_FORMAT "\n", command, id);
    if (asked->never)
        printf("  box %s deny %" G_GUINT64_FORMAT " never    %s\n", command, id,
               question_answer_button(QUESTION_ANSWER_NEVER));
}

static void show_question(const json_t *item)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(question) asked = question_from_json(item, &error);
    guint64 id = g_ascii_strtoull(field_of(item, "id"), NULL, 10);
    if (!asked) {
        log_warning("question %" G_GUINT64_FORMAT ": %s", id, error->message);
        return;
    }
    g_autofree char *details = question_describe(asked);
    g_autofree char *left = duration_of(item, "left");
    printf("%" G_GUINT64_FORMAT ": %s, for %s more\n%s", id, asked->headline, left, details);
    show_choices(asked, id);
}

char *consent_show_request(const json_t *item, const char *choice)
{
    g_autoptr(question) asked = question_from_json(item, NULL);
    for (guint i = 0; asked && i < asked->choices->len; i++) {
        const question_choice *each = asked->choices->pdata[i];
        if (strcmp(question_answer_word(each->answer), choice) != 0)
            continue;
        g_autofree char *details = question_describe(asked);
        return g_strdup_printf("%s\n%s%s%s%s?", asked->headline, details, each->text,
                               each->scope ? ": " : "", each->scope ? each->scope : "");
    }
    return NULL;
}

void consent_show_pending(const json_t *list)
{
    const json_t *each;
    size_t i;
    if (json_array_size(list) == 0)
        puts("no pending requests");
    json_array_foreach (list, i, each)
        show_question(each);
}

void consent_show_grants(const json_t *list)
{
    static const char *const headings[] = {"ID", "SCOPE", "USES", "LAST", "LEFT", NULL};
    const json_t *each;
    size_t i;
    g_autoptr(table) out = table_new(headings);
    json_array_foreach (list, i, each) {
        const json_t *left = json_object_get(each, "left");
        g_autofree char *uses = uses_of(each, "uses");
        g_autofree char *idle = duration_of(each, "idle");
        g_autofree char *last = g_strconcat(idle, " ago", NULL);
        g_autofree char *time =
            json_is_integer(left) ? duration_of(each, "left") : g_strdup("until the box stops");
        table_add(out, field_of(each, "id"));
        table_add(out, field_of(each, "scope"));
        table_add(out, uses);
        table_add(out, last);
        table_add(out, time);
    }
    table_print(out);
}

/* What a box has chosen: quoted, unless it is a plain word. */
static void append_claim(GString *line, const char *word, const char *value)
{
    g_autofree char *quoted = text_quoted(value, -1, TEXT_SAFE_MAX);
    if (*value)
        g_string_append_printf(line, " %s %s", word, quoted);
}

/* How a request of the log was answered, a new string: "approved", "approved for 5m as grant 3",
 * "grant 3, use 4 of 100". */
static char *answer_of(const json_t *entry)
{
    const char *how = field_of(entry, "how"), *lasts = field_of(entry, "lasts");
    int grant = (int)json_integer_value(json_object_get(entry, "grant"));
    if (strcmp(how, "grant") == 0) {
        g_autofree char *uses = uses_of(entry, "use");
        return g_strdup_printf("grant %d, use %s", grant, uses);
    }
    if (strcmp(how, "approved") != 0 || !*lasts)
        return g_strdup(how);
    return strcmp(lasts, question_answer_word(QUESTION_ANSWER_UNTIL_STOP)) == 0
               ? g_strdup_printf("approved until the box stops as grant %d", grant)
               : g_strdup_printf("approved for %s as grant %d", lasts, grant);
}

/* TIME of RFC 3339 for a person; as it is where it is no time. A new string. */
static char *local_time(const char *time)
{
    g_autoptr(GDateTime) at = g_date_time_new_from_iso8601(time, NULL);
    return at ? units_format_time(g_date_time_to_unix(at)) : g_strdup(time);
}

static void show_log_entry(const char *entry)
{
    json_t *object = json_loads(entry, 0, NULL);
    const char *event = field_of(object, "event"), *name = field_of(object, "host_name");
    const char *host = *name ? name : field_of(object, "host");
    g_autofree char *how = answer_of(object), *time = local_time(field_of(object, "time"));
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_printf(line, "%s  %s  %s %s", time, field_of(object, "box"),
                    *event ? event : field_of(object, "purpose"), field_of(object, "label"));
    append_claim(line, "as", field_of(object, "user"));
    g_string_append_printf(line, "%s%s", *host ? " at " : "", host);
    append_claim(line, "for", field_of(object, "namespace"));
    g_string_append_printf(line, ": %s (%s)", *event ? "done" : field_of(object, "decision"),
                           *event ? field_of(object, "why") : how);
    g_autofree char *safe = text_safe(object ? line->str : entry, -1);
    json_int_t left_out = json_integer_value(json_object_get(object, "left_out"));
    if (left_out > 0)
        printf("%" JSON_INTEGER_FORMAT " more refusals were not logged\n", left_out);
    puts(safe);
    json_decref(object);
}

void consent_show_log(guint lines, gboolean as_json)
{
    g_autoptr(GPtrArray) all = agent_log_lines();
    for (guint i = all->len > lines ? all->len - lines : 0; i < all->len; i++) {
        json_t *entry = as_json ? json_loads(all->pdata[i], 0, NULL) : NULL;
        json_empty_to_null(entry);
        if (entry)
            json_print_line(entry);
        else if (!as_json)
            show_log_entry(all->pdata[i]);
    }
}
