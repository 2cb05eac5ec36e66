/*
 * A Wayland security context: a socket whose clients the compositor treats as sandboxed. It does
 * not offer them its privileged globals (screen capture, virtual input, clipboard managers …).
 *
 * Protocol: security-context-v1 of wayland-protocols (staging). Its two interfaces are written out
 * in security_context.c, because old versions of wayland-protocols do not have its XML.
 */
#pragma once

#include <wayland-client-core.h>

/* Globals of the two data-control protocols (host/bridge/clipboard/data_control.h). */
#define DATA_CONTROL_EXT "ext_data_control_manager_v1"
#define DATA_CONTROL_WLR "zwlr_data_control_manager_v1"

struct security_context;

/* The compositor that $WAYLAND_DISPLAY names; NULL when there is none. */
struct security_context *security_context_connect(void);
void security_context_free(struct security_context *self);

/* Whether the compositor has security contexts. */
int security_context_is_known(const struct security_context *self);
/* Whether it has a data-control protocol. */
int security_context_has_clipboard(const struct security_context *self);

/*
 * Makes the compositor accept sandboxed clients on the listening socket LISTENER, with APP_ID and
 * INSTANCE_ID, until the other end of the pipe CLOSED is closed. Takes over both descriptors. -1
 * when it refuses.
 */
int security_context_listen(struct security_context *self, int listener, int closed,
                            const char *app_id, const char *instance_id);

/* The descriptor to poll for events. */
int security_context_fd(const struct security_context *self);
/* Handles events. -1 when the compositor has ended. */
int security_context_dispatch(struct security_context *self);
