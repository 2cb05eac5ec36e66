#include "box/lifecycle/packages.h"

#include <jansson.h>
#include <stdlib.h>

#include "common/text.h"

/* Names begin with a letter or digit (check_package()), so none needs a "--", which not every
 * manager knows. Arch Linux supports no installation without an update of the rest. */
static const char script[] =
    "set -e; "
    "has() { command -v \"$1\" >/dev/null 2>&1; }; "
    "if has apt-get; then "
    "export DEBIAN_FRONTEND=noninteractive; "
    "apt-get update; apt-get install -y --no-install-recommends \"$@\"; "
    "apt-get clean; rm -rf /var/lib/apt/lists/*; "
    "elif has dnf; then dnf -y install \"$@\"; dnf clean all; "
    "elif has microdnf; then microdnf -y install \"$@\"; microdnf clean all; "
    "elif has zypper; then zypper --non-interactive install \"$@\"; zypper clean --all; "
    "elif has pacman; then pacman -Syu --noconfirm --needed \"$@\"; "
    "rm -rf /var/cache/pacman/pkg/*; "
    "elif has apk; then apk add --no-cache \"$@\"; "
    "else echo 'the image has no apt-get, dnf, microdnf, zypper, pacman or apk' >&2; exit 1; fi";

const char *packages_script(void)
{
    return script;
}

char *packages_text(char *const *packages)
{
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    for (; packages && *packages; packages++)
        g_ptr_array_add(sorted, *packages);
    g_ptr_array_sort(sorted, text_compare);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < sorted->len; i++)
        if (i == 0 || !g_str_equal(sorted->pdata[i - 1], sorted->pdata[i]))
            g_string_append_printf(text, "%s%s", i ? " " : "", (char *)sorted->pdata[i]);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *packages_containerfile(const char *base, const char *text)
{
    json_t *argv = json_pack("[s, s, s, s]", "/bin/sh", "-c", script, "packages");
    g_auto(GStrv) names = g_strsplit(text, " ", -1);
    for (char **name = names; *name; name++)
        json_array_append_new(argv, json_string(*name));
    char *run = json_dumps(argv, 0);
    char *contents = g_strdup_printf("FROM %s\nUSER 0\nRUN %s\n", base, run);
    free(run);
    json_decref(argv);
    return contents;
}
