/*
 * Files by which git finds a repository elsewhere (gitrepository-layout(5)): ".git" as a file, of
 * submodules and worktrees; "commondir" and "gitdir" of a worktree's folder. Where they lead
 * decides whose configuration git on the host obeys. Pure functions over hostile bytes.
 *
 * A box may write those that git makes. They lead into a .git by nothing but "..", which no link
 * can bend, or right below a shared folder; and in a .git there are no links, and each
 * configuration is the guard's own.
 */
#pragma once

#include <stddef.h>

/* Bytes of the longest one. */
#define GITFILE_MAX 8192

enum gitfile_kind { GITFILE_GIT, GITFILE_COMMONDIR, GITFILE_GITDIR };

/* The kind of a file called NAME, LENGTH bytes, in any spelling. */
enum gitfile_kind gitfile_kind_of(const char *name, size_t length);
/* 1 when the LENGTH bytes at TEXT are such a file, whole, and harmless. ROOTS: COUNT paths of
 * shared folders. */
int gitfile_is_harmless(enum gitfile_kind kind, const char *text, size_t length,
                        const char *const *roots, int count);
