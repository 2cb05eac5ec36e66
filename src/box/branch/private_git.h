/*
 * Git of the host at work in a repository that we make, which no box can reach. There is nothing in
 * its configuration that runs a program, and the user's is not read. What a box has written is data
 * there. For calls in the user's repository, whose own configuration git does read,
 * PRIVATE_GIT_QUIET switches off what that could run. Memory, time and output have limits, as
 * objects may be made to need much.
 */
#pragma once

#include <glib.h>

/* Before the arguments of what is done in a repository of the user's: nothing there is run. */
#define PRIVATE_GIT_QUIET                                                          \
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",          \
        "core.alternateRefsCommand=true", "-c", "transfer.fsckObjects=true", "-c", \
        "fetch.fsckObjects=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false"

typedef struct {
    char *program, *folder;
    const char *repository; /* that is worked on: FOLDER, or another one for single calls */
    int lock;               /* of FOLDER: one process at a time has the repository */
    gint64 deadline;        /* of all calls, by g_get_monotonic_time() */
} private_git;

/*
 * Makes the repository FOLDER anew (absolute, in a folder of ours). It also has the objects of the
 * git folder of PROJECT, which stays as it is. What is fetched is checked as by
 * git-fsck(1), and comes from folders alone. SECONDS: the time for all that is done there, 0: as
 * much as a person waits for; else another process that has the repository is not waited for
 * either. FALSE with ERROR: no git, or no such repository.
 */
gboolean private_git_open(private_git *self, const char *folder, const char *project, int seconds,
                          GError **error);
/* From now on, as after a question: a person may have thought for long. */
void private_git_give_time(private_git *self, int seconds);
/* FALSE with ERROR when that time is over. */
gboolean private_git_has_time(const private_git *self, GError **error);
/* A file of it with TEXT. */
gboolean private_git_write(const private_git *self, const char *name, const char *text,
                           GError **error);
/* Removes it. */
void private_git_close(private_git *self);

/*
 * Runs git with ARGUMENTS, in the folder of the repository. Standard input is IN (-1: nothing), and
 * the output goes to the file OUT, or, when that is -1, to *TEXT, of at most MAX bytes (else it is
 * an error). *STATUS is its exit status; NULL: any but 0 is an error. FALSE with ERROR.
 */
gboolean private_git_run(const private_git *self, const char *const *arguments, int in, int out,
                         GString *text, gsize max, int *status, GError **error);
