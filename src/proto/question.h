/*
 * A question to the user, as every program that asks, passes on or shows one has it.
 *
 * box, the desktop helper and the agent build questions; the agent queues them; litterbox-prompt
 * shows them in a window and `box consent pending` on a terminal. Between programs a question is
 * one JSON object. Every receiver reads it with question_parse(), as its texts may come from a box.
 *
 * Texts are made harmless (text_safe() of common/text.h) when they enter a question, by the builder
 * and the parser alike, so renderers show them as they are. Texts that are too long are cut in
 * their middle, apart from an address; everything else that exceeds a limit makes the question
 * invalid.
 *
 * To add a kind of question: add it to QUESTION_KINDS, and its row to question_kinds.c.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "proto/question_answer.h"

/* Longest question in bytes, as JSON. */
#define QUESTION_MAX (64 * 1024)
/* Most items of a list. */
#define QUESTION_KNOWN_MAX 8
#define QUESTION_CLAIMED_MAX 16
#define QUESTION_CHAIN_MAX 32
#define QUESTION_WARNINGS_MAX 4
#define QUESTION_CHOICES_MAX 6
/* QUESTION_KEYS_MAX is in question_answer.h. */

/* Longest texts in bytes, once harmless; longer ones are cut. The window shows what stands above
 * the claims without scrolling, which these limits make possible. */
#define QUESTION_NAME_MAX 64 /* names of boxes, programs and keys, texts of buttons, the phrase */
#define QUESTION_PROJECT_MAX 120
#define QUESTION_HEADLINE_MAX 140
#define QUESTION_SENTENCE_MAX 200 /* verdict, note, warning */
#define QUESTION_LABEL_MAX 32
#define QUESTION_VALUE_MAX 120
#define QUESTION_CLAIM_MAX 1024
/* Longest identifier of a key, which is never cut: it goes back as it came. */
#define QUESTION_ID_MAX 128
/* Longest address, which is never cut either: the user has to see all of it. Browsers and login
 * servers use no longer ones. */
#define QUESTION_ADDRESS_MAX 8192
/* Longest time to answer, in seconds. */
#define QUESTION_TIMEOUT_MAX 3600
/* What a question has unless it sets another one: long enough to read it, short enough that a
 * program in a box does not hang for good when the user is away. */
#define QUESTION_TIMEOUT 60

/* Each needs a row kind_NAME in question_kinds.c: it does not compile without. */
#define QUESTION_KINDS(ROW)                                  \
    ROW(SIGN)     /* sign with an SSH key */                 \
    ROW(SUDO)     /* run a command as root of the box */     \
    ROW(PASSWORD) /* unlock the key store */                 \
    ROW(KEYS)     /* which SSH keys may the box see? */      \
    ROW(OPEN)     /* open a page in the user's browser */    \
    ROW(COPY)     /* replace what the user has copied */     \
    ROW(PASTE)    /* get the picture that he has copied */   \
    ROW(NETWORK)  /* connect to a host of the network */     \
    ROW(APPLY)    /* apply what a project's file asks for */ \
    ROW(VALUE)    /* get the value of a secret */

enum question_kind {
#define QUESTION_KIND_CONSTANT(name) QUESTION_##name,
    QUESTION_KINDS(QUESTION_KIND_CONSTANT)
#undef QUESTION_KIND_CONSTANT
        QUESTION_KIND_COUNT
};

enum question_emblem {
    QUESTION_EMBLEM_KEY,
    QUESTION_EMBLEM_ROOT,
    QUESTION_EMBLEM_LOCK,
    QUESTION_EMBLEM_KEYS,
    QUESTION_EMBLEM_GLOBE,
    QUESTION_EMBLEM_CLIPBOARD,
    QUESTION_EMBLEM_COUNT
};

/* What the window of a question writes to the question's descriptor before it says yes. So nothing
 * else can allow it. */
enum question_gives {
    QUESTION_GIVES_NOTHING,
    QUESTION_GIVES_PICTURE, /* from the clipboard, to a file */
    QUESTION_GIVES_VALUE,   /* that is typed there, to a pipe */
};

/* What is the same for all questions of a kind. */
typedef struct question_traits {
    const char *word;             /* on the wire */
    enum question_emblem emblem;  /* the window's large picture */
    const char *allow, *deny;     /* buttons: allow once, refuse */
    const char *command;          /* of `box`, that answers it, too: "consent" */
    const char *terminal;         /* the last line before "[y/N]"; NULL: no terminal asks it */
    enum question_answer replies; /* ONCE: one of the choices; else PASSWORD or KEYS */
    const char *address_label;    /* "Address"; NULL: the kind has none */
    const char *address_hint;     /* what the address means */
    gboolean may_mute;            /* "Deny and mute" may be offered */
    gboolean may_never;           /* "Never for this box" may be offered */
    gboolean may_last;            /* choices with a scope may be offered */
    gboolean from_clients;        /* the agent takes it over its control socket */
    gboolean waits_for_user; /* without a display it waits for `box consent approve`; else the asker
                                gets QUESTION_ANSWER_NOBODY, and may ask on its terminal */
    gboolean
        limits_itself; /* its asker limits how often, so a refusal makes no other question wait */
    gboolean of_user;  /* the user's own `box` asks it, about no box; none of a box can be of it */
    enum question_gives gives;
    const char *gives_why;  /* "only its window can allow this, as …" */
    gboolean one_at_a_time; /* what asks the same while it is open waits for its answer */
} question_traits;
const question_traits *question_kind_traits(enum question_kind kind);

