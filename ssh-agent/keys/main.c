/* litterbox-keys: the user's key store, for `box keys`. */
#include <stdio.h>
#include <string.h>

#include "box/say.h"
#include "common/paths.h"
#include "common/text.h"
#include "ssh-agent/keys/options.h"
#include "ssh-agent/keys/verbs.h"
#include "ssh-agent/store/secret.h"

static const struct {
    const char *name, *operands;
    guint least, most;
    gboolean (*run)(char **operands, GError **error);
} verbs[] = {
    {"generate", "NAME", 1, 1, keys_generate},
    {"import", "FILE [NAME]", 1, 2, keys_import},
    {"list", "", 0, 0, keys_list},
    {"show", "NAME", 1, 1, keys_show},
    {"rename", "NAME NEW", 2, 2, keys_rename},
    {"delete", "NAME", 1, 1, keys_delete},
    {"export", "NAME [FILE]", 1, 2, keys_export},
    {"passwd", "", 0, 0, keys_passwd},
    {"unlock", "", 0, 0, keys_unlock},
    {"lock", "", 0, 0, keys_lock},
};

static gboolean run(char **words, GError **error)
{
    for (gsize i = 0; words[0] && i < G_N_ELEMENTS(verbs); i++) {
        guint count = g_strv_length(words + 1);
        if (strcmp(verbs[i].name, words[0]) != 0)
            continue;
        if (count >= verbs[i].least && count <= verbs[i].most)
            return verbs[i].run(words + 1, error);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "box keys %s %s", verbs[i].name,
                    verbs[i].operands);
        return FALSE;
    }
    g_set_error(
        error, BOX_ERROR, BOX_ERROR_USAGE,
        "box keys generate NAME | import FILE [NAME] | list | show NAME | rename NAME NEW | "
        "delete NAME | export NAME [FILE] | passwd | unlock | lock | attach KEY [PROJECT] | "
        "detach KEY [PROJECT]");
    return FALSE;
}

int main(int argc, char **argv)
{
    secret_start();
    g_auto(arguments) given = {0};
    g_autoptr(GError) error = NULL;
    gboolean good = paths_check_instance(&error) &&
                    options_parse(keys_option_table, argv + 1, &given, &error) &&
                    run(given.operands, &error);
    if (!good)
        say_error("%s", error->message);
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return good ? 125 : box_error_exit_status(error);
    return good ? 0 : box_error_exit_status(error);
}
