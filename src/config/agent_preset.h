/*
 * Presets of AI agents: how an agent is installed, and how it is started in a box. Each is a data
 * file (data_files.h), agents/NAME.toml:
 *
 *     package = "@example/agent"      of npm's registry; or a folder or tarball, absolute, in boxes
 *     install = "…"                   in place of it, for sh: puts bin/PROGRAM and what that needs
 *                                     into the current folder; $VERSION is "version" or empty. A
 *                                     file "version" there may say which one it is
 *     install_network = ["@pypi"]     what that may reach; npm's registry goes without saying
 *     version = "^2.1"                a range or tag of npm's; may be left out
 *     program = "agent"               of the package
 *     network = ["@example"]          what it needs of a filtered network: rules and groups
 *     login = ["~/.agent/login.json"] where it keeps a login; each may be there
 *     login_by = ["secret", "device"] how one logs in: a key of `box secret`, the code of a device,
 *                                     a code to "paste", a page that calls back ("callback"), a
 *                                     "command" of the agent's that asks for a key
 *     home = ["~/.agent"]             what it keeps in the box's home
 *     share = ["~/.agent/commands"]   of that, what [home] share may have several boxes share
 *     pictures = "wl-paste"           the program with which it pastes a picture, when its user
 *                                     presses a key; of a box that may ask for one
 *     arguments = ["--quiet"]         come before the user's; "{project}" in them is its path
 *     env = { AGENT_SETTINGS = "{files}/settings.json" }
 *     [files]                         of the box's root, written before each start into a folder
 *     "settings.json" = "{}"          which is "{files}" in env
 *     "~/.agent/settings.json" = "{}" of the box's user, written where there is none
 *     [no_ask]                        what is added so that it does not ask for what the box
 *     arguments = ["--yes"]           answers; it may have env, too
 *     [ask]                           what is added in its place for `box agent run --ask`
 *     arguments = []
 *
 * All but program, and package or install, may be left out. An unknown key is an error.
 */
#pragma once

#include "common/error.h"

/* Longest name, most entries of one list, longest of these, and bytes of a version. */
#define AGENT_PRESET_NAME_MAX 32
#define AGENT_PRESET_LIST_MAX 64
#define AGENT_PRESET_TEXT_MAX 4096
#define AGENT_PRESET_VERSION_MAX 64
/* What the project's path takes the place of in arguments, escaped as in a string of TOML or JSON:
 * a folder's name ends no string that a preset has begun. */
#define AGENT_PRESET_PROJECT "{project}"
/* What the path of the folder with the preset's files takes the place of in variables. */
#define AGENT_PRESET_FILES "{files}"
/* Added to each start of an agent: NULL-terminated, or NULL. */
typedef struct {
    char **arguments;
    char **env; /* "K=V" */
} agent_preset_start;

typedef struct {
    char *name;
    char *file;              /* that says so */
    char *package, *install; /* one of both; the other is NULL */
    char *program;
    char *version;  /* NULL: the latest */
    char **network; /* this and the next ones: or NULL */
    char **install_network;
    char **login, **home, **share; /* "~/…" */
    char **login_by;
    char *pictures; /* or NULL */
    char **files;   /* "NAME=CONTENT" */
    agent_preset_start always, no_ask, ask;
} agent_preset;

void agent_preset_free(agent_preset *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(agent_preset, agent_preset_free)

/* 1 to AGENT_PRESET_NAME_MAX of a-z, 0-9 and inner "-", a letter first. */
gboolean agent_preset_name_is_valid(const char *name);

/* The preset NAME; BOX_ERROR_NOT_FOUND when there is none, BOX_ERROR_CONFIG when it is wrong. */
agent_preset *agent_preset_read(const char *name, GError **error);
/* Whether there is a preset NAME, which may be wrong; quick, as nothing is read. */
gboolean agent_preset_exists(const char *name);
/* All names, sorted; free with g_strfreev(). */
char **agent_preset_names(void);

/* Parses LENGTH bytes of TEXT as FILE, which has the preset NAME. */
agent_preset *agent_preset_parse(const char *name, const char *file, const char *text, gsize length,
                                 GError **error);

/* What npm is asked to install, "@example/agent@^2.1"; "-" where it is not npm. A new string. */
char *agent_preset_package(const agent_preset *self);
/* PROGRAM with the arguments of SELF for PROJECT, and those of the user, REST (may be NULL); a new
 * list. */
char **agent_preset_command(const agent_preset *self, gboolean asks, const char *program,
                            const char *project, char *const *rest);
/* The folder of the files of SELF, in boxes; a new string. */
char *agent_preset_folder(const agent_preset *self);
/* The variables of SELF, "K=V"; later ones of a name count. A new list. */
char **agent_preset_env(const agent_preset *self, gboolean asks);
