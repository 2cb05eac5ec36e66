/*
 * The desktop portal of a box, and its notification service: litterbox-portal, which the box's own
 * bus starts when somebody calls it (dbus/services).
 *
 * Programs look for these where there is a desktop, and would find nobody in a box. What leaves the
 * box is what its xdg-open and notify-send say as well, an "open" or a "notify" to the bridge
 * (proto/desktop_request.h), where policy, question and limits are: nothing here is trusted by
 * anybody outside, and who takes these names away from us has taken them from the box alone.
 *
 *   org.freedesktop.portal.OpenURI       pages and mails; no files (they are the box's)
 *   org.freedesktop.portal.Notification  title and body
 *   org.freedesktop.portal.Settings      light or dark (scheme.h)
 *   org.freedesktop.Notifications        what most programs call: title and body
 *
 * There is no FileChooser on purpose. A portal's chooser shows files that the program itself cannot
 * see, and hands one over. A box has no such files to hand over: the dialog that programs make
 * themselves where there is no portal shows the project and the box's home, all that there is, so
 * it is limited to these already; and a chooser of the host would have to be kept from showing
 * more.
 */
#pragma once

#include "guest/portal/reply.h"

/* CALL's body is known to be as the method's `in` says. */
typedef void method_function(const struct caller *caller, const struct message *call);

struct method {
    const char *name, *in, *out; /* signatures */
    method_function *function;
};

struct interface {
    const char *path; /* of its object; with "/" at its end, of all below; NULL: of every one */
    const char *name;
    uint32_t version;             /* its property; 0: it has none */
    const struct method *methods; /* up to one without a name */
};

/* All of them, up to a NULL. */
extern const struct interface *const interfaces[];

/* TRUE (1) when SELF is an interface of the object at PATH. */
int interface_is_at(const struct interface *self, const char *path);

/* What came over the bus: a call is answered, now or later. */
void portal_take(const struct message *message);

#define PORTAL_PATH "/org/freedesktop/portal/desktop"
#define PORTAL_REQUESTS PORTAL_PATH "/request/"
#define PORTAL_NOT_ALLOWED "org.freedesktop.portal.Error.NotAllowed"
#define PORTAL_NOT_FOUND "org.freedesktop.portal.Error.NotFound"
#define PORTAL_FAILED "org.freedesktop.portal.Error.Failed"

extern const struct interface open_interface, request_interface; /* open.c */
extern const struct interface notification_interface;            /* notify.c */
extern const struct interface notifications_interface;           /* notify.c */
extern const struct interface settings_interface;                /* settings.c */
extern const struct interface properties_interface;              /* describe.c */
extern const struct interface introspectable_interface;          /* describe.c */
extern const struct interface peer_interface;                    /* describe.c */
