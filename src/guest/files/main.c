/*
 * litterbox-files: the file tools of `box mcp` (mcp/tool_files.c), in a session with the rights of
 * the box's user.
 *
 *   litterbox-files read|write|edit|list|search PROJECT PATH ARGUMENT…   (guest/files/files.h)
 *
 * The answer goes to stdout, as fields that end with NUL. A failure is exit status 1, with an errno
 * and a text on stderr in the same form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/files/files.h"
#include "sys/crash.h"

static const struct {
    const char *name;
    int arguments;
    void (*run)(int top, const char *path, char **argv);
} operations[] = {
    {"read", 3, files_read}, {"write", 1, files_write},   {"edit", 2, files_edit},
    {"list", 3, files_list}, {"search", 4, files_search},
};

unsigned long files_number(const char *text)
{
    return strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    crash_handler_install("litterbox-files", NULL);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (argc != 4 + operations[i].arguments || strcmp(argv[1], operations[i].name) != 0)
            continue;
        operations[i].run(place_project(argv[2]), argv[3], argv + 4);
        return fflush(stdout) != 0;
    }
    fputs("usage: litterbox-files read|write|edit|list|search PROJECT PATH ARGUMENT…\n", stderr);
    return 2;
}
