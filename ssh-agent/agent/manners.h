/*
 * Which boxes are not listened to for a while, for what they have done: plain policy of the
 * questions, which questions.h tells, without a clock of its own.
 */
#pragma once

#include <glib.h>

typedef struct manners manners;
manners *manners_new(void);
void manners_free(manners *self);

/* NULL, or why BOX is not listened to at NOW: "muted", "cooldown". */
const char *manners_refusal(const manners *self, const char *box, gint64 now);
/* A question of BOX was answered with CHOICE. */
void manners_note_answer(manners *self, const char *box, const char *choice, gint64 now);
/* BOX has taken back a question that was shown. */
void manners_note_left(manners *self, const char *box, gint64 now);
void manners_mute(manners *self, const char *box, gint64 until);
void manners_forget(manners *self, const char *box);
