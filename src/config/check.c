#include "config/check.h"

#include <limits.h>
#include <string.h>

#include "common/fs.h"
#include "common/text.h"
#include "proto/network_rules.h"
#include "proto/port_mapping.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* An image reference: registry, path, tag and digest together. */
#define REFERENCE_MAX 512
/* One variable: what the kernel takes for one string of an environment (MAX_ARG_STRLEN). */
#define ENV_VALUE_MAX (128 * 1024 - 256)

static gboolean only(const char *text, const char *allowed)
{
    return *text && !text[strspn(text, allowed)];
}

static char *bad(const char **wrong, const char *why)
{
    *wrong = why;
    return NULL;
}

char *check_name(const char *text, const char **wrong)
{
    if (!only(text, LOWER DIGITS "_.-") || strchr("_.-", *text) || strlen(text) > 63)
        return bad(wrong, "must be 1 to 63 of a-z, 0-9, '_', '.', '-', beginning with a letter or "
                          "digit");
    return g_strdup(text);
}

char *check_image(const char *text, const char **wrong)
{
    if (g_str_has_prefix(text, "template:")) {
        g_autofree char *name = check_name(text + strlen("template:"), wrong);
        if (!name)
            return bad(wrong, "must name a template, such as \"template:debian\"");
        return g_strdup(text);
    }
    if (!only(text, LOWER UPPER DIGITS "_.-/:@") || !g_ascii_isalnum(*text) ||
        strlen(text) > REFERENCE_MAX || strstr(text, "//"))
        return bad(wrong, "must be \"host\", \"template:NAME\" or an image reference such as "
                          "\"docker.io/library/debian:12\"");
    return g_strdup(text);
}

/* Longer than any package's name with its version. */
#define PACKAGE_MAX 200

/* What a manager takes for an option, a file, a URL, a group or a removal ("name-") is no name. */
char *check_package(const char *text, const char **wrong)
{
    gsize length = strlen(text);
    if (!only(text, LOWER UPPER DIGITS "+._:=~-") || !g_ascii_isalnum(*text) ||
        text[length - 1] == '-' || length > PACKAGE_MAX)
        return bad(wrong, "must be a package's name, of letters, digits and '+', '.', '_', ':', "
                          "'=', '~', '-', beginning with a letter or digit and not ending with "
                          "'-'");
    return g_strdup(text);
}

/*
 * PATH with double and last slashes and "." taken out, so that two ways to write one path are one.
 * NULL when it has "..", a part that no file system takes, or is too long.
 */
static char *normal_path(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_autoptr(GString) out = g_string_new(NULL);
    for (char **part = parts; *part; part++) {
        if (!**part || !strcmp(*part, "."))
            continue;
        if (!strcmp(*part, "..") || strlen(*part) > NAME_MAX)
            return NULL;
        g_string_append_printf(out, "%s%s", out->len || *path == '/' ? "/" : "", *part);
    }
    if (!out->len && *path == '/')
        g_string_append_c(out, '/');
    return out->len && out->len < PATH_MAX ? g_strdup(out->str) : NULL;
}

char *check_relative(const char *text, const char **wrong)
{
    char *path = *text == '/' || *text == '~' ? NULL : normal_path(text);
    return path ? path : bad(wrong, "must be a path below the project, without '..'");
}

/* Buildah gives a file "*.in" to cpp(1), which includes any file of this machine, and Podman takes
 * a name like ["a"] for a list of files. */
char *check_containerfile(const char *text, const char **wrong)
{
    g_autofree char *path = check_relative(text, wrong);
    if (!path)
        return NULL;
    gsize length = strlen(path);
    if (length > 3 && g_ascii_strcasecmp(path + length - 3, ".in") == 0)
        return bad(wrong, "must not end in '.in': podman would run the preprocessor of C on it");
    if (!text_has_only(path, "._-/+@ "))
        return bad(wrong, "must have no characters but letters, digits, '._-/+@' and spaces");
    return g_steal_pointer(&path);
}

