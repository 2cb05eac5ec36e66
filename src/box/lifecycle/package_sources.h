/*
 * Which hosts the image of a box installs packages from: apt's sources, and the registries of npm's
 * configuration. They are the groups "@apt" and "@npm" (box/helpers/package_hosts.h).
 */
#pragma once

#include "box/registry/registry.h"
#include "plan/plan.h"
#include "podman/podman.h"

/* A new container: nothing has run in it, and it holds the files of its image alone. */
typedef struct {
    const char *id;
    gboolean is_host_image; /* so its sources are this machine's */
    const char *image;      /* Podman's ID of its image; NULL for the host image */
    const json_t *request;  /* that made it */
    const settings *wanted;
    const plan_facts *facts; /* with the user's toolchains */
} package_sources_container;

/*
 * Records them for SELF's new container. Of the host image they are those of this machine, also of
 * an npm that is in a folder of [box] path. FALSE with ERROR when the record cannot be written;
 * files that cannot be read name no hosts.
 */
gboolean package_sources_record(const struct box *self, podman_client *server,
                                const package_sources_container *container, GError **error);

/*
 * Parsers of hostile text: add rules "NAME:PORT" to OUT, each once and at most PACKAGE_HOSTS_MAX.
 * URLs of other schemes than http and https, addresses and names that are not full are left out.
 */

/* sources.list(5), in one-line format or in that of IS_DEB822. */
void apt_sources_parse(const char *text, gsize length, gboolean is_deb822, GPtrArray *out);
/* npmrc(5): `registry` and `@SCOPE:registry`. Returns TRUE when it has `registry`. */
gboolean npm_config_parse(const char *text, gsize length, GPtrArray *out);
/* The registry that npm has without a configuration, from the table of its own settings
 * (definitions.js of @npmcli/config). */
void npm_definitions_parse(const char *text, gsize length, GPtrArray *out);
