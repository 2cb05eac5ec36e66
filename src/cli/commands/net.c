#include <string.h>

#include "box/helpers/gate.h"
#include "box/helpers/gate_answers.h"
#include "box/helpers/gate_rules.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/network_list.h"
#include "box/registry/branch.h"
#include "cli/commands/command.h"
#include "cli/commands/consent.h"
#include "cli/commands/net.h"
#include "cli/commands/project.h"
#include "config/config.h"
#include "config/network_groups.h"
#include "console/log.h"
#include "console/output.h"
#include "proto/question.h"

static struct {
    gboolean answered, denied, follow, never;
    const char *rules;
    GPtrArray *allow, *deny;
} net_given;

static const option net_options[] = {
    {"answered", 0, OPTION_FLAG, &net_given.answered, NULL,
     "rules: only your answers to questions, and when you gave them"},
    {"never", 0, OPTION_FLAG, &net_given.never, NULL,
     "deny: refuse what the question ID is about until you forget it"},
    {"allow", 0, OPTION_LIST, &net_given.allow, "RULE", "check: a rule of the list"},
    {"deny", 0, OPTION_LIST, &net_given.deny, "RULE", "check: an exception from it"},
    {"rules", 0, OPTION_TEXT, &net_given.rules, "FILE",
     "check: [network] of FILE, like litterbox.toml"},
    {"denied", 0, OPTION_FLAG, &net_given.denied, NULL, "log: only what was refused, or audited"},
    {"follow", 'f', OPTION_FLAG, &net_given.follow, NULL, "log: wait for more, until Ctrl-C"},
    {0},
};

/* "[PROJECT] WORD", of which WORD may be left out when NEEDED is FALSE. */
static struct box *network_box(const struct command_call *call, gboolean has_word, GError **error)
{
    guint count = g_strv_length(call->operands), words = has_word ? 1 : 0;
    return project_box_or_branch(count > words ? call->operands[0] : NULL, PROJECT_EXISTING, error);
}

static const char *last_operand(const struct command_call *call)
{
    return call->operands[g_strv_length(call->operands) - 1];
}

/* What decides about SELF (box/lifecycle/network_list.h). NULL with ERROR, also when it has another
 * mode, as then no list decides anything. */
static net_view *load_view(const struct box *self, GError **error)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, error);
    if (!read)
        return NULL;
    gboolean running = FALSE;
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    g_autofree char *text =
        network_list_text(self, config_settings(read), &running, missing, &problem);
    for (guint i = 0; i < missing->len; i++)
        log_note("the hosts of '%s' are found out when the container of box '%s' is made",
                 (char *)missing->pdata[i], self->name);
    if (text)
        return net_view_new(text, read, running);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' has no list of what it may reach: that needs [network] mode = "
                    "\"ask\" or \"filtered\"%s",
                    self->name,
                    config_settings(read)->network.mode == NETWORK_FILTERED
                        ? ", which holds from its next start on: run 'box apply'"
                        : "");
    return NULL;
}

static int show_answers(const struct box *self, gboolean json, GError **error)
{
    g_autoptr(GPtrArray) answers = gate_answers_read(self, box_find_init(self) > 0, error);
    if (!answers)
        return -1;
    net_show_answers(answers, json);
    return 0;
}

static int show_rules(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = network_box(call, FALSE, error);
    if (self && net_given.answered)
        return show_answers(self, call->json, error);
    g_autoptr(net_view) view = self ? load_view(self, error) : NULL;
    if (!view)
        return -1;
    net_show_rules(view, call->json);
    return 0;
}

static int why(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = network_box(call, TRUE, error);
    g_autoptr(net_view) view = self ? load_view(self, error) : NULL;
    gboolean is_allowed = FALSE;
    if (!view || !net_show_why(view, last_operand(call), call->json, &is_allowed, error))
        return -1;
    return is_allowed ? 0 : 1;
}

/* Makes the gate obey, if there is one. */
static gboolean update_gate(const struct box *self, GError **error)
{
    return gate_update(self, box_find_init(self), error);
}

/* Makes the gates of the box and its branches obey, and says from when on. */
static int tell_gate(const struct box *self, const char *what, GError **error)
{
    pid_t init = box_find_init(self);
    if (!branch_each(self, update_gate, error))
        return -1;
    g_autoptr(GError) other_mode = NULL;
    g_autoptr(net_view) view = load_view(self, &other_mode);
    log_note("box '%s' %s%s", self->name, what, init || !view ? "" : ", from its next start on");
    if (!view)
        log_warning("%s", other_mode->message);
    return 0;
}

