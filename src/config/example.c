/* litterbox.toml.example, out of the schema; a test holds the file of the repository against it. */
#include "config/schema.h"

#include <string.h>

static const char head[] =
    "# Every key of litterbox.toml, with its default and the reason for it.\n"
    "#\n"
    "# The same keys are read from, later ones winning: ~/.config/litterbox/config.toml (yours, for\n"
    "# all boxes), the project's litterbox.toml (once you trust it), ~/.config/litterbox/boxes/NAME.toml\n"
    "# (yours, for one box), and flags. Tables (env, hosts, [podman]) merge by their keys, [[mount]]\n"
    "# entries add up (the later wins over the same target), everything else replaces.\n"
    "# What a project may not even ask for, [ssh], is read from your own files alone.\n";

static void append_mount(GString *out, const schema_key *row)
{
    g_string_append_printf(out, "# %s\n# [[mount]]\n", row->reason);
    for (int i = 0; i < N_MOUNT_KEYS; i++) {
        const schema_mount_key *key = &schema_mount_keys[i];
        g_string_append_printf(out, "# %s = %s  # %s\n", key->key, key->fallback, key->reason);
    }
}

static void append_row(GString *out, const schema_key *row)
{
    if (row->kind == SCHEMA_MOUNTS)
        append_mount(out, row);
    else if (!row->key)
        g_string_append_printf(out, "# %s\n[%s]\n", row->reason, row->section);
    else
        g_string_append_printf(out, "# %s\n%s = %s\n", row->reason, row->key, row->fallback);
}

char *schema_example(void)
{
    GString *out = g_string_new(head);
    const char *section = "";

    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        if (strcmp(section, row->section) != 0) {
            g_string_append_c(out, '\n');
            if (row->key)
                g_string_append_printf(out, "[%s]\n", row->section);
            section = row->section;
        }
        append_row(out, row);
    }
    return g_string_free(out, FALSE);
}
