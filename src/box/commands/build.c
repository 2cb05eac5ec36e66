#include <unistd.h>

#include "box/commands/commands.h"
#include "box/image.h"
#include "box/lifecycle.h"
#include "cli/commands/project.h"
#include "box/say.h"

static struct {
    gboolean no_cache, quiet, json;
} set;

static const option options[] = {
    {"no-cache", 0, OPTION_FLAG, &set.no_cache, NULL, "run every step again"},
    {"quiet", 'q', OPTION_FLAG, &set.quiet, NULL, "only errors"},
    {"json", 0, OPTION_FLAG, &set.json, NULL, "progress as JSON lines"},
    {0},
};

static int run(const arguments *given, GError **error)
{
    image_no_cache = set.no_cache;
    say_quiet = set.quiet;
    say_json = set.json;
    g_autoptr(box) self = project_box(arguments_first(given), PROJECT_REGISTER, error);
    int lock = self ? lifecycle_lock(self, error) : -1;
    if (lock < 0)
        return -1;
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_ASK, error);
    g_autoptr(podman) server = read ? podman_connect(error) : NULL;
    g_autoptr(box_image) image =
        server ? image_resolve(self, server, config_settings(read), IMAGE_REBUILD, error) : NULL;
    close(lock);
    if (!image)
        return -1;
    if (!image->reference)
        say_note("this box uses the host image: there is nothing to build");
    else
        say_note("'box apply' puts the new image into use");
    return 0;
}

const command command_build = {
    .name = "build",
    .group = GROUP_SETUP,
    .arguments = "[PROJECT]",
    .summary = "build or pull the image of a box anew",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .operands_max = 1,
    .run = run,
};