/* TRUE for a group that there is, and for a rule that is no group. */
static gboolean group_exists(const char *rule, gboolean denies, GError **error)
{
    g_auto(GStrv) rules =
        network_group_is(rule) ? network_group_read(rule, denies, error) : g_new0(char *, 1);
    return rules != NULL;
}

/* After a rule was added: FALSE with ERROR when no list can be made with it, which would keep the
 * box from starting. The list of a running one is made for its gate (tell_gate()). */
static gboolean list_can_be_made(const struct box *self, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (box_find_init(self))
        return TRUE;
    g_autoptr(net_view) view = load_view(self, &problem);
    if (view || !g_error_matches(problem, BOX_ERROR, BOX_ERROR_CONFIG))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

static void take_back(const struct box *self, const char *line, enum gate_rules_before before)
{
    g_autoptr(GError) problem = NULL;
    if (!gate_rules_take_back(self, line, before, &problem))
        log_warning("'%s' is kept all the same: %s", line, problem->message);
}

static int add_rule(const struct command_call *call, gboolean denies, GError **error)
{
    g_autoptr(GError) problem = NULL;
    enum gate_rules_before before;
    g_autofree char *rule = net_check_rule(last_operand(call), denies, error);
    g_autoptr(box) self =
        rule && group_exists(rule, denies, error) ? network_box(call, TRUE, error) : NULL;
    g_autofree char *line = g_strdup_printf("%s %s", denies ? "deny" : "allow", rule);
    if (!self || !gate_rules_add(self, line, &before, error))
        return -1;
    g_autofree char *what = g_strdup_printf("%s %s", denies ? "may not reach" : "may reach", rule);
    int status = list_can_be_made(self, &problem) ? tell_gate(self, what, &problem) : -1;
    /* A deny is kept: it lets nothing out. */
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_CONFIG) && !denies)
        take_back(self, line, before);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return status;
}

static int allow(const struct command_call *call, GError **error)
{
    return add_rule(call, FALSE, error);
}

/* The number of a question, which no rule looks like. */
static gboolean is_question(const struct command_call *call)
{
    const char *word = call->operands[0];
    return !call->operands[1] && !word[strspn(word, "0123456789")];
}

static int deny_host(const struct command_call *call, GError **error)
{
    if (is_question(call))
        return consent_requests_deny(call->operands[0], net_given.never, error);
    return add_rule(call, TRUE, error);
}

static int approve_host(const struct command_call *call, GError **error)
{
    return consent_requests_approve(call->operands[0], call->operands[1], error);
}

static int pending_hosts(const struct command_call *call, GError **error)
{
    return consent_requests_pending(question_kind_traits(QUESTION_NETWORK)->word, call->json,
                                    error);
}

/* Forgets RULE, in normal form, whoever keeps it. *FOUND: somebody does. */
static gboolean forget_rule(const struct box *self, const char *rule, gboolean *found,
                            GError **error)
{
    gboolean was_answered = FALSE;
    gboolean done = gate_rules_forget(self, rule, found, error) &&
                    gate_answers_forget(self, rule, &was_answered, error);
    *found |= was_answered;
    return done;
}

static int forget_rules(const struct command_call *call, GError **error)
{
    gboolean found = FALSE;
    /* A rule of allow without a port means 443, and one of deny every port: both are tried. */
    g_autofree char *allowed = net_check_rule(last_operand(call), FALSE, NULL);
    /* One with a method or path is of allow alone. */
    g_autofree char *denied = net_check_rule(last_operand(call), TRUE, allowed ? NULL : error);
    const char *named = denied ? denied : allowed;
    g_autoptr(box) self = named ? network_box(call, TRUE, error) : NULL;
    if (!self || (denied && !forget_rule(self, denied, &found, error)) ||
        (!found && allowed && !forget_rule(self, allowed, &found, error)))
        return -1;
    if (!found) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "'box net' keeps no rule '%s' for box '%s': 'box net rules' shows where each "
                    "comes from",
                    named, self->name);
        return -1;
    }
    g_autofree char *what = g_strdup_printf("has no rule of 'box net' for %s any more", named);
    return tell_gate(self, what, error);
}

