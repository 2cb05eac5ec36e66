/*
 * The default of protect.paths: what is in the project and *runs on the host* later without being
 * asked for: when a folder is entered, opened in an editor, or committed. Read-only inside the box,
 * where they exist and where they do not. Left out on purpose: what runs only when the user starts
 * it by name (Makefile, package.json, build scripts), and agents' plain instructions (AGENTS.md).
 * litterbox.toml itself is always protected and stands in no list; nor does the rest of git's own
 * configuration (work trees, submodules), which plan/git.c adds where .git/config is protected.
 *
 * Whole folders of agents and editors rather than single files in them: a folder that does not
 * exist can be shown as an empty one, which their programs understand.
 */
#pragma once

#define PROTECT_PATHS(P)                                                                 \
    P(".git/hooks", "git runs them")                                                     \
    P(".git/config", "names programs that git runs: pager, fsmonitor, filters, aliases") \
    P(".husky", "git hooks of JavaScript projects")                                      \
    P(".pre-commit-config.yaml", "commands that the pre-commit hook runs")               \
    P("lefthook.yml", "commands that lefthook's hooks run")                              \
    P(".envrc", "direnv runs it when the folder is entered")                             \
    P("mise.toml", "mise runs its hooks when the folder is entered")                     \
    P(".mise.toml", "the same under its other name")                                     \
    P(".vscode", "tasks and settings that run programs when the folder is opened")       \
    P(".idea", "run configurations and startup tasks of JetBrains editors")              \
    P(".zed", "tasks and language servers of Zed")                                       \
    P(".helix", "language servers of Helix")                                             \
    P(".exrc", "Vim and Neovim run it where exrc is set")                                \
    P(".nvim.lua", "Neovim runs it where exrc is set")                                   \
    P(".devcontainer", "its initializeCommand runs on the host")                         \
    P(".devcontainer.json", "the same as a single file")                                 \
    P(".claude", "hooks, commands and permissions of Claude Code")                       \
    P(".mcp.json", "servers that agents start")                                          \
    P(".cursor", "servers, hooks and permissions of Cursor")                             \
    P(".gemini", "servers, commands and settings of Gemini CLI")                         \
    P(".codex", "servers and settings of Codex")

/* The list as TOML, one entry a line with its reason. */
#define PROTECT_ENTRY(path, why) "    \"" path "\", # " why "\n"
#define PROTECT_TOML "[\n" PROTECT_PATHS(PROTECT_ENTRY) "]"
