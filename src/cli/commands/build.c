#include <unistd.h>

#include "box/lifecycle/image.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/project.h"
#include "console/log.h"

static struct {
    gboolean no_cache, proxy, quiet;
} build_given;

static const option build_options[] = {
    PROJECTS_ALL_OPTION,
    {"no-cache", 0, OPTION_FLAG, &build_given.no_cache, NULL, "rebuild every step"},
    {"proxy", 0, OPTION_FLAG, &build_given.proxy, NULL,
     "pass your proxy variables, with passwords, to the build"},
    {"quiet", 'q', OPTION_FLAG, &build_given.quiet, NULL, "print only errors"},
    {0},
};

static gboolean build(struct box *self, const struct command_call *call, GError **error)
{
    int lock = box_lock_registered(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_ASK, error);
    g_autoptr(box_image) image =
        read ? box_image_resolve(self, call->server, config_settings(read), IMAGE_REBUILD, error)
             : NULL;
    close(lock);
    if (!image)
        return FALSE;
    if (!image->reference)
        log_note("this box has no image to build: it uses the programs of this machine");
    else
        log_note("run 'box apply' to use the new image");
    return TRUE;
}

static int run_build(const struct command_call *call, GError **error)
{
    image_no_cache = build_given.no_cache;
    image_proxy = build_given.proxy;
    log_quiet = build_given.quiet;
    log_json = call->json;
    return projects_each(call, PROJECT_REGISTER, 0, build, error);
}

const struct command command_build = {
    .name = "build",
    .group = GROUP_SETUP,
    .operands = "[PROJECT…]",
    .summary = "build or pull the image of a box again",
    .options = build_options,
    .completes = COMPLETE_PROJECT,
    .most = COMMAND_NO_LIMIT,
    .run = run_build,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
    .json = "print progress as JSON lines",
};
