#include "box/registry/state_flags.h"

#include <fcntl.h>
#include <unistd.h>

static const char *const names[] = {
    [STATE_FLAG_STOPPING] = "stopping",
    [STATE_FLAG_REMOVING] = "removing",
    [STATE_FLAG_STARTING] = "starting",
    [STATE_FLAG_NO_WINDOWS] = "no-windows",
    [STATE_FLAG_NO_X11] = "no-x11",
    [STATE_FLAG_NO_SOUND] = "no-sound",
    [STATE_FLAG_NO_GPU_ACCESS] = "no-gpu-access",
};
G_STATIC_ASSERT(G_N_ELEMENTS(names) == STATE_FLAG_NO_GPU_ACCESS + 1);

static char *flag_path(const struct box *self, enum state_flag flag)
{
    return g_build_filename(self->runtime, names[flag], NULL);
}

void state_flag_set(const struct box *self, enum state_flag flag)
{
    g_autofree char *path = flag_path(self, flag);
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

gboolean state_flag_is_set(const struct box *self, enum state_flag flag)
{
    g_autofree char *path = flag_path(self, flag);
    return access(path, F_OK) == 0;
}

void state_flag_clear(const struct box *self, enum state_flag flag)
{
    g_autofree char *path = flag_path(self, flag);
    unlink(path);
}
