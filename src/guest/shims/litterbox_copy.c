/*
 * litterbox-copy: the end in the box of `box cp`, in a session with the rights of the box's user.
 *
 *   litterbox-copy send PATH          writes the tree to stdout (tree/tree.h)
 *   litterbox-copy receive PATH NAME  reads it from stdin; stdout gets the answer. Into the folder
 *                                     PATH under NAME, or as PATH where there is no such folder.
 *
 * A PATH is relative to the home; "~/" is the home.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree/tree.h"

static int notes;

static void send_note(void *data, const char *text)
{
    (void)data;
    if (notes++ < TREE_NOTES_MAX)
        (void)tree_write_text(STDOUT_FILENO, TREE_NOTE, text);
}

static const char *below_home(const char *path)
{
    if (path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
        path += path[1] ? 2 : 1;
    return *path ? path : ".";
}

static int fail(const char *path, int error)
{
    char text[TREE_TEXT_MAX];
    snprintf(text, sizeof text, "'%.*s': %s", TREE_TEXT_MAX / 2, path, strerror(error));
    (void)tree_write_text(STDOUT_FILENO, TREE_FAILED, text);
    return 1;
}

static int receive(const char *path, const char *name)
{
    struct tree_receiver to = {.name = name, .any_links = 1, .note = send_note};
    char error[TREE_TEXT_MAX];
    to.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (to.folder < 0) {
        size_t length = strlen(path);
        char *above = strdup(path), *last = strdup(path);
        if (!above || !last)
            return fail(path, ENOMEM);
        if (errno != ENOENT && errno != ENOTDIR)
            return fail(path, errno);
        if (path[length - 1] == '/')
            return fail(path, ENOTDIR);
        to.name = basename(last);
        to.folder = open(dirname(above), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (to.folder < 0)
        return fail(path, errno);
    if (tree_receive(STDIN_FILENO, &to, error) < 0) {
        (void)tree_write_text(STDOUT_FILENO, TREE_FAILED, error);
        return 1;
    }
    return tree_write_text(STDOUT_FILENO, TREE_DONE, "") < 0;
}

int main(int argc, char **argv)
{
    const char *home = getenv("HOME");
    if (!home || chdir(home) < 0)
        return fail(home ? home : "$HOME", home ? errno : ENOENT);
    if (argc == 3 && strcmp(argv[1], "send") == 0)
        return tree_send(STDOUT_FILENO, AT_FDCWD, below_home(argv[2]), 1) < 0;
    if (argc == 4 && strcmp(argv[1], "receive") == 0)
        return receive(below_home(argv[2]), argv[3]);
    fputs("usage: litterbox-copy send PATH | receive PATH NAME\n", stderr);
    return 2;
}
