#include "ssh-agent/agent/questions.h"

#include <string.h>

#include "ssh-agent/agent/manners.h"

#define SECOND ((gint64)G_USEC_PER_SEC)

struct questions {
    questions_hooks hooks;
    gpointer data;
    GPtrArray *list;  /* of question */
    manners *manners; /* of the boxes */
    guint64 last_id;
    gboolean held;
};

static void question_free(gpointer data)
{
    question *self = data;
    g_free(self->box);
    g_free(self->same);
    json_decref(self->text);
    g_ptr_array_unref(self->waiters);
    g_free(self);
}

questions *questions_new(const questions_hooks *hooks, gpointer data)
{
    questions *self = g_new0(questions, 1);
    self->hooks = *hooks;
    self->data = data;
    self->list = g_ptr_array_new();
    self->manners = manners_new();
    return self;
}

void questions_free(questions *self)
{
    if (!self)
        return;
    g_ptr_array_set_free_func(self->list, question_free);
    g_ptr_array_unref(self->list);
    manners_free(self->manners);
    g_free(self);
}

/* Shows the first question of each box that has none on show. */
static void show_next(questions *self, gint64 now)
{
    g_autoptr(GHashTable) busy = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; !self->held && i < self->list->len; i++) {
        question *each = self->list->pdata[i];
        if (!g_hash_table_add(busy, each->box) || each->shown)
            continue;
        each->shown = TRUE;
        each->since = now;
        self->hooks.show(each, self->data);
    }
}

static question *find_same(questions *self, const char *box, const char *same)
{
    for (guint i = 0; same && i < self->list->len; i++) {
        question *each = self->list->pdata[i];
        if (g_strcmp0(each->same, same) == 0 && strcmp(each->box, box) == 0)
            return each;
    }
    return NULL;
}

static guint count(const questions *self, const char *box)
{
    guint n = 0;
    for (guint i = 0; i < self->list->len; i++)
        n += strcmp(((const question *)self->list->pdata[i])->box, box) == 0;
    return n;
}

const char *questions_refusal(questions *self, const char *box, gint64 now)
{
    const char *refusal = manners_refusal(self->manners, box, now);
    gboolean full = self->list->len >= QUESTIONS_ALL_MAX || count(self, box) >= QUESTIONS_MAX;
    return !refusal && full ? "queue full" : refusal;
}

gboolean questions_join(questions *self, const char *box, const char *same, gpointer waiter,
                        gint64 now)
{
    question *asked = find_same(self, box, same);
    if (!asked || manners_refusal(self->manners, box, now))
        return FALSE;
    g_ptr_array_add(asked->waiters, waiter);
    return TRUE;
}

const char *questions_ask(questions *self, const char *box, const char *same, json_t *text,
                          gpointer waiter, gint64 now)
{
    const char *refusal = questions_refusal(self, box, now);
    if (refusal) {
        json_decref(text);
        return refusal;
    }
    question *asked = g_new0(question, 1);
    asked->id = ++self->last_id;
    asked->box = g_strdup(box);
    asked->same = g_strdup(same);
    asked->text = text;
    asked->since = now;
    asked->waiters = g_ptr_array_new();
    g_ptr_array_add(asked->waiters, waiter);
    g_autofree char *id = g_strdup_printf("%" G_GUINT64_FORMAT, asked->id);
    json_object_set_new(text, "id", json_string(id));
    g_ptr_array_add(self->list, asked);
    show_next(self, now);
    return NULL;
}

/* One of the choices that the text offers: a yes. */
static gboolean is_listed(const question *which, const char *choice)
{
    json_t *each;
    size_t i;
    json_array_foreach (json_object_get(which->text, "choices"), i, each) {
        if (g_strcmp0(json_string_value(json_object_get(each, "id")), choice) == 0)
            return TRUE;
    }
    return FALSE;
}

/* Takes WHICH out of the list before anybody is told, so that what they do finds it gone. */
static void end(questions *self, question *which, const char *choice, const json_t *detail,
                gint64 now)
{
    g_ptr_array_remove(self->list, which);
    if (which->shown)
        self->hooks.hide(which, self->data);
    gboolean for_one = is_listed(which, choice);
    while (which->waiters->len > 0) {
        gpointer waiter = g_ptr_array_remove_index(which->waiters, 0);
        self->hooks.answered(waiter, choice, detail);
        if (for_one)
            choice = ANSWER_AGAIN;
    }
    question_free(which);
    show_next(self, now);
}

