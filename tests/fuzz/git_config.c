/*
 * A git configuration that a hostile box wrote, and its names. The input is a configuration; its
 * lines serve as folders and names as well. What is accepted without a known configuration is
 * compared with a second, lenient reading: it has none of the keys by which git runs a program.
 */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/guard/git_config.h"
#include "guest/guard/git_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const harmful[] = {"fsmonitor", "hookspath", "worktree", "sshcommand", "path",
                                      "pager",     "editor",    "command",  "helper",     "driver",
                                      "textconv",  "insteadof", "gitproxy", "uploadpack", "vcs"};

/* TEXT without what git ignores in a key. */
static void check_accepted(const char *text, size_t length)
{
    char *lower = malloc(length + 1);
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    lower[length] = '\0';
    assert(strlen(lower) == length && !strchr(lower, '\\'));
    for (char *rest = lower, *one; (one = strsep(&rest, "\n"));) {
        one += strspn(one, " \t");
        for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
            size_t known = strlen(harmful[i]);
            assert(strncmp(one, harmful[i], known) != 0 || isalnum((unsigned char)one[known]) ||
                   one[known] == '-');
        }
    }
    free(lower);
}

static void check_names(const char *text, size_t length)
{
    char *folder = malloc(length + 2);
    folder[0] = '/';
    memcpy(folder + 1, text, length);
    folder[length + 1] = '\0';
    char *name = strrchr(folder, '/');
    *name++ = '\0';
    enum git_role role = git_names_role(folder, name, strlen(name));
    assert(role <= GIT_FORBIDDEN);
    /* Where nobody can tell the folder, at least as much is refused. */
    enum git_role strictest = git_names_strictest(name, strlen(name));
    for (int change = GIT_MAKES_FOLDER; change <= GIT_MAKES_OTHER; change++)
        assert(!git_names_refuse(role, (enum git_change)change) || role == GIT_FORBIDDEN ||
               git_names_refuse(strictest, (enum git_change)change));
    git_names_below(folder, (const char *const[]){"/home/me", "/"}, 2);
    free(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char key[GIT_CONFIG_KEY_ROOM];
    char *text = malloc(size ? size : 1); /* without a NUL behind it */
    memcpy(text, data, size);
    if (git_config_is_harmless(text, size, "", 0, key)) {
        check_accepted(text, size);
        assert(git_config_is_harmless(text, size, text, size, key));
    }
    git_config_is_harmless(text, size / 2, text + size / 2, size - size / 2, key);
    check_names(text, size);
    free(text);
    return 0;
}