enum question_verdict {
    QUESTION_VERDICT_NONE,
    QUESTION_VERDICT_VERIFIED,
    QUESTION_VERDICT_UNVERIFIED,
    QUESTION_VERDICT_COUNT
};
/* The word on the wire. */
const char *question_verdict_word(enum question_verdict verdict);

typedef struct question_fact {
    char *label, *value; /* the value may be "" */
    char *detail;        /* a second line; NULL: none */
    char *aside;         /* a word after the value; NULL: none */
} question_fact;
void question_fact_free(gpointer fact);

typedef struct question_program {
    char *name, *command; /* "": unknown */
    gint64 pid, host_pid; /* in the box, on the host; 0: unknown */
} question_program;

typedef struct question_choice {
    enum question_answer answer;
    char *text;
    char *scope; /* what else it allows, for as long as it lasts; NULL: this once */
} question_choice;

typedef struct question_key {
    char *id; /* plain ASCII, such as a fingerprint */
    char *label, *type;
} question_key;

/* Read it; change it through the functions below alone. */
typedef struct question {
    enum question_kind kind;
    char *box, *project, *phrase; /* NULL: none */
    guint32 colour;               /* of the box, 0xRRGGBB */
    char *headline;
    enum question_verdict verdict;
    char *verdict_text, *note;  /* NULL: none */
    char *address;              /* what is opened or reached, in full; NULL: none */
    GPtrArray *known, *claimed; /* of question_fact */
    GPtrArray *chain;           /* of question_program: who asks, outermost last */
    GPtrArray *warnings;        /* of char * */
    GPtrArray *choices;         /* of question_choice */
    GPtrArray *keys;            /* of question_key */
    gboolean mute, never;       /* "Deny and mute", "Never for this box" is offered */
    int timeout;                /* seconds until no answer is a refusal */
    int descriptor;             /* goes beside the JSON (gives), closed with it; -1: none */
    GError *invalid;            /* the first limit that was exceeded; NULL: none */
} question;

/*
 * The builder copies all texts. NULL and "" are the same: no text. A call that exceeds a limit
 * makes the question invalid; question_check() says so, so that callers check once, at the end.
 */
question *question_new(enum question_kind kind, const char *box, const char *project);
void question_free(question *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(question, question_free)

void question_set_headline(question *self, const char *text);
void question_set_verdict(question *self, enum question_verdict verdict, const char *text);
void question_set_note(question *self, const char *text);
void question_set_address(question *self, const char *text);
/* What no box knows, so that the user recognises our window: PHRASE and the box's COLOUR
 * (0xRRGGBB). */
void question_set_identity(question *self, const char *phrase, guint32 colour);
/* Each does nothing for a kind that may not have it. */
void question_offer_mute(question *self);
void question_offer_never(question *self);
/* A value out of range sets QUESTION_TIMEOUT. */
void question_set_timeout(question *self, gint64 seconds);
/* FD is taken over. */
void question_set_descriptor(question *self, int fd);
/* Adds a fact that Litterbox has checked. */
void question_add_known(question *self, const char *label, const char *value, const char *detail,
                        const char *aside);
/* Adds a fact that the box claims, which may be false. */
void question_add_claim(question *self, const char *label, const char *value, const char *detail,
                        const char *aside);
void question_add_program(question *self, const char *name, const char *command, gint64 pid,
                          gint64 host_pid);
void question_add_warning(question *self, const char *text);
/* TEXT NULL: the kind's, or the answer's, own words. */
void question_add_choice(question *self, enum question_answer answer, const char *text,
                         const char *scope);
void question_add_key(question *self, const char *id, const char *label, const char *type);

/* FALSE with BOX_ERROR_PROTOCOL when a limit was exceeded, or something is missing that questions
 * of this kind must have. */
gboolean question_check(const question *self, GError **error);

/* TRUE when ANSWER allows what SELF asks: one of its choices, or the password or keys. */
gboolean question_allows(const question *self, enum question_answer answer);
/* TRUE when the user's or a prompt's ANSWER fits the question: it allows, or refuses. */
gboolean question_accepts(const question *self, enum question_answer answer);

/*
 * JSON. question_to_json() returns a new reference. question_dump() returns a new string; NULL with
 * BOX_ERROR_PROTOCOL when SELF is invalid or its JSON is longer than QUESTION_MAX.
 *
 * The others return NULL with BOX_ERROR_PROTOCOL for everything that is not a valid question.
 * question_parse() and question_read(), which reads FD to its end, also refuse more than
 * QUESTION_MAX bytes.
 */
json_t *question_to_json(const question *self);
char *question_dump(const question *self, GError **error);
question *question_from_json(const json_t *root, GError **error);
question *question_parse(const char *text, gsize length, GError **error);
question *question_read(int fd, GError **error);
