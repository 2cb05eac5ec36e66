/* The table of all kinds of questions. */
#include "proto/question.h"

static const question_traits kind_SIGN = {.word = "sign",
                                          .emblem = QUESTION_EMBLEM_KEY,
                                          .allow = "Allow once",
                                          .deny = "Deny",
                                          .command = "consent",
                                          .replies = QUESTION_ANSWER_ONCE,
                                          .may_mute = TRUE,
                                          .may_last = TRUE,
                                          .waits_for_user = TRUE};

static const question_traits kind_SUDO = {.word = "sudo",
                                          .emblem = QUESTION_EMBLEM_ROOT,
                                          .allow = "Allow once",
                                          .deny = "Deny",
                                          .command = "consent",
                                          .terminal = "Allow it?",
                                          .replies = QUESTION_ANSWER_ONCE,
                                          .may_mute = TRUE,
                                          .from_clients = TRUE};

static const question_traits kind_PASSWORD = {.word = "password",
                                              .emblem = QUESTION_EMBLEM_LOCK,
                                              .allow = "Unlock",
                                              .deny = "Cancel",
                                              .command = "consent",
                                              .replies = QUESTION_ANSWER_PASSWORD};

static const question_traits kind_KEYS = {.word = "keys",
                                          .emblem = QUESTION_EMBLEM_KEYS,
                                          .allow = "Attach",
                                          .deny = "No keys",
                                          .command = "consent",
                                          .replies = QUESTION_ANSWER_KEYS};

static const question_traits kind_OPEN = {.word = "open",
                                          .emblem = QUESTION_EMBLEM_GLOBE,
                                          .allow = "Open",
                                          .deny = "Deny",
                                          .command = "consent",
                                          .replies = QUESTION_ANSWER_ONCE,
                                          .address_label = "Address",
                                          .address_hint = "Opened exactly as it stands here",
                                          .may_mute = TRUE,
                                          .from_clients = TRUE};

static const question_traits kind_COPY = {.word = "copy",
                                          .emblem = QUESTION_EMBLEM_CLIPBOARD,
                                          .allow = "Replace",
                                          .deny = "Deny",
                                          .command = "consent",
                                          .replies = QUESTION_ANSWER_ONCE,
                                          .may_mute = TRUE,
                                          .from_clients = TRUE};

static const question_traits kind_PASTE = {.word = "paste",
                                           .emblem = QUESTION_EMBLEM_CLIPBOARD,
                                           .allow = "Allow once",
                                           .deny = "Deny",
                                           .command = "consent",
                                           .replies = QUESTION_ANSWER_ONCE,
                                           .may_mute = TRUE,
                                           .from_clients = TRUE,
                                           .gives = QUESTION_GIVES_PICTURE,
                                           .gives_why = "it reads your clipboard",
                                           .one_at_a_time = TRUE};

static const question_traits kind_NETWORK = {.word = "network",
                                             .emblem = QUESTION_EMBLEM_GLOBE,
                                             .allow = "Allow once",
                                             .deny = "Deny",
                                             .command = "net",
                                             .replies = QUESTION_ANSWER_ONCE,
                                             .address_label = "Address",
                                             .address_hint = "This name and port, and no other",
                                             .may_never = TRUE,
                                             .may_last = TRUE,
                                             .from_clients = TRUE,
                                             .waits_for_user = TRUE,
                                             .limits_itself = TRUE};

static const question_traits kind_APPLY = {.word = "apply",
                                           .emblem = QUESTION_EMBLEM_LOCK,
                                           .allow = "Apply",
                                           .deny = "Deny",
                                           .command = "consent",
                                           .replies = QUESTION_ANSWER_ONCE,
                                           .may_mute = TRUE,
                                           .from_clients = TRUE};

static const question_traits kind_VALUE = {.word = "value",
                                           .emblem = QUESTION_EMBLEM_LOCK,
                                           .allow = "Store",
                                           .deny = "Cancel",
                                           .command = "consent",
                                           .replies = QUESTION_ANSWER_ONCE,
                                           .address_label = "Hosts",
                                           .address_hint = "They get it, and nobody else",
                                           .from_clients = TRUE,
                                           .of_user = TRUE,
                                           .gives = QUESTION_GIVES_VALUE,
                                           .gives_why = "the value is typed there",
                                           .one_at_a_time = TRUE};

#define ROW_OF(name) [QUESTION_##name] = &kind_##name,
static const question_traits *const kinds[] = {QUESTION_KINDS(ROW_OF)};
#undef ROW_OF

static const char *const verdicts[] = {
    [QUESTION_VERDICT_NONE] = "none",
    [QUESTION_VERDICT_VERIFIED] = "verified",
    [QUESTION_VERDICT_UNVERIFIED] = "unverified",
};
G_STATIC_ASSERT(G_N_ELEMENTS(verdicts) == QUESTION_VERDICT_COUNT);

const question_traits *question_kind_traits(enum question_kind kind)
{
    return kinds[kind];
}

const char *question_verdict_word(enum question_verdict verdict)
{
    return verdicts[verdict];
}
