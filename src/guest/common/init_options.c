#include "guest/common/init_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The settings whose row in config/schema.c has REACHES_INIT. */
static const struct setting_option settings[] = {
    {"box.idle_stop", SETTING_NUMBER, offsetof(struct init_options, idle_stop), NULL},
    {"box.keep_alive", SETTING_CHOICE, offsetof(struct init_options, keep_alive),
     keep_alive_choices},
    {"security.sudo", SETTING_CHOICE, offsetof(struct init_options, sudo), sudo_policy_choices},
    {"security.nested", SETTING_BOOL, offsetof(struct init_options, nested), NULL},
    {"security.keep_groups", SETTING_BOOL, offsetof(struct init_options, keep_groups), NULL},
    {0},
};

static const char *const cap_names[] = {
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "FSETID",
    "KILL",
    "SETGID",
    "SETUID",
    "SETPCAP",
    "LINUX_IMMUTABLE",
    "NET_BIND_SERVICE",
    "NET_BROADCAST",
    "NET_ADMIN",
    "NET_RAW",
    "IPC_LOCK",
    "IPC_OWNER",
    "SYS_MODULE",
    "SYS_RAWIO",
    "SYS_CHROOT",
    "SYS_PTRACE",
    "SYS_PACCT",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_NICE",
    "SYS_RESOURCE",
    "SYS_TIME",
    "SYS_TTY_CONFIG",
    "MKNOD",
    "LEASE",
    "AUDIT_WRITE",
    "AUDIT_CONTROL",
    "SETFCAP",
    "MAC_OVERRIDE",
    "MAC_ADMIN",
    "SYSLOG",
    "WAKE_ALARM",
    "BLOCK_SUSPEND",
    "AUDIT_READ",
    "PERFMON",
    "BPF",
    "CHECKPOINT_RESTORE",
};

static int parse_number(const char *text, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    return errno || end == text || *end || *number < 0 ? -1 : 0;
}

static int parse_cap(const char *name, uint64_t *caps)
{
    if (!strncmp(name, "CAP_", 4))
        name += 4;
    for (size_t i = 0; i < sizeof cap_names / sizeof *cap_names; i++) {
        if (!strcmp(name, cap_names[i])) {
            *caps |= (uint64_t)1 << i;
            return 0;
        }
    }
    return -1;
}

static int parse_caps(char *list, uint64_t *caps)
{
    char *rest = NULL;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (parse_cap(name, caps) < 0)
            return -1;
    }
    return 0;
}

static int add_reserved(struct init_options *self, const char *path)
{
    static const char *paths[RESERVED_NAMES_MAX];
    if (path[0] != '/' || self->reserved_count == RESERVED_NAMES_MAX)
        return -1;
    paths[self->reserved_count++] = path;
    self->reserved = paths;
    return 0;
}

static int add_hidden(struct init_options *self, const char *path)
{
    static const char *paths[RESERVED_NAMES_MAX];
    if (add_reserved(self, path) < 0)
        return -1;
    paths[self->hidden_count++] = path;
    self->hidden = paths;
    return 0;
}

static int add_git_folder(struct init_options *self, const char *path)
{
    if (path[0] != '/' || self->git_folder_count == GIT_FOLDERS_MAX)
        return -1;
    self->git_folders[self->git_folder_count++] = path;
    return 0;
}

static int parse_option(struct init_options *self, int option, char *value)
{
    long number = 0;
    switch (option) {
    case 'u':
        self->uid = parse_number(value, &number) < 0 ? (uid_t)-1 : (uid_t)number;
        return 0;
    case 'g':
        self->gid = parse_number(value, &number) < 0 ? (gid_t)-1 : (gid_t)number;
        return 0;
    case 'n':
        self->user = value;
        return 0;
    case 'h':
        self->home = value;
        return 0;
    case 's':
        self->shell = value;
        return 0;
    case 'w':
        self->workdir = value;
        return 0;
    case 'c':
        return parse_caps(value, &self->caps);
    case 'r':
        return add_reserved(self, value);
    case 'H':
        return add_hidden(self, value);
    case 'G':
        return add_git_folder(self, value);
    case 'S':
        return setting_option_read(settings, value, self) > 0 ? 0 : -1;
    default:
        return -1;
    }
}

int init_options_parse(struct init_options *self, int argc, char **argv)
{
    static const struct option table[] = {
        {"uid", required_argument, NULL, 'u'},        {"gid", required_argument, NULL, 'g'},
        {"user", required_argument, NULL, 'n'},       {"home", required_argument, NULL, 'h'},
        {"shell", required_argument, NULL, 's'},      {"workdir", required_argument, NULL, 'w'},
        {"caps", required_argument, NULL, 'c'},       {"reserve", required_argument, NULL, 'r'},
        {"hide", required_argument, NULL, 'H'},       {"set", required_argument, NULL, 'S'},
        {"git-folder", required_argument, NULL, 'G'}, {0},
    };
    *self = (struct init_options){.uid = (uid_t)-1,
                                  .gid = (gid_t)-1,
                                  .user = "user",
                                  .home = "/",
                                  .shell = "/bin/sh",
                                  .workdir = "/",
                                  .idle_stop = SETTINGS_NEVER};
    for (int option; (option = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        if (parse_option(self, option, optarg) < 0) {
            fprintf(stderr, "box-init: bad option value '%s'\n", optarg ? optarg : "");
            return -1;
        }
    }
    /* No default, and not root: sessions as root exist on request only. */
    if (self->uid == (uid_t)-1 || self->gid == (gid_t)-1 || self->uid == 0 || optind != argc) {
        fprintf(stderr, "box-init: needs --uid and --gid of an ordinary user\n");
        return -1;
    }
    return 0;
}
