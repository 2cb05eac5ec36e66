/* What the environment of a session names and its box has not: locales and time zones. */
#pragma once

/*
 * The host's language is passed on, and programs complain of one that the box has not: LANG and
 * LC_ALL become C.UTF-8 then, and other LC_… go. So does a TZ that is no zone of the box's: its
 * /etc/localtime is the host's. A box without folders of locales (musl) or zones is left alone in
 * that. Called in the process that becomes the session, with nothing left to it.
 */
void locale_settle(void);
