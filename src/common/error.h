/*
 * The error domain of Litterbox's host programs, and the exit status of each error.
 *
 * A function that can fail takes a GError ** as its last parameter. Each level may prefix what it
 * was doing (g_prefix_error). Only main prints and exits. Messages: lower case, no full stop, the
 * subject in quotes, and what to do next if we know it. Text from a box, a project, an image,
 * Podman or the network must pass through text_safe() (text.h) before it becomes part of a message.
 */
#pragma once

#include <glib.h>

#define BOX_ERROR (box_error_quark())

typedef enum {
    BOX_ERROR_FAILED,      /* Litterbox itself failed: 125 */
    BOX_ERROR_USAGE,       /* invalid command line: 64 */
    BOX_ERROR_UNREACHABLE, /* no Podman service, or it stopped answering: 69 */
    BOX_ERROR_CONFIG,      /* invalid configuration file: 78 */
    BOX_ERROR_UNTRUSTED,   /* the user has not approved what the project file asks for: 78 */
    BOX_ERROR_NOT_FOUND,   /* no such container, image, box or file: 125 */
    BOX_ERROR_CONFLICT,    /* the name is taken, the image is in use: 125 */
    BOX_ERROR_STATE,       /* the container is in a state that does not allow this: 125 */
    BOX_ERROR_BUSY,        /* Podman's database is locked; a retry may help: 125 */
    BOX_ERROR_PROTOCOL,    /* a peer violated its protocol: 125 */
    BOX_ERROR_CANCELLED,   /* the user pressed Ctrl-C: 130 */
} box_error;

GQuark box_error_quark(void);

/* The exit status for ERROR: from sysexits.h if it has a fitting one, else 125, as for errors of
 * other domains. */
int box_error_exit_status(const GError *error);
