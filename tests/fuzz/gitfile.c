/*
 * A file by which a hostile box leads git to a repository. The first byte says which one. What is
 * accepted goes up, or to a root, then into a .git and never out again.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/guard/git_config.h"
#include "guest/guard/gitfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const roots[] = {"/home/me/shop", "/home/me/main/.git"};

static void check_gitfile(const char *text)
{
    const char *git = strstr(text, "/.git/");
    assert(strncmp(text, "gitdir: ", 8) == 0 && git);
    assert(!strstr(git, "/../") && !strstr(git, "//"));
    assert(strncmp(text + 8, "../", 3) == 0 || strncmp(text + 8, "/home/me/shop/.git/", 19) == 0 ||
           strncmp(text + 8, "/home/me/main/.git/", 19) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    enum gitfile_kind kind = (enum gitfile_kind)(data[0] % 3);
    size_t length = size - 1;
    char *text = malloc(length + 1), *exact = malloc(length ? length : 1);
    memcpy(text, data + 1, length);
    memcpy(exact, data + 1, length); /* without a NUL behind it */
    text[length] = '\0';
    if (gitfile_is_harmless(kind, exact, length, roots, 2)) {
        assert(strlen(text) == length && !strchr(text, '\r'));
        if (kind == GITFILE_GIT)
            check_gitfile(text);
        else if (kind == GITFILE_COMMONDIR)
            assert(strncmp(text, "../..", 5) == 0 && length <= 6);
    }
    gitfile_kind_of(exact, length);
    size_t left = length;
    git_config_drop_worktree(exact, &left);
    assert(left <= length);
    free(text);
    free(exact);
    return 0;
}
