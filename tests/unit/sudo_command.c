/* What box-init shows of a command that sudo asks about, and runs after a yes. */
#include <glib.h>
#include <string.h>

#include "guest/init/session.h"

static char *argv_of[2];

static struct session_command command_with(char **env)
{
    argv_of[0] = "/tmp/evil";
    return (struct session_command){
        .start = {.flags = SESSION_CWD_HINT}, .cwd = "/work", .argv = argv_of, .env = env};
}

/* What sudo_command_resolve() has made, which a session keeps until it ends. */
static void free_resolved(struct session_command *command)
{
    g_free(command->env);
    g_free(command->argv[0]);
}

static void shown(void)
{
    char text[1024];
    char *env[] = {"TERM=xterm", "LD_PRELOAD=./x y", "PATH=/tmp", NULL};
    struct session_command command = command_with(env);
    g_assert_cmpint(sudo_command_resolve(&command), ==, 0);
    g_assert_cmpuint(sudo_command_describe(text, sizeof text, &command), ==, strlen(text));
    g_assert_cmpstr(text, ==, "in /work: 'LD_PRELOAD=./x y' /tmp/evil");
    free_resolved(&command);
}

/* Such words would stand where a shell has the command. */
static void words_that_are_no_variables(void)
{
    char *words[] = {"apt", "install", "vim", NULL}, *nameless[] = {"=apt", NULL};
    struct session_command command = command_with(words);
    g_assert_cmpint(sudo_command_resolve(&command), ==, -1);
    command = command_with(nameless);
    g_assert_cmpint(sudo_command_resolve(&command), ==, -1);
}

static void runs_in_the_folder_that_is_shown(void)
{
    char *env[] = {NULL};
    struct session_command command = command_with(env);
    g_assert_cmpint(sudo_command_resolve(&command), ==, 0);
    g_assert_cmpuint(command.start.flags & SESSION_CWD_HINT, ==, 0);
    free_resolved(&command);
    command = command_with(env);
    command.cwd = "";
    g_assert_cmpint(sudo_command_resolve(&command), ==, -1);
    command.cwd = "tmp";
    g_assert_cmpint(sudo_command_resolve(&command), ==, -1);
}

static void long_commands_are_not_cut(void)
{
    char text[64], fits[] = "0123456789012345678901234567890123456789012",
                   longer[] = "01234567890123456789012345678901234567890123";
    char *env[] = {NULL}, *words[] = {"/bin/true", fits, NULL};
    struct session_command command = command_with(env);
    command.argv = words;
    g_assert_cmpuint(sudo_command_describe(text, sizeof text, &command), ==, sizeof text - 1);
    g_assert_true(g_str_has_suffix(text, fits));
    words[1] = longer;
    g_assert_cmpuint(sudo_command_describe(text, sizeof text, &command), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sudo_command/shown", shown);
    g_test_add_func("/sudo_command/no_variables", words_that_are_no_variables);
    g_test_add_func("/sudo_command/folder", runs_in_the_folder_that_is_shown);
    g_test_add_func("/sudo_command/long", long_commands_are_not_cut);
    return g_test_run();
}
