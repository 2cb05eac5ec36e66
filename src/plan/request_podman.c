/*
 * [podman]: the user's additions to the create request, merged into it last.
 *
 * Keys that Litterbox itself needs are refused. Keys that weaken a protection are applied with a
 * warning, and so are unknown keys. Podman ignores the case of keys and uses the last of several,
 * so a known key in another spelling ("Privileged") is refused.
 */
#include "plan/request.h"

#include <string.h>

#include "common/text.h"

typedef enum { KEY_REFUSED, KEY_HARMLESS, KEY_WEAKENS } key_effect;

typedef struct {
    const char *key;
    key_effect effect;
    const char *why;
} key_rule;

static const char set_by_litterbox[] = "Litterbox sets it itself";
static const char use_mount[] = "use [[mount]] instead";
static const char use_image[] = "use box.image instead";

static const key_rule rules[] = {
    {"name", KEY_REFUSED, "use box.name instead"},
    {"image", KEY_REFUSED, use_image},
    {"raw_image_name", KEY_REFUSED, use_image},
    {"rootfs", KEY_REFUSED, use_image},
    {"rootfs_overlay", KEY_REFUSED, use_image},
    {"rootfs_mapping", KEY_REFUSED, use_image},
    {"entrypoint", KEY_REFUSED, set_by_litterbox},
    {"command", KEY_REFUSED, set_by_litterbox},
    {"user", KEY_REFUSED, set_by_litterbox},
    {"init", KEY_REFUSED, set_by_litterbox},
    {"init_path", KEY_REFUSED, set_by_litterbox},
    {"systemd", KEY_REFUSED, set_by_litterbox},
    {"terminal", KEY_REFUSED, set_by_litterbox},
    {"stdin", KEY_REFUSED, set_by_litterbox},
    {"userns", KEY_REFUSED, set_by_litterbox},
    {"idmappings", KEY_REFUSED, set_by_litterbox},
    {"pidns", KEY_REFUSED, "Litterbox identifies clients by process ids of the box"},
    {"pod", KEY_REFUSED, "a box cannot be part of a pod"},
    {"remove", KEY_REFUSED, set_by_litterbox},
    {"restart_policy", KEY_REFUSED, set_by_litterbox},
    {"mounts", KEY_REFUSED, use_mount},
    {"overlay_volumes", KEY_REFUSED, use_mount},
    {"volumes_from", KEY_REFUSED, use_mount},
    {"chroot_directories", KEY_REFUSED, use_mount},
    {"conmon_pid_file", KEY_REFUSED, "it writes a file on the host"},
    {"oci_runtime", KEY_REFUSED, "Podman ignores it over its API"},
    {"no_new_privileges", KEY_WEAKENS, "programs in the box may gain privileges"},
    {"privileged", KEY_WEAKENS, "the box is privileged: almost nothing protects the host"},
    {"cap_add", KEY_WEAKENS, "the box gets other capabilities"},
    {"cap_drop", KEY_WEAKENS, "the box keeps other capabilities"},
    {"seccomp_profile_path", KEY_WEAKENS, "the box has another seccomp profile"},
    {"seccomp_policy", KEY_WEAKENS, "the box has another seccomp profile"},
    {"apparmor_profile", KEY_WEAKENS, "the box has another AppArmor profile"},
    {"selinux_opts", KEY_WEAKENS, "the box has other SELinux options"},
    {"mask", KEY_WEAKENS, "other paths of /proc and /sys are masked"},
    {"unmask", KEY_WEAKENS, "masked paths of /proc and /sys are visible"},
    {"ipcns", KEY_WEAKENS, "the box may share an IPC namespace"},
    {"utsns", KEY_WEAKENS, "the box may share a UTS namespace"},
    {"cgroupns", KEY_WEAKENS, "the box may share a cgroup namespace"},
    {"netns", KEY_WEAKENS, "the network is not what network.mode says"},
    {"networks", KEY_WEAKENS, "the network is not what network.mode says"},
    {"network_options", KEY_WEAKENS, "the network is not what network.mode says"},
    {"portmappings", KEY_WEAKENS, "ports are published that network.ports does not list"},
    {"env_host", KEY_WEAKENS, "the box sees the host's environment, with its secrets"},
    {"httpproxy", KEY_WEAKENS, "the box sees the host's proxy settings, with their passwords"},
    {"devices", KEY_WEAKENS, "devices are not what [devices] lists"},
    {"host_device_list", KEY_WEAKENS, "devices are not what [devices] lists"},
    {"read_only_filesystem", KEY_WEAKENS, "the box's root may be writable"},
    {"healthconfig", KEY_WEAKENS, "a command runs as root of the box"},
    {"volumes", KEY_WEAKENS, "a volume is mounted that Litterbox does not know"},
    {"image_volumes", KEY_WEAKENS, "an image is mounted that Litterbox does not know"},
    {"image_volume_mode", KEY_WEAKENS, "the image's volumes are mounted"},
    {"secrets", KEY_WEAKENS, "the box sees secrets from Podman"},
    {"secret_env", KEY_WEAKENS, "the box sees secrets from Podman"},
    {"resource_limits", KEY_WEAKENS, "limits are not what [limits] says"},
    {"annotations", KEY_HARMLESS, NULL},
    {"labels", KEY_HARMLESS, NULL},
    {"env", KEY_HARMLESS, NULL},
    {"dns_server", KEY_HARMLESS, NULL},
    {"dns_search", KEY_HARMLESS, NULL},
    {"dns_option", KEY_HARMLESS, NULL},
    {"hostname", KEY_HARMLESS, NULL},
    {"oom_score_adj", KEY_HARMLESS, NULL},
    {"r_limits", KEY_HARMLESS, NULL},
    {"shm_size", KEY_HARMLESS, NULL},
    {"stop_timeout", KEY_HARMLESS, NULL},
    {"timezone", KEY_HARMLESS, NULL},
    {"umask", KEY_HARMLESS, NULL},
};