static int show_network_log(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = network_box(call, FALSE, error);
    if (!self)
        return -1;
    return net_log_show(self, net_given.follow, net_given.denied, call->json, error) ? 0 : -1;
}

static int top(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = network_box(call, FALSE, error);
    g_autoptr(net_view) view = self ? load_view(self, error) : NULL;
    pid_t init = view ? box_find_init(self) : 0;
    if (!view)
        return -1;
    if (init)
        return net_top(self, init, call->json, error) ? 0 : -1;
    log_note("box '%s' is not running", self->name);
    if (call->json)
        json_print(json_array());
    return 0;
}

static int suggest(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = network_box(call, FALSE, error);
    /* A box that has another mode by now has its log, and no rules. */
    g_autoptr(net_view) view = self ? load_view(self, NULL) : NULL;
    return self && net_log_suggest(self, view ? &view->rules : NULL, call->json, error) ? 0 : -1;
}

static int check_network(const struct command_call *call, GError **error)
{
    const net_check_rules rules = {options_list(net_given.allow), options_list(net_given.deny),
                                   net_given.rules};
    return net_check(&rules, call->operands, call->json, error);
}

static const struct command_verb net_verbs[] = {
    {"rules", "[PROJECT]", 0, 1, show_rules, "list the rules, and where each comes from",
     COMMAND_JSON, COMPLETE_PROJECT_OR_BRANCH},
    {"why",
     "[PROJECT] HOST[:PORT]",
     1,
     2,
     why,
     "say which rule decides about HOST, and what would change it",
     COMMAND_JSON,
     COMPLETE_PROJECT_OR_BRANCH,
     {COMPLETE_FREE_TEXT}},
    {"check", "HOST[:PORT]…", 1, COMMAND_NO_LIMIT, check_network,
     "test a list of rules without a box", COMMAND_JSON, COMPLETE_FREE_TEXT},
    {"allow",
     "[PROJECT] RULE",
     1,
     2,
     allow,
     "let the box reach RULE, from now on",
     0,
     COMPLETE_PROJECT_OR_BRANCH,
     {COMPLETE_FREE_TEXT}},
    {"deny",
     "[PROJECT] RULE|ID",
     1,
     2,
     deny_host,
     "keep the box from reaching RULE, from now on; refuse the question ID",
     0,
     COMPLETE_PROJECT_OR_BRANCH,
     {COMPLETE_FREE_TEXT}},
    {"pending", "", 0, 0, pending_hosts, "show the questions of boxes that wait for you",
     COMMAND_JSON},
    {"approve",
     "ID [CHOICE]",
     1,
     2,
     approve_host,
     "let a box connect: once, box (until it stops) or always",
     0,
     COMPLETE_QUESTIONS,
     {COMPLETE_CHOICES}},
    {"forget",
     "[PROJECT] RULE",
     1,
     2,
     forget_rules,
     "take an answer of allow or deny back",
     0,
     COMPLETE_PROJECT_OR_BRANCH,
     {COMPLETE_NET_RULES}},
    {"log", "[PROJECT]", 0, 1, show_network_log, "list what was let out, and what was refused",
     COMMAND_JSON, COMPLETE_PROJECT_OR_BRANCH},
    {"top", "[PROJECT]", 0, 1, top, "show its connections, and how fast they are, until Ctrl-C",
     COMMAND_JSON, COMPLETE_PROJECT_OR_BRANCH},
    {"suggest", "[PROJECT]", 0, 1, suggest, "print rules for what was refused or audited",
     COMMAND_JSON, COMPLETE_PROJECT_OR_BRANCH},
    {0},
};

const struct command command_net = {
    .name = "net",
    .group = GROUP_WORK,
    .verbs = net_verbs,
    .summary = "look at and change what a box reaches over the network",
    .details =
        "RULE is NAME (port 443), *.NAME, ADDRESS, NETWORK/BITS or host, and perhaps :PORT; or "
        "@GROUP.\n"
        "For some requests alone it is \"METHOD NAME\", NAME/PATH or both; * is a part, ** a rest.\n"
        "A rule that denies wins. A change holds at once, and at every start.\n"
        "'box net why' exits with 0 if HOST is allowed, and with 1 if it is not; 'box net check' "
        "with\n0 if all are.",
    .options = net_options,
    .flags = COMMAND_VERB_OPTIONAL,
};