char *check_absolute(const char *text, const char **wrong)
{
    char *path = *text == '/' ? normal_path(text) : NULL;
    return path ? path : bad(wrong, "must be an absolute path without '..'");
}

char *check_source(const char *text, const char **wrong)
{
    g_autofree char *rest = NULL;
    if (*text == '/')
        return check_absolute(text, wrong);
    if (!strcmp(text, "~") || g_str_has_prefix(text, "~/"))
        rest = normal_path(text[1] ? text + 1 : "/");
    if (!rest)
        return bad(wrong, "must be absolute or begin with '~/', without '..'");
    return g_strconcat("~", strcmp(rest, "/") ? rest : NULL, NULL);
}

/* Addresses of repositories that git fetches by https or ssh, and nothing that it takes for an
 * option, a helper ("ext::") or a path in the box. */
char *check_dotfiles(const char *text, const char **wrong)
{
    static const char *const schemes[] = {"https://", "ssh://"};
    const char *colon = strchr(text, ':'), *at = strchr(text, '@');
    gboolean is_address = colon && at && at > text && at + 1 < colon && colon[1] &&
                          !strchr("-/:", colon[1]) && at[1] != '-';

    if (*text == '/' || *text == '~')
        return check_source(text, wrong);
    for (gsize i = 0; i < G_N_ELEMENTS(schemes); i++)
        if (g_str_has_prefix(text, schemes[i]))
            is_address = g_ascii_isalnum(text[strlen(schemes[i])]);
    if (!is_address || !only(text, LOWER UPPER DIGITS "_.-/:@+~%[]") || !g_ascii_isalnum(*text) ||
        strlen(text) > REFERENCE_MAX)
        return bad(wrong, "must be a folder, absolute or from '~/', or a repository, such as "
                          "\"https://example.org/me/dotfiles\" or \"git@example.org:me/dotfiles\"");
    return g_strdup(text);
}

char *check_target(const char *text, const char **wrong)
{
    /* The box would not be the box any more with something else there. */
    static const char *const covered[] = {"/proc", "/sys", "/dev", "/run/litterbox"};
    g_autofree char *path = check_absolute(text, wrong);
    if (!path)
        return NULL;
    if (!strcmp(path, "/") || !strcmp(path, "/run"))
        return bad(wrong, "may not be covered by a mount");
    for (gsize i = 0; i < G_N_ELEMENTS(covered); i++)
        if (fs_is_below(path, covered[i]))
            return bad(wrong, "may not be covered by a mount");
    return g_steal_pointer(&path);
}

char *check_share(const char *text, const char **wrong)
{
    const char *below = g_str_has_prefix(text, "~/") ? text + 2 : text;
    g_autofree char *path = *below == '/' || *below == '~' ? NULL : normal_path(below);
    if (!path)
        return bad(wrong, "must be a path below your home, without '..' (for others: [[mount]])");
    return g_strconcat("~/", path, NULL);
}

char *check_env_name(const char *text, const char **wrong)
{
    if (!only(text, LOWER UPPER DIGITS "_") || g_ascii_isdigit(*text) || strlen(text) > 255)
        return bad(wrong, "must be letters, digits and '_', not beginning with a digit");
    return g_strdup(text);
}

/* TRUE for "$NAME" and "${NAME}", which a shell would replace and nothing replaces here. */
static gboolean names_variable(const char *text)
{
    while ((text = strchr(text, '$'))) {
        text++;
        text += *text == '{';
        if (g_ascii_isalpha(*text) || *text == '_')
            return TRUE;
    }
    return FALSE;
}

char *check_env_value(const char *text, const char **wrong)
{
    if (names_variable(text))
        return bad(wrong, "names a variable after '$', and values are taken as they are; for PATH, "
                          "use box.path");
    return strlen(text) <= ENV_VALUE_MAX ? g_strdup(text) : bad(wrong, "is too long");
}

char *check_search_folder(const char *text, const char **wrong)
{
    return strchr(text, ':') ? bad(wrong, "must be one folder, without ':'")
                             : check_source(text, wrong);
}

