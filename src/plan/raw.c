/*
 * [podman]: the user's own additions to the create request, merged in last.
 *
 * What would take the box out of our hands is refused; what undoes a protection is done and said.
 * A key that this file does not know counts as one that undoes something. Podman reads keys without
 * regard to case and lets the last one win, so "Privileged" must not pass for something unknown.
 */
#include "plan/draft.h"

#include <string.h>

#include "common/text.h"

typedef enum { RAW_REFUSED, RAW_HARMLESS, RAW_UNDOES } verdict;

typedef struct {
    const char *key;
    verdict verdict;
    const char *why;
} raw_rule;

static const char ours[] = "Litterbox needs its own";
static const char use_mount[] = "use [[mount]] instead";
static const char use_image[] = "use box.image instead";

static const raw_rule rules[] = {
    {"name", RAW_REFUSED, "use box.name instead"},
    {"image", RAW_REFUSED, use_image},
    {"raw_image_name", RAW_REFUSED, use_image},
    {"rootfs", RAW_REFUSED, use_image},
    {"rootfs_overlay", RAW_REFUSED, use_image},
    {"rootfs_mapping", RAW_REFUSED, use_image},
    {"entrypoint", RAW_REFUSED, ours},
    {"command", RAW_REFUSED, ours},
    {"user", RAW_REFUSED, ours},
    {"init", RAW_REFUSED, ours},
    {"init_path", RAW_REFUSED, ours},
    {"systemd", RAW_REFUSED, ours},
    {"terminal", RAW_REFUSED, ours},
    {"stdin", RAW_REFUSED, ours},
    {"userns", RAW_REFUSED, ours},
    {"idmappings", RAW_REFUSED, ours},
    {"pidns", RAW_REFUSED, "Litterbox tells who calls by the box's own process ids"},
    {"pod", RAW_REFUSED, "a box cannot be part of a pod"},
    {"remove", RAW_REFUSED, ours},
    {"restart_policy", RAW_REFUSED, ours},
    {"mounts", RAW_REFUSED, use_mount},
    {"overlay_volumes", RAW_REFUSED, use_mount},
    {"volumes_from", RAW_REFUSED, use_mount},
    {"chroot_directories", RAW_REFUSED, use_mount},
    {"conmon_pid_file", RAW_REFUSED, "it writes a file on the host"},
    {"oci_runtime", RAW_REFUSED, "Podman ignores it over its API"},
    {"no_new_privileges", RAW_UNDOES, "programs in the box may gain privileges"},
    {"privileged", RAW_UNDOES, "the box is privileged: next to nothing protects the host"},
    {"cap_add", RAW_UNDOES, "the box gets other capabilities"},
    {"cap_drop", RAW_UNDOES, "the box keeps other capabilities"},
    {"seccomp_profile_path", RAW_UNDOES, "the box has another seccomp profile"},
    {"seccomp_policy", RAW_UNDOES, "the box has another seccomp profile"},
    {"apparmor_profile", RAW_UNDOES, "the box has another AppArmor profile"},
    {"selinux_opts", RAW_UNDOES, "the box has other SELinux options"},
    {"mask", RAW_UNDOES, "other paths of /proc and /sys are masked"},
    {"unmask", RAW_UNDOES, "paths of /proc and /sys are open"},
    {"ipcns", RAW_UNDOES, "the box has no IPC namespace of its own"},
    {"utsns", RAW_UNDOES, "the box has no UTS namespace of its own"},
    {"cgroupns", RAW_UNDOES, "the box has no cgroup namespace of its own"},
    {"netns", RAW_UNDOES, "the network is not what network.mode says"},
    {"networks", RAW_UNDOES, "the network is not what network.mode says"},
    {"network_options", RAW_UNDOES, "the network is not what network.mode says"},
    {"portmappings", RAW_UNDOES, "ports are published that network.ports does not name"},
    {"env_host", RAW_UNDOES, "the host's environment, secrets included, is in the box"},
    {"httpproxy", RAW_UNDOES, "the host's proxy settings, passwords included, are in the box"},
    {"devices", RAW_UNDOES, "devices are not what [devices] lists"},
    {"host_device_list", RAW_UNDOES, "devices are not what [devices] lists"},
    {"read_only_filesystem", RAW_UNDOES, "the box's root may be writable"},
    {"healthconfig", RAW_UNDOES, "a command is run in the box as its root"},
    {"volumes", RAW_UNDOES, "a volume is mounted that the plan does not name"},
    {"image_volumes", RAW_UNDOES, "an image is mounted that the plan does not name"},
    {"image_volume_mode", RAW_UNDOES, "the image's volumes are mounted"},
    {"secrets", RAW_UNDOES, "a secret of Podman's is in the box"},
    {"secret_env", RAW_UNDOES, "a secret of Podman's is in the box"},
    {"resource_limits", RAW_UNDOES, "limits are not what [limits] says"},
    {"annotations", RAW_HARMLESS, NULL},
    {"labels", RAW_HARMLESS, NULL},
    {"env", RAW_HARMLESS, NULL},
    {"dns_server", RAW_HARMLESS, NULL},
    {"dns_search", RAW_HARMLESS, NULL},
    {"dns_option", RAW_HARMLESS, NULL},
    {"hostname", RAW_HARMLESS, NULL},
    {"oom_score_adj", RAW_HARMLESS, NULL},
    {"r_limits", RAW_HARMLESS, NULL},
    {"shm_size", RAW_HARMLESS, NULL},
    {"stop_timeout", RAW_HARMLESS, NULL},
    {"timezone", RAW_HARMLESS, NULL},
    {"umask", RAW_HARMLESS, NULL},
};

