/*
 * A Wayland socket for one box, whose clients the compositor knows to be sandboxed: it offers them
 * none of its privileged globals (screen capture, virtual input, clipboard managers …).
 *
 * Source: security-context-v1 of wayland-protocols (staging). Its two interfaces are written out in
 * security_context.c, because older wayland-protocols have not got its XML.
 */
#pragma once

#include <wayland-client-core.h>

struct security_context;

/* The compositor that $WAYLAND_DISPLAY names; NULL when there is none. */
struct security_context *security_context_connect(void);
void security_context_free(struct security_context *self);

/* FALSE (0) when the compositor does not know of security contexts. */
int security_context_is_known(const struct security_context *self);
/* Whether it lets programs that are not sandboxed share its clipboard
 * (host/bridge/clipboard/data_control.h).
 */
int security_context_has_clipboard(const struct security_context *self);

/*
 * Has the compositor accept clients on the listening socket LISTENER, as APP_ID and INSTANCE_ID
 * of Litterbox, until the other end of the pipe CLOSED is gone. Takes both descriptors. 0, or -1
 * when it refused.
 */
int security_context_listen(struct security_context *self, int listener, int closed,
                            const char *app_id, const char *instance_id);

/* To be polled; readable when the compositor has something to say, or has ended. */
int security_context_fd(const struct security_context *self);
/* Reads what it says. -1 when it has ended. */
int security_context_dispatch(struct security_context *self);
