#include "podman/program.h"

#include <string.h>
#include <unistd.h>

#include "common/error.h"

/*
 * The environment variables that the service inherits. It outlives the command that starts it and
 * serves all later ones, so it must not depend on that command's environment. Not listed:
 * DBUS_SESSION_BUS_ADDRESS, because Podman finds systemd's bus by itself; and CONTAINER_HOST, which
 * would make it a client.
 */
static const char *const inherited[] = {
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "LANG",
    "TZ",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "CONTAINERS_CONF",
    "CONTAINERS_CONF_OVERRIDE",
    "CONTAINERS_STORAGE_CONF",
    "CONTAINERS_REGISTRIES_CONF",
    "REGISTRY_AUTH_FILE",
    "STORAGE_DRIVER",
    "STORAGE_OPTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
};

/* Searches only absolute entries of PATH: a relative one could name a program in the project. */
char *podman_find_program(const char *name)
{
    const char *path = g_getenv("PATH");
    g_auto(GStrv) folders = g_strsplit(path ? path : "/usr/bin:/bin", ":", -1);

    for (char **folder = folders; *folder; folder++) {
        g_autofree char *program = g_build_filename(*folder, name, NULL);
        if (g_path_is_absolute(program) && g_file_test(program, G_FILE_TEST_IS_REGULAR) &&
            access(program, X_OK) == 0)
            return g_steal_pointer(&program);
    }
    return NULL;
}

char *podman_program(GError **error)
{
    char *program = podman_find_program("podman");

    if (!program)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                            "podman is not installed: install podman 4.3 or newer");
    return program;
}

GPtrArray *podman_environment(const char *path)
{
    GPtrArray *entries = g_ptr_array_new();

    for (gsize i = 0; i < G_N_ELEMENTS(inherited); i++) {
        const char *value =
            path && strcmp(inherited[i], "PATH") == 0 ? path : g_getenv(inherited[i]);
        if (value)
            g_ptr_array_add(entries, g_strdup_printf("%s=%s", inherited[i], value));
    }
    return entries;
}
