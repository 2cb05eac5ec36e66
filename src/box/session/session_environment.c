#include <string.h>

#include "appearance/appearance.h"
#include "box/helpers/bridge.h"
#include "box/helpers/secrets.h"
#include "box/session/running_session.h"

extern char **environ;

/* Variables that terminal programs need. Boxes get no others from the host. */
static const char *const passed_always[] = {"TERM", "COLORTERM", "LANG", "LANGUAGE",
                                            "LC_*", "TZ",        NULL};

static gboolean matches(const char *const *patterns, const char *entry)
{
    gsize name = strcspn(entry, "=");
    for (; patterns && *patterns; patterns++) {
        gsize length = strlen(*patterns);
        gboolean prefix = length && (*patterns)[length - 1] == '*';
        if (prefix ? strncmp(entry, *patterns, length - 1) == 0
                   : length == name && strncmp(entry, *patterns, name) == 0)
            return TRUE;
    }
    return FALSE;
}

char **session_environment(const struct box *self, const struct runtime_config *known,
                           const session_options *options)
{
    GPtrArray *env = g_ptr_array_new();
    const settings *wanted = known ? known->settings : NULL;
    const char *const *pass = wanted ? (const char *const *)wanted->box.pass_env : NULL;
    gboolean pass_appearance = wanted && settings_wants_appearance(wanted);
    /* The desktop's values when the box started; this process's environment overrides them. */
    for (char **entry = known ? known->appearance : NULL; entry && *entry; entry++)
        g_ptr_array_add(env, g_strdup(*entry));
    for (char **entry = environ; *entry; entry++) {
        if (matches(passed_always, *entry) || matches(pass, *entry) ||
            (pass_appearance && appearance_passes_variable(*entry)))
            g_ptr_array_add(env, g_strdup(*entry));
    }
    secrets_add_environment(self, env);
    for (const char *const *asked = options->env; asked && *asked; asked++) {
        const char *value = strchr(*asked, '=') ? NULL : g_getenv(*asked);
        if (strchr(*asked, '='))
            g_ptr_array_add(env, g_strdup(*asked));
        else if (value)
            g_ptr_array_add(env, g_strconcat(*asked, "=", value, NULL));
    }
    bridge_add_environment(self, known, env);
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(env, FALSE);
}
