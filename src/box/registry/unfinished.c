#include "box/registry/unfinished.h"

#include <unistd.h>

#include "common/paths.h"

gboolean unfinished_is_there(void)
{
    static const char *const records[] = {UNFINISHED_RENAME, UNFINISHED_CLONE, UNFINISHED_TAKE,
                                          UNFINISHED_RESTORE};
    for (gsize i = 0; i < G_N_ELEMENTS(records); i++) {
        g_autofree char *path = paths_data(records[i]);
        if (access(path, F_OK) == 0)
            return TRUE;
    }
    return FALSE;
}
