#include "guest/guard/git_config_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/guard/git_config.h"
#include "guest/guard/git_file.h"
#include "guest/guard/protection.h"
#include "guest/guard/tell_caller.h"

static void tell_refusal(const struct guard_request *request, const char *key)
{
    char text[GIT_CONFIG_KEY_ROOM + 160];
    snprintf(text, sizeof text,
             "the git configuration is not changed: '%s' is not one of the settings that a box may "
             "change; set it outside of the box",
             *key ? key : "a line that is malformed");
    guard_tell_caller(request, text);
}

static int is_of_submodule(int folder)
{
    char path[PATH_MAX];
    return guard_folder_path(folder, path) == 0 && strstr(path, "/.git/modules/");
}

static int is_same(const char *text, size_t length, const char *known, size_t known_length)
{
    return known && length == known_length && memcmp(text, known, length) == 0;
}

int guard_git_config_write(const struct guard_request *request, int fd, mode_t mode,
                           const struct guard_place *made, unsigned flags)
{
    char key[GIT_CONFIG_KEY_ROOM];
    size_t length, known_length;
    int error;
    char *text = git_file_read(fd, &length, &error);
    char *known = git_file_read_name(made->folder, made->name, &known_length);
    if (!error && is_of_submodule(made->folder))
        git_config_drop_worktree(text, &length);
    if (!error &&
        !git_config_is_harmless(text, length, known ? known : "", known ? known_length : 0, key)) {
        tell_refusal(request, key);
        error = EROFS;
    }
    int writes = !error && !is_same(text, length, known, known_length);
    if (writes)
        error = git_file_write(made, text, length, mode, NULL);
    if (writes && !error)
        error = git_file_rename(made, flags);
    free(text);
    free(known);
    return error;
}
