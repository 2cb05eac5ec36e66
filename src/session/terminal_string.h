/*
 * Which strings (OSC, DCS, APC) of a box reach the user's terminal. libc only.
 *
 * A string is judged by its head; then its payload is passed on as it comes. Everything that is not
 * listed is dropped. So are, by intent, whatever the settings are:
 *  - reading the clipboard; text for a key (DECUDK); fonts and macros (DECDLD, DECDMAC); log files
 *    (OSC 46), fonts by name (OSC 50), whose answers held the box's text in several terminals,
 *  - the folder and the marks of prompts (OSC 7, 133, 633, 1337), from which terminals open new
 *    shells on the host or run commands again,
 *  - images that the terminal would read from, or save to, files of the host,
 *  - what a multiplexer would pass on unread (DCS tmux;).
 *
 * Source: xterm's "Control Sequences" (ctlseqs); the manuals of kitty, iTerm2, ConEmu, urxvt.
 */
#pragma once

#include "session/terminal_head.h"

/*
 * Judges the first LENGTH bytes of a string of SELF's kind. HAS_ENDED: there are no more; the
 * verdict is not VERDICT_MORE then. With VERDICT_PASS, SELF and MARKS know what it will do.
 */
enum terminal_verdict terminal_string_judge(struct terminal_string *self,
                                            struct terminal_marks *marks, unsigned allowed,
                                            const char *head, size_t length, int has_ended);

/* Notes what the next part of the payload does. */
void terminal_string_payload(struct terminal_string *self, struct terminal_marks *marks,
                             const char *data, size_t length);