static gboolean refuse(const char *key, const char *why, GError **error)
{
    g_autofree char *safe = text_safe(key, -1);

    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "[podman] %s: %s", safe, why);
    return FALSE;
}

/* Go's encoding/json matches some letters outside of ASCII with ASCII ones, such as U+212A with k.
 */
static gboolean is_ascii_key(const char *key)
{
    return *key && strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_") == strlen(key);
}

static const key_rule *find_rule(const char *key)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
        if (g_ascii_strcasecmp(rules[i].key, key) == 0)
            return &rules[i];
    return NULL;
}

/* A key of the request that differs from KEY only in case, or NULL. */
static const char *other_spelling(const json_t *request, const char *key)
{
    const char *known;
    json_t *value;

    json_object_foreach ((json_t *)request, known, value)
        if (strcmp(known, key) != 0 && g_ascii_strcasecmp(known, key) == 0)
            return known;
    return NULL;
}

/* Litterbox finds its containers and their projects by its labels. */
static gboolean check_labels(const json_t *labels, GError **error)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)labels, key, value)
        if (g_ascii_strncasecmp(key, "litterbox.", strlen("litterbox.")) == 0)
            return refuse(key, "labels that start with 'litterbox.' are reserved", error);
    return TRUE;
}

/* crun and Podman take options from annotations: hooks, handlers, original groups (crun(1)). */
static void check_annotations(plan_request *self, const json_t *annotations)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)annotations, key, value)
        if (g_ascii_strncasecmp(key, "run.oci.", strlen("run.oci.")) == 0 ||
            g_ascii_strncasecmp(key, "io.podman.", strlen("io.podman.")) == 0) {
            g_autofree char *safe = text_safe(key, -1);
            plan_request_warn(self, "[podman] annotation '%s' changes how the box runs", safe);
        }
}

/* Refuses VALUE if any absolute path in it, at any depth, would be a mount over Litterbox's files
 * or over a protected path. */
static gboolean check_mount_paths(const plan_request *self, const char *key, json_t *value,
                                  GError **error)
{
    const char *name;
    json_t *item;
    gsize i;

    if (json_is_string(value) && json_string_value(value)[0] == '/') {
        g_autofree char *clean = plan_clean_path(json_string_value(value));
        if (!clean || plan_overlaps(clean, PLAN_RUN) || plan_request_is_protected(self, clean))
            return refuse(key, "would be mounted over files that protect the host", error);
    }
    json_array_foreach (value, i, item)
        if (!check_mount_paths(self, key, item, error))
            return FALSE;
    json_object_foreach (value, name, item)
        if (!check_mount_paths(self, key, item, error))
            return FALSE;
    return TRUE;
}

static gboolean check_key(plan_request *self, const char *key, json_t *value, GError **error)
{
    const key_rule *rule = find_rule(key);
    const char *known =
        rule && strcmp(rule->key, key) != 0 ? rule->key : other_spelling(self->json, key);

    if (!is_ascii_key(key))
        return refuse(key, "is not a key of Podman", error);
    if (known) {
        g_autofree char *why = g_strdup_printf("write it as '%s'", known);
        return refuse(key, why, error);
    }
    if (rule && rule->effect == KEY_REFUSED)
        return refuse(key, rule->why, error);
    if (strcmp(key, "labels") == 0 && !check_labels(value, error))
        return FALSE;
    if (strcmp(key, "annotations") == 0)
        check_annotations(self, value);
    if (strstr(key, "volumes") && !check_mount_paths(self, key, value, error))
        return FALSE;
    if ((!rule || rule->effect == KEY_WEAKENS) &&
        !json_equal(value, json_object_get(self->json, key)))
        plan_request_warn(self, "[podman] %s: %s", key,
                          rule ? rule->why
                               : "unknown to Litterbox; it may weaken the protection of the host");
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

gboolean plan_request_add_podman(plan_request *self, GError **error)
{
    const char *text = self->wanted->podman_raw;
    const char *key;
    json_t *value;

    if (!text)
        return TRUE;
    json_auto_t *raw = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(raw))
        return refuse("", "is not a table", error);
    json_object_foreach (raw, key, value)
        if (!check_key(self, key, value, error))
            return FALSE;
    merge(self->json, raw);
    return TRUE;
}
