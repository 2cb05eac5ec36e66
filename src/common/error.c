#include "common/error.h"

/* clang-format off: it would read the dashes as minus signs */
G_DEFINE_QUARK(box - error - quark, box_error)
/* clang-format on */

int box_error_exit_status(const GError *error)
{
    if (!error || error->domain != BOX_ERROR)
        return 125;
    switch ((box_error)error->code) {
    case BOX_ERROR_USAGE:
        return 64; /* EX_USAGE */
    case BOX_ERROR_UNREACHABLE:
        return 69; /* EX_UNAVAILABLE */
    case BOX_ERROR_CONFIG:
    case BOX_ERROR_UNTRUSTED:
        return 78; /* EX_CONFIG */
    case BOX_ERROR_CANCELLED:
        return 130; /* the status that a shell reports for SIGINT */
    case BOX_ERROR_FAILED:
    case BOX_ERROR_NOT_FOUND:
    case BOX_ERROR_CONFLICT:
    case BOX_ERROR_STATE:
    case BOX_ERROR_BUSY:
    case BOX_ERROR_PROTOCOL:
        break;
    }
    return 125;
}