static gboolean refuse(const char *key, const char *why, GError **error)
{
    g_autofree char *safe = text_safe(key, -1);

    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "[podman] %s: %s", safe, why);
    return FALSE;
}

/* Go's JSON decoder folds some letters outside ASCII to ASCII ones too. */
static gboolean is_plain(const char *key)
{
    return *key && strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_") == strlen(key);
}

static const raw_rule *find_rule(const char *key)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
        if (g_ascii_strcasecmp(rules[i].key, key) == 0)
            return &rules[i];
    return NULL;
}

/* The spelling under which the request holds KEY, or NULL. */
static const char *other_spelling(const json_t *request, const char *key)
{
    const char *known;
    json_t *value;

    json_object_foreach ((json_t *)request, known, value)
        if (strcmp(known, key) != 0 && g_ascii_strcasecmp(known, key) == 0)
            return known;
    return NULL;
}

/* Ours are how a container is found again, and by which project. */
static gboolean check_labels(const json_t *labels, GError **error)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)labels, key, value)
        if (g_ascii_strncasecmp(key, "litterbox.", strlen("litterbox.")) == 0)
            return refuse(key, "labels that start with 'litterbox.' are Litterbox's own", error);
    return TRUE;
}

/* Annotations that start with run.oci are orders to crun (hooks, handlers, original groups). */
static void check_annotations(plan_draft *self, const json_t *annotations)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)annotations, key, value)
        if (g_ascii_strncasecmp(key, "run.oci.", strlen("run.oci.")) == 0 ||
            g_ascii_strncasecmp(key, "io.podman.", strlen("io.podman.")) == 0) {
            g_autofree char *safe = text_safe(key, -1);
            plan_warn(self, "[podman] annotation '%s' changes how the box is run", safe);
        }
}

/* A volume may not be mounted over what is ours, wherever in VALUE its destination is written. */
static gboolean check_places(const plan_draft *self, const char *key, json_t *value, GError **error)
{
    const char *name;
    json_t *item;
    gsize i;

    if (json_is_string(value) && json_string_value(value)[0] == '/') {
        g_autofree char *clean = plan_clean_path(json_string_value(value));
        if (!clean || plan_overlaps(clean, PLAN_RUN) || plan_is_guarded(self, clean))
            return refuse(key, "would be mounted over what guards the box", error);
    }
    json_array_foreach (value, i, item)
        if (!check_places(self, key, item, error))
            return FALSE;
    json_object_foreach (value, name, item)
        if (!check_places(self, key, item, error))
            return FALSE;
    return TRUE;
}

static gboolean check_key(plan_draft *self, const char *key, json_t *value, GError **error)
{
    const raw_rule *rule = find_rule(key);
    const char *known =
        rule && strcmp(rule->key, key) != 0 ? rule->key : other_spelling(self->request, key);

    if (!is_plain(key))
        return refuse(key, "is no key of Podman's", error);
    if (known) {
        g_autofree char *why = g_strdup_printf("write it as '%s'", known);
        return refuse(key, why, error);
    }
    if (rule && rule->verdict == RAW_REFUSED)
        return refuse(key, rule->why, error);
    if (strcmp(key, "labels") == 0 && !check_labels(value, error))
        return FALSE;
    if (strcmp(key, "annotations") == 0)
        check_annotations(self, value);
    if (strstr(key, "volumes") && !check_places(self, key, value, error))
        return FALSE;
    if ((!rule || rule->verdict == RAW_UNDOES) &&
        !json_equal(value, json_object_get(self->request, key)))
        plan_warn(self, "[podman] %s: %s", key,
                  rule ? rule->why : "may undo what protects the host; Litterbox does not know it");
    return TRUE;
}

static void merge(json_t *into, json_t *from)
{
    const char *key;
    json_t *value;

    json_object_foreach (from, key, value) {
        json_t *old = json_object_get(into, key);
        if (json_is_object(old) && json_is_object(value))
            merge(old, value);
        else
            json_object_set_new(into, key, json_deep_copy(value));
    }
}

gboolean plan_add_raw(plan_draft *self, GError **error)
{
    const char *text = self->wanted->podman_raw;
    const char *key;
    json_t *value;

    if (!text)
        return TRUE;
    json_auto_t *raw = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(raw))
        return refuse("", "is no table", error);
    json_object_foreach (raw, key, value)
        if (!check_key(self, key, value, error))
            return FALSE;
    merge(self->request, raw);
    return TRUE;
}
