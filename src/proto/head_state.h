/* What the first bytes of a connection are, as far as they have come. */
#pragma once

enum head_state {
    HEAD_INCOMPLETE, /* so far they may become a head */
    HEAD_COMPLETE,
    HEAD_WRONG,
};