char *check_env_pattern(const char *text, const char **wrong)
{
    g_autofree char *name = g_strdup(text);
    if (g_str_has_suffix(name, "*"))
        name[strlen(name) - 1] = '\0';
    g_autofree char *good = check_env_name(name, wrong);
    if (!good)
        return bad(wrong, "must be the name of a variable, or the beginning of one and '*'");
    return g_strdup(text);
}

char *check_address(const char *text, const char **wrong)
{
    char *address = port_mapping_address(text);
    return address ? address : bad(wrong, "must be an IPv4 or IPv6 address");
}

char *check_host_name(const char *text, const char **wrong)
{
    if (!only(text, LOWER UPPER DIGITS "_.-") || strchr(".-", *text) || strlen(text) > 253)
        return bad(wrong, "must be a host name");
    return g_strdup(text);
}

/* Longest name of a group. */
#define GROUP_MAX 63

static char *check_group(const char *text, const char **wrong)
{
    gsize length = strlen(text);
    if (!only(text + 1, LOWER DIGITS "-") || text[1] == '-' || length > GROUP_MAX + 1)
        return bad(wrong, "must name a group, such as \"@github\"");
    return g_strdup(text);
}

/*
 * A name in other letters than ASCII is refused, and the message has the form that would be
 * compared: what looks like one name may be another. None is proposed where more than the case of
 * letters would change, as with characters that are left out or that two standards read
 * differently.
 */
static char *refuse_unicode(const char *text, const char **wrong)
{
    gboolean is_below = g_str_has_prefix(text, "*.");
    g_autofree char *name = g_strndup(text, strcspn(text, ":"));
    const char *host = is_below ? name + 2 : name;
    g_autofree char *ascii = g_utf8_validate(host, -1, NULL) ? g_hostname_to_ascii(host) : NULL;
    g_autofree char *back = ascii ? g_hostname_to_unicode(ascii) : NULL;
    g_autofree char *folded = back ? g_utf8_strdown(host, -1) : NULL;
    g_autofree char *rule =
        g_strdup_printf("%s%s%s", is_below ? "*." : "", ascii ? ascii : "", text + strlen(name));
    struct network_rule parsed;
    if (!back || strcmp(back, folded) != 0 || network_rule_parse(rule, true, &parsed, wrong) < 0)
        return bad(wrong, "must be in ASCII: write the name with 'xn--'");
    g_autofree char *says = g_strdup_printf("must be in ASCII: write \"%s\"", rule);
    return bad(wrong, g_intern_string(says));
}

static char *check_rule(const char *text, gboolean denies, const char **wrong)
{
    struct network_rule rule;
    char normal[NETWORK_RULE_SIZE];
    if (*text == '@')
        return check_group(text, wrong);
    if (!g_str_is_ascii(text) && strlen(text) < NETWORK_RULE_SIZE)
        return refuse_unicode(text, wrong);
    if (network_rule_parse(text, denies, &rule, wrong) < 0)
        return NULL;
    network_rule_text(&rule, normal);
    return g_strdup(normal);
}

char *check_allow(const char *text, const char **wrong)
{
    return check_rule(text, FALSE, wrong);
}

char *check_deny(const char *text, const char **wrong)
{
    return check_rule(text, TRUE, wrong);
}

char *check_program(const char *text, const char **wrong)
{
    if (*text == '/')
        return check_absolute(text, wrong);
    if (!*text || *text == '-' || strpbrk(text, "/ \t\n") || strlen(text) > NAME_MAX)
        return bad(wrong, "must be a program's name or absolute path; options go into args");
    return g_strdup(text);
}

char *check_seccomp(const char *text, const char **wrong)
{
    if (!strcmp(text, "unconfined"))
        return g_strdup(text);
    char *path = check_absolute(text, wrong);
    return path
               ? path
               : bad(wrong, "must be \"unconfined\" or the absolute path of a profile on the host");
}

