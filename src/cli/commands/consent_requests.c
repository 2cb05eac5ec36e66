#include "cli/commands/consent.h"

#include <stdio.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "console/ask.h"
#include "console/log.h"
#include "console/output.h"
#include "proto/question_answer.h"

/* Sends the request OP to a running agent. NULL without ERROR when none runs. */
static json_t *query(const char *op, GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = agent_call(json_pack("{s:s}", "op", op), FALSE, &problem);
    if (problem && !g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        g_propagate_error(error, g_steal_pointer(&problem));
    return answer;
}

/* WHAT of ANSWER; both are NULL when no agent runs. */
static void print_answer_json(const json_t *answer, json_t *what, const char *key)
{
    json_t *out = what ? json_deep_copy(what) : key ? json_array() : json_object();
    if (!key)
        json_object_set_new(out, "runs", json_boolean(answer != NULL));
    json_empty_to_null(out);
    json_print(out);
}

/* Removes what is of another KIND (NULL: nothing) from LIST. */
static void keep_kind(json_t *list, const char *kind)
{
    for (size_t i = json_array_size(list); kind && i-- > 0;) {
        const json_t *each = json_array_get(list, i);
        if (g_strcmp0(json_string_value(json_object_get(each, "kind")), kind) != 0)
            json_array_remove(list, i);
    }
}

static int show_answer(const char *op, const char *key, const char *kind, gboolean json,
                       void (*text)(const json_t *what), GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *answer = query(op, &problem);
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return -1;
    }
    json_object_del(answer, "ok");
    json_t *what = key ? json_object_get(answer, key) : answer;
    keep_kind(what, kind);
    if (json)
        print_answer_json(answer, what, key);
    else if (what)
        text(what);
    else if (kind)
        puts("no pending requests");
    else
        log_note("the SSH agent is not running: no running box has keys");
    json_decref(answer);
    return 0;
}

int consent_request_show(const char *op, const char *key, gboolean json,
                         void (*text)(const json_t *what), GError **error)
{
    return show_answer(op, key, NULL, json, text, error);
}

int consent_request_send(json_t *request, gboolean start, GError **error)
{
    json_t *answer = agent_call(request, start, error);
    json_decref(answer);
    return answer ? 0 : -1;
}

/* Answers one. Where no agent runs nothing waits, and the user need not know of agents. */
static int send_answer(json_t *request, GError **error)
{
    g_autoptr(GError) problem = NULL;
    int status = consent_request_send(request, FALSE, &problem);
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                            "no such request, or it was already answered");
    else if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return status;
}

int consent_requests_pending(const char *kind, gboolean json, GError **error)
{
    return show_answer("pending", "pending", kind, json, consent_show_pending, error);
}

/* The request ID as the agent has it; NULL: there is none. */
static json_t *find_pending(const char *id)
{
    json_t *answer = query("pending", NULL), *each, *found = NULL;
    size_t i;
    json_array_foreach (json_object_get(answer, "pending"), i, each)
        if (g_strcmp0(json_string_value(json_object_get(each, "id")), id) == 0)
            found = json_incref(each);
    json_decref(answer);
    return found;
}

/*
 * A box can print a number and the words of another request: on a terminal the request is shown as
 * the agent has it, and approved by a yes, which is for *SHOWN and no other one that may have its
 * number since. TRUE also without a terminal, and when there is no such request: then *SHOWN is
 * NULL or empty.
 */
static gboolean confirm_choice(const char *id, const char *choice, json_t **shown)
{
    static const char *const added[] = {"id", "shown", "left"}; /* of the list */
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !ask_can())
        return TRUE;
    *shown = find_pending(id);
    if (!*shown)
        *shown = json_object();
    g_autofree char *text = json_object_size(*shown) ? consent_show_request(*shown, choice) : NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(added); i++)
        json_object_del(*shown, added[i]);
    return !text || ask_yes(text);
}

int consent_requests_approve(const char *id, const char *choice, GError **error)
{
    const char *word = choice ? choice : question_answer_word(QUESTION_ANSWER_ONCE);
    json_t *shown = NULL;
    gboolean yes = confirm_choice(id, word, &shown);
    int status = 1;
    if (yes)
        status = send_answer(json_pack("{s:s, s:s, s:s, s:O*}", "op", "approve", "id", id, "choice",
                                       word, "shown", shown),
                             error);
    else
        log_note("not approved; the request still waits, and 'box consent deny %s' refuses it", id);
    json_decref(shown);
    return status;
}

int consent_requests_deny(const char *id, gboolean never, GError **error)
{
    return send_answer(json_pack("{s:s, s:s, s:b}", "op", "deny", "id", id, "never", never), error);
}
