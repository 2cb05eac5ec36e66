/*
 * The default of protect.paths: files of the project that programs on the *host* run or obey
 * without being told to, when a folder is entered, opened in an editor, or committed, or when a
 * harmless command is called there (docs/host-tools.md). The box cannot write them, whether they
 * exist or not. Not in the list: files that run only when the user starts them by name (Makefile,
 * package.json, build scripts), and instructions for agents (AGENTS.md). litterbox.toml is always
 * protected. Where .git/config is protected, plan/request_git.c adds the rest of git's
 * configuration (work trees, submodules).
 *
 * The list has whole folders of agents and editors, not single files in them: a folder that does
 * not exist can be shown as an empty one, which these programs accept.
 */
#pragma once

/* lefthook's formats. */
#define LEFTHOOK(P, name, why)  \
    P(name ".yml", why)         \
    P(name ".yaml", "the same") \
    P(name ".toml", "the same") \
    P(name ".json", "the same") \
    P(name ".jsonc", "the same")

#define PROTECT_PATHS(P)                                                                         \
    P(".git/hooks", "git runs them")                                                             \
    P(".git/config", "names programs that git runs: pager, fsmonitor, filters, aliases")         \
    P(".husky", "git hooks of JavaScript projects")                                              \
    P(".pre-commit-config.yaml", "commands that the pre-commit hook runs")                       \
    LEFTHOOK(P, "lefthook", "commands that lefthook's hooks run")                                \
    LEFTHOOK(P, ".lefthook", "the same under its hidden name")                                   \
    LEFTHOOK(P, "lefthook-local", "your own part of it")                                         \
    LEFTHOOK(P, ".lefthook-local", "the same under its hidden name")                             \
    LEFTHOOK(P, ".config/lefthook", "lefthook's third place")                                    \
    LEFTHOOK(P, ".config/lefthook-local", "your own part there")                                 \
    P(".lefthook", "scripts that lefthook's hooks run")                                          \
    P(".lefthook-local", "your own scripts for them")                                            \
    P(".envrc", "direnv runs it when the folder is entered")                                     \
    P("mise.toml", "mise runs its hooks when the folder is entered")                             \
    P(".mise.toml", "the same under its hidden name")                                            \
    P("mise.local.toml", "your own part of it")                                                  \
    P(".mise.local.toml", "the same under its hidden name")                                      \
    P("mise", "mise's configuration as a folder")                                                \
    P(".mise", "the same under its hidden name")                                                 \
    P(".config/mise", "mise's third place")                                                      \
    P(".config/mise.toml", "the same as a single file")                                          \
    P(".config/mise.local.toml", "your own part of it")                                          \
    P(".miserc.toml", "which other configurations mise takes: mise.NAME.toml")                   \
    P(".miserc.local.toml", "your own part of it")                                               \
    P(".config/miserc.toml", "the same in its other place")                                      \
    P(".tool-versions", "programs that mise and asdf run in place of those in $PATH")            \
    P("rust-toolchain.toml", "rustup runs the compiler in the folder that it names")             \
    P("rust-toolchain", "the same under its old name")                                           \
    P(".cargo/config.toml", "names programs that cargo runs, even to list what a project needs") \
    P(".cargo/config", "the same under its old name")                                            \
    P(".npmrc", "where npm writes, what it runs, and which server gets your variables")          \
    P(".yarnrc.yml", "names the yarn that runs in place of yours")                               \
    P(".yarnrc", "the same for Yarn 1")                                                          \
    P(".yarn/releases", "the yarn that it names")                                                \
    P(".yarn/plugins", "code that each call of yarn loads")                                      \
    P(".corepack.env", "which server corepack gets yarn and pnpm from, and with which check")    \
    P(".mvn", "options and extensions of the Java that each call of mvn starts")                 \
    P(".mc.menu", "commands in the menu of Midnight Commander")                                  \
    P(".vscode", "tasks and settings that run programs when the folder is opened")               \
    P(".idea", "run configurations and startup tasks of JetBrains editors")                      \
    P(".zed", "tasks and language servers of Zed")                                               \
    P(".helix", "language servers of Helix")                                                     \
    P(".exrc", "Vim and Neovim run it where exrc is set")                                        \
    P(".vimrc", "Vim runs it where exrc is set")                                                 \
    P("_vimrc", "the same under its other name")                                                 \
    P(".gvimrc", "gVim runs it where exrc is set")                                               \
    P("_gvimrc", "the same under its other name")                                                \
    P(".nvim.lua", "Neovim runs it where exrc is set")                                           \
    P(".nvimrc", "Neovim runs it where exrc is set")                                             \
    P(".devcontainer", "its initializeCommand runs on the host")                                 \
    P(".devcontainer.json", "the same as a single file")                                         \
    P(".claude", "hooks, commands and permissions of Claude Code")                               \
    P(".mcp.json", "servers that agents start")                                                  \
    P(".cursor", "servers, hooks and permissions of Cursor")                                     \
    P(".gemini", "servers, commands and settings of Gemini CLI")                                 \
    P(".codex", "servers and settings of Codex")                                                 \
    P(".opencode", "plugins, commands and tools of opencode")                                    \
    P("opencode.json", "servers, formatters and permissions of opencode")                        \
    P("opencode.jsonc", "the same with comments")                                                \
    P(".qwen", "servers, commands and settings of Qwen Code")                                    \
    P(".aider.conf.yml", "commands that Aider runs to test and lint")                            \
    P(".crushrc", "Crush runs it when it starts")                                                \
    P("crushrc", "the same under its other name")                                                \
    P(".crush.json", "servers and permissions of Crush")                                         \
    P("crush.json", "the same under its other name")

/* The list as TOML, one entry a line with its reason. */
#define PROTECT_ENTRY(path, why) "    \"" path "\", # " why "\n"
#define PROTECT_TOML "[\n" PROTECT_PATHS(PROTECT_ENTRY) "]"