void questions_leave(questions *self, gpointer waiter, gint64 now)
{
    for (guint i = 0; i < self->list->len; i++) {
        question *each = self->list->pdata[i];
        gboolean was_first = each->waiters->pdata[0] == waiter;
        if (!g_ptr_array_remove(each->waiters, waiter))
            continue;
        if (was_first) {
            if (each->shown)
                manners_note_left(self->manners, each->box, now);
            end(self, each, ANSWER_AGAIN, NULL, now);
        }
        return;
    }
}

static gboolean is_choice(const question *which, const char *choice)
{
    static const char *const refusals[] = {ANSWER_DENY, ANSWER_TIMEOUT, ANSWER_NOBODY,
                                           ANSWER_FAILED, NULL};
    if (g_strv_contains(refusals, choice))
        return TRUE;
    if (strcmp(choice, ANSWER_MUTE) == 0)
        return json_is_true(json_object_get(which->text, "mute"));
    /* A password and a list of keys are answers of their own kinds. */
    const char *kind = json_string_value(json_object_get(which->text, "kind"));
    if (g_strcmp0(kind, "password") == 0 || g_strcmp0(kind, "keys") == 0)
        return strcmp(choice, kind) == 0;
    return is_listed(which, choice);
}

question *questions_find(const questions *self, guint64 id)
{
    for (guint i = 0; i < self->list->len; i++) {
        question *each = self->list->pdata[i];
        if (each->id == id)
            return each;
    }
    return NULL;
}

gboolean questions_answer(questions *self, guint64 id, const char *choice, const json_t *detail,
                          gint64 now)
{
    question *asked = questions_find(self, id);
    if (!asked || !is_choice(asked, choice))
        return FALSE;
    g_autofree char *box = g_strdup(asked->box);
    /* Nobody has seen it (screen locked), so its time running out is nobody's patience. */
    if (asked->shown || strcmp(choice, ANSWER_TIMEOUT) != 0)
        manners_note_answer(self->manners, box, choice, now);
    end(self, asked, choice, detail, now);
    /* Those of the box that still wait would only be asked again. */
    if (strcmp(choice, ANSWER_MUTE) == 0)
        questions_drop(self, box, now);
    return TRUE;
}

/* Of BOX or, with NULL, of all. */
static question *first_of(const questions *self, const char *box)
{
    for (guint i = 0; i < self->list->len; i++) {
        question *each = self->list->pdata[i];
        if (!box || strcmp(each->box, box) == 0)
            return each;
    }
    return NULL;
}

void questions_drop(questions *self, const char *box, gint64 now)
{
    /* Held meanwhile, or each end would show the next. */
    gboolean held = self->held;
    self->held = TRUE;
    for (question *each; (each = first_of(self, box));)
        end(self, each, ANSWER_WITHDRAWN, NULL, now);
    self->held = held;
    show_next(self, now);
}

void questions_mute(questions *self, const char *box, gint64 until)
{
    manners_mute(self->manners, box, until);
}

void questions_hold(questions *self, gboolean hold, gint64 now)
{
    self->held = hold;
    for (guint i = 0; hold && i < self->list->len; i++) {
        question *each = self->list->pdata[i];
        if (!each->shown)
            continue;
        each->shown = FALSE;
        self->hooks.hide(each, self->data);
    }
    show_next(self, now);
}

static question *overdue(const questions *self, gint64 now)
{
    for (guint i = 0; i < self->list->len; i++) {
        question *each = self->list->pdata[i];
        if ((each->shown || self->held) && now >= each->since + QUESTIONS_SECONDS * SECOND)
            return each;
    }
    return NULL;
}

void questions_tick(questions *self, gint64 now)
{
    for (question *each; (each = overdue(self, now));)
        questions_answer(self, each->id, ANSWER_TIMEOUT, NULL, now);
}

void questions_forget(questions *self, const char *box)
{
    manners_forget(self->manners, box);
}

const GPtrArray *questions_all(const questions *self)
{
    return self->list;
}