char *check_capability(const char *text, const char **wrong)
{
    static const char *const known[] = {"AUDIT_CONTROL",   "AUDIT_READ",   "AUDIT_WRITE",
                                        "BLOCK_SUSPEND",   "BPF",          "CHECKPOINT_RESTORE",
                                        "CHOWN",           "DAC_OVERRIDE", "DAC_READ_SEARCH",
                                        "FOWNER",          "FSETID",       "IPC_LOCK",
                                        "IPC_OWNER",       "KILL",         "LEASE",
                                        "LINUX_IMMUTABLE", "MAC_ADMIN",    "MAC_OVERRIDE",
                                        "MKNOD",           "NET_ADMIN",    "NET_BIND_SERVICE",
                                        "NET_BROADCAST",   "NET_RAW",      "PERFMON",
                                        "SETFCAP",         "SETGID",       "SETPCAP",
                                        "SETUID",          "SYSLOG",       "SYS_ADMIN",
                                        "SYS_BOOT",        "SYS_CHROOT",   "SYS_MODULE",
                                        "SYS_NICE",        "SYS_PACCT",    "SYS_PTRACE",
                                        "SYS_RAWIO",       "SYS_RESOURCE", "SYS_TIME",
                                        "SYS_TTY_CONFIG",  "WAKE_ALARM",   NULL};
    g_autofree char *name = g_ascii_strup(text, -1);
    const char *bare = g_str_has_prefix(name, "CAP_") ? name + 4 : name;
    if (!g_strv_contains(known, bare))
        return bad(wrong, "is not a Linux capability, such as \"CHOWN\"");
    return g_strdup(bare);
}

/* vendor.com/class=name, as the container device interface has it. */
static gboolean is_cdi(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    return g_strv_length(parts) == 2 && strchr(parts[0], '/') && *parts[0] != '/' &&
           only(parts[0], LOWER UPPER DIGITS "_.-/") && only(parts[1], LOWER UPPER DIGITS "_.-:");
}

static gboolean below_dev(const char *text)
{
    g_autofree char *path = *text == '/' ? normal_path(text) : NULL;
    return path && g_str_has_prefix(path, "/dev/") && !strcmp(path, text);
}

char *check_device_path(const char *text, const char **wrong)
{
    for (const char *c = text; *c; c++)
        if (g_ascii_iscntrl(*c))
            return bad(wrong, "has control characters in it");
    if (!below_dev(text) || !g_utf8_validate(text, -1, NULL))
        return bad(wrong, "must be the path of a device, such as /dev/kvm");
    return g_strdup(text);
}

static gboolean is_permissions(const char *text)
{
    return only(text, "rwm") && strlen(text) <= 3;
}

char *check_device(const char *text, const char **wrong)
{
    if (is_cdi(text))
        return g_strdup(text);
    g_auto(GStrv) parts = g_strsplit(text, ":", 4);
    guint n = g_strv_length(parts);
    gboolean good = n >= 1 && n <= 3 && below_dev(parts[0]);
    if (good && n == 2)
        good = below_dev(parts[1]) || is_permissions(parts[1]);
    if (good && n == 3)
        good = below_dev(parts[1]) && is_permissions(parts[2]);
    if (!good)
        return bad(wrong, "must be \"/dev/NAME\", \"/dev/NAME:/dev/NAME:rwm\" or "
                          "\"vendor/class=name\"");
    return g_strdup(text);
}

/* The agent's own wire format and prompt hold no longer label. */
#define KEY_MAX 256
/* 32 bytes in base64, without padding. */
#define SHA256_BASE64 43

char *check_key(const char *text, const char **wrong)
{
    static const char sha256[] = "SHA256:";
    const char *hash = text + strlen(sha256);
    if (g_str_has_prefix(text, sha256)) {
        if (strlen(hash) != SHA256_BASE64 || !only(hash, LOWER UPPER DIGITS "+/"))
            return bad(wrong, "must be a fingerprint as 'ssh-keygen -l' prints it");
        return g_strdup(text);
    }
    if (strchr(text, '/'))
        return check_source(text, wrong);
    if (!*text || strlen(text) > KEY_MAX || strpbrk(text, "\n\r\t"))
        return bad(wrong,
                   "must be a key's label, \"SHA256:…\", or a public key file with its path");
    return g_strdup(text);
}
