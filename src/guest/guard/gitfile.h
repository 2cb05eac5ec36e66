/*
 * Files by which git finds a repository elsewhere (gitrepository-layout(5)): ".git" as a file, of
 * submodules and worktrees; "commondir" and "gitdir" of a worktree's folder. Where they lead
 * decides whose configuration git on the host obeys.
 *
 * A box may write those that git makes. They lead into a .git by nothing but "..", which no link
 * can bend, or right below a shared folder; and in a .git there are no links, and each
 * configuration is the guard's own.
 */
#pragma once

#include <stddef.h>

/* gitfile.c: pure functions over hostile bytes. */

/* Bytes of the longest one. */
#define GITFILE_MAX 8192

enum gitfile_kind { GITFILE_GIT, GITFILE_COMMONDIR, GITFILE_GITDIR };

/* The kind of a file called NAME, LENGTH bytes, in any spelling. */
enum gitfile_kind gitfile_kind_of(const char *name, size_t length);
/* 1 when the LENGTH bytes at TEXT are such a file, whole, and harmless. ROOTS: COUNT paths of
 * shared folders. */
int gitfile_is_harmless(enum gitfile_kind kind, const char *text, size_t length,
                        const char *const *roots, int count);

struct guard_place;
struct guard_request;

/*
 * gitfile_write.c: writing such files in a box. Git writes them in place and closes them; nothing
 * else tells that one is whole. So the box gets a file in memory to write to, and as soon as that
 * is whole and harmless, the guard writes it to the name: before it does the next held call of
 * anybody, or when the file is closed. What is not harmless by then is never written, and its
 * writer is told.
 */

/* Before the first worker. COMMON is what each request begins with. An inotify(7) descriptor that
 * tells of closed files, or -1 with errno. */
int guard_gitfile_begin(const struct guard_request *common);
/* open(2) of PLACE, whose role is GIT_FOLDER or GIT_WORKTREE_FILE, for writing: it is no folder. 0
 * and a descriptor in *FD, or an errno. */
int guard_gitfile_open(struct guard_request *request, const struct guard_place *place, int *fd);
/* Writes those that are whole, and gives up those that are closed and not whole. */
void guard_gitfile_settle(void);
/* The same of those that are closed: there was an event. */
void guard_gitfile_closed(void);
