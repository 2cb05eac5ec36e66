/*
 * The desktop portal and the notification service of a box: litterbox-portal, which the box's own
 * session bus starts when a program calls it (dbus/services).
 *
 *   org.freedesktop.portal.OpenURI       web pages and mail addresses; no files (they are the
 * box's) org.freedesktop.portal.Notification  title and body org.freedesktop.portal.Settings light
 * or dark org.freedesktop.Notifications        what most programs call: title and body
 *
 * The portal sends the same requests to the bridge as the box's xdg-open and notify-send do
 * (proto/desktop_request.h). Policy, questions to the user and limits are there. Nobody outside of
 * the box trusts this program, and a program that takes over its bus names gains nothing.
 *
 * There is no FileChooser. A portal's chooser lets a program open files that it cannot see itself,
 * and a box must not get any. Without the portal programs show their own file dialog, which has all
 * the files of the box.
 */
#pragma once

#include <poll.h>

#include "guest/portal/bus.h"
#include "proto/desktop_request.h"

/* Longest name on a bus, with its NUL (D-Bus Specification, "Valid Names"). */
#define CALLER_MAX 256

/* Who called a method. */
struct caller {
    char name[CALLER_MAX];
    uint32_t serial; /* of the call; 0: no reply is wanted */
};

/* Begins a reply; the caller then writes its body, as SIGNATURE says, into the result. */
struct dbus_writer *reply_begin(const struct caller *to, const char *signature);
void reply_end(const struct caller *to);
/* Whole replies: without a body, the error ERROR with SENTENCE, InvalidArgs. */
void reply_empty(const struct caller *to);
void reply_error(const struct caller *to, const char *error, const char *sentence);
void reply_invalid_arguments(const struct caller *to);

#define PORTAL_PATH "/org/freedesktop/portal/desktop"
#define PORTAL_REQUESTS PORTAL_PATH "/request/"
#define PORTAL_NOT_ALLOWED "org.freedesktop.portal.Error.NotAllowed"
#define PORTAL_NOT_FOUND "org.freedesktop.portal.Error.NotFound"
#define PORTAL_FAILED "org.freedesktop.portal.Error.Failed"
#define BUS_INVALID_ARGUMENTS "org.freedesktop.DBus.Error.InvalidArgs"

/* The signature of CALL is that of the method. */
typedef void method_function(const struct caller *caller, const struct dbus_message *call);

struct method {
    const char *name, *in, *out; /* signatures */
    method_function *function;
};

struct interface {
    const char *path; /* of its object; with "/" at the end: all objects below; NULL: all objects */
    const char *name;
    uint32_t version;             /* its property "version"; 0: it has none */
    const struct method *methods; /* the last one has no name */
};

/* The interfaces of the portal. */
extern const struct interface open_uri_interface, request_interface; /* open_uri.c */
extern const struct interface portal_notification_interface;         /* notifications.c */
extern const struct interface notifications_interface;               /* notifications.c */
extern const struct interface settings_interface;                    /* settings.c */

/* Handles a message from the bus. A call is answered now or later. */
void portal_handle(const struct dbus_message *message);

/* The preference in TEXT, a settings.ini of GTK: 1 for dark, 0 for light, -1 for none. */
int settings_prefer_dark(const char *text);

/* Requests to the bridge (proto/desktop_request.h) that it has not answered yet. */

/* Most requests at a time; the bridge accepts fewer. */
#define PENDING_REQUESTS_MAX 16
#define PENDING_REQUEST_HANDLE_MAX 512

struct pending_request {
    /* Called once with the answer, unless the request is dropped. */
    void (*done)(const struct pending_request *self, const struct desktop_answer *answer);
    struct caller caller;
    char handle[PENDING_REQUEST_HANDLE_MAX]; /* path of the portal's Request object; "": none */
    uint32_t number;                         /* of the notification */
    /* State, of this module: */
    int fd; /* 0: unused slot */
    int64_t until;
};

/* Sends TEXTS to the bridge for a copy of WHAT. When that fails, DONE is called at once. */
void pending_request_begin(const struct pending_request *what, const char *const *texts);
/* Drops the request with HANDLE that the bus name NAME began. 0, or -1: there is none. */
int pending_request_drop(const char *handle, const char *name);

/* Fills in what to wait for, at most PENDING_REQUESTS_MAX entries, and returns how many.
 * *TIMEOUT: milliseconds for poll(2), or -1. */
int pending_requests_poll(struct pollfd *polls, int *timeout);
/* After poll(2): ends the requests that are answered or have timed out. */
void pending_requests_serve(const struct pollfd *polls, int count);
