/*
 * The one error domain of Litterbox's host programs, and what each error means as an exit status.
 *
 * A function that can fail takes a GError ** last. Each level may put what it was doing in front
 * (g_prefix_error). Only main prints and exits. Messages: lower case, no full stop, the subject in
 * quotes, and what to do where we know it. Text that came from a box, a project, an image, Podman
 * or the network goes into a message only through text_safe() (text.h).
 */
#pragma once

#include <glib.h>

#define BOX_ERROR (box_error_quark())

typedef enum {
    BOX_ERROR_FAILED,      /* ours failed: 125 */
    BOX_ERROR_USAGE,       /* a command line that makes no sense: 64 */
    BOX_ERROR_UNREACHABLE, /* no Podman service, or it stopped answering: 69 */
    BOX_ERROR_CONFIG,      /* a configuration file is wrong: 78 */
    BOX_ERROR_UNTRUSTED,   /* the project file wants what the user has not approved: 78 */
    BOX_ERROR_NOT_FOUND,   /* no such container, image, box or file: 125 */
    BOX_ERROR_CONFLICT,    /* the name is taken, the image is in use: 125 */
    BOX_ERROR_STATE,       /* the container is in a state that does not allow this: 125 */
    BOX_ERROR_BUSY,        /* Podman's database is locked; trying again may help: 125 */
    BOX_ERROR_PROTOCOL,    /* a peer sent something that breaks its protocol: 125 */
    BOX_ERROR_CANCELLED,   /* the user pressed Ctrl-C: 130 */
} box_error;

GQuark box_error_quark(void);

/* The exit status (sysexits.h where it has one) that ERROR stands for; 125 for foreign domains. */
int box_error_exit_status(const GError *error);
