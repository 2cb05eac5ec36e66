#include "box/notes.h"

#include <fcntl.h>
#include <unistd.h>

static char *note_path(const box *self, const char *note)
{
    return g_build_filename(self->runtime, note, NULL);
}

void note_make(const box *self, const char *note)
{
    g_autofree char *path = note_path(self, note);
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) /* else only what it is there for is lost */
        close(fd);
}

gboolean note_is_there(const box *self, const char *note)
{
    g_autofree char *path = note_path(self, note);
    return access(path, F_OK) == 0;
}

void note_remove(const box *self, const char *note)
{
    g_autofree char *path = note_path(self, note);
    unlink(path);
}
