/*
 * plan_prepare(): writes the files and folders that the request mounts: generated hosts and
 * resolv.conf, empty files that hide others, folders for overlays and the control socket, and the
 * settings of the desktop's appearance.
 */
#include "plan/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "plan/writable_folders.h"
#include "proto/network_rules.h"

static gboolean has_contents(const char *path, const char *text, gsize length)
{
    g_autofree char *old = NULL;
    gsize old_length = 0;

    return fs_read(AT_FDCWD, path, length, &old, &old_length, NULL) && old_length == length &&
           memcmp(old, text, length) == 0;
}

gboolean plan_write_file(const char *path, const char *text, gssize given, mode_t mode,
                         GError **error)
{
    gsize length = given < 0 ? strlen(text) : (gsize)given;
    /* The caller holds the box's lock, so one name is enough; the next start replaces the file if
     * this process is killed. */
    g_autofree char *temporary = g_strconcat(path, ".new", NULL);

    if (has_contents(path, text, length))
        return TRUE;
    unlink(temporary);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fs_fail(error, "write", path);
    gboolean ok = fs_write_all(fd, text, length) && fchmod(fd, mode) == 0;
    if (close(fd) < 0)
        ok = FALSE;
    if (ok && rename(temporary, path) == 0)
        return TRUE;
    fs_fail(error, "write", path);
    unlink(temporary);
    return FALSE;
}

static gboolean make_folder(const plan_box *box, const char *tail, mode_t mode, GError **error)
{
    g_autofree char *path = plan_data_path(box, tail);

    if (!fs_make_folder(path, 0700, error))
        return FALSE;
    return chmod(path, mode) == 0 || fs_fail(error, "open", path);
}

static gboolean write_data_file(const plan_box *box, const char *tail, const char *text,
                                mode_t mode, GError **error)
{
    g_autofree char *path = plan_data_path(box, tail);

    return plan_write_file(path, text, -1, mode, error);
}

/* What replaces a hidden path has mode 0, so that programs fail instead of using an empty file. */
static gboolean prepare_empty(const plan_box *box, GError **error)
{
    return make_folder(box, "empty", 0700, error) &&
           make_folder(box, PLAN_DATA_HIDDEN_FOLDER, 0, error) &&
           make_folder(box, PLAN_DATA_NESTED "/proc", 0555, error) &&
           write_data_file(box, PLAN_DATA_HIDDEN_FILE, "", 0, error) &&
           write_data_file(box, PLAN_DATA_EMPTY_FILE, "", 0444, error);
}

static gboolean prepare_etc(const plan_prepare_context *self, GError **error)
{
    g_autofree char *hosts = plan_hosts_content(self->box, self->wanted);
    g_autofree char *resolv = plan_resolv_content(self->wanted);
    g_autofree char *profile = plan_profile_content(self->box, self->request);

    return make_folder(self->box, PLAN_DATA_ETC, 0700, error) &&
           make_folder(self->box, PLAN_DATA_CERTIFICATES, 0755, error) &&
           write_data_file(self->box, PLAN_DATA_ETC "/hosts", hosts, 0444, error) &&
           write_data_file(self->box, PLAN_DATA_ETC "/resolv.conf", resolv, 0444, error) &&
           write_data_file(self->box, PLAN_DATA_ETC "/profile.sh", profile, 0444, error);
}

static gboolean prepare_overlays(const plan_prepare_context *self, GError **error)
{
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(self->request, "mounts"), i, mount) {
        const char *at = json_string_value(json_object_get(mount, "destination"));
        const char *folder = json_string_value(json_object_get(mount, "source"));
        if (!fs_is_below(at, PLAN_ROOT "/" PLAN_DATA_OVERLAY))
            continue;
        g_autofree char *upper = g_build_filename(folder, "upper", NULL);
        g_autofree char *work = g_build_filename(folder, "work", NULL);
        if (!fs_make_folder(upper, 0755, error) || !fs_make_folder(work, 0755, error))
            return FALSE;
    }
    return TRUE;
}

/* Root of the box creates the control socket in ctl/. */
static gboolean prepare_control_folder(const plan_box *box, GError **error)
{
    g_autofree char *ctl = g_build_filename(box->runtime, "ctl", NULL);

    if (!fs_make_folder(box->runtime, 0700, error) || !fs_make_folder(ctl, 0700, error))
        return FALSE;
    return TRUE;
}

char *plan_hosts_content(const plan_box *box, const settings *wanted)
{
    g_autoptr(GString) text = g_string_new("127.0.0.1\tlocalhost\n"
                                           "::1\tlocalhost ip6-localhost ip6-loopback\n");

    g_string_append_printf(text, "127.0.1.1\t%s\n", box->name);
    for (char **line = wanted->network.hosts; line && *line; line++) {
        const char *equals = strchr(*line, '=');
        if (equals && !strpbrk(*line, " \t\r\n"))
            g_string_append_printf(text, "%s\t%.*s\n", equals + 1, (int)(equals - *line), *line);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *plan_resolv_content(const settings *wanted)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (char **server = wanted->network.dns; server && *server; server++)
        if (wanted->network.mode != NETWORK_NONE && !strpbrk(*server, " \t\r\n"))
            g_string_append_printf(text, "nameserver %s\n", *server);
    if (wanted->network.mode == NETWORK_FILTERED)
        g_string_append(text, "nameserver " FAKE_SERVER_TEXT "\n");
    if (text->len == 0)
        g_string_append(text, "# this box has no DNS\n");
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/*
 * Git of 2.32 and later takes $GIT_CONFIG_SYSTEM for its system configuration. The file includes
 * the one that git would have read, so what an image or root of the box puts there counts, too. A
 * mount on /etc/gitconfig would hide that file, and root could not replace it.
 */
static gboolean prepare_git(const plan_prepare_context *self, GError **error)
{
    const git_identity *identity = self->facts->identity;
    const char *of_image = self->box->image ? plan_image_env(self->box, "GIT_CONFIG_SYSTEM") : NULL;

    if (!self->wanted->git.identity || !identity)
        return TRUE;
    /* Where the box signs with its SSH agent, the agent says with which key. */
    gboolean agent_signs = self->box->ssh && self->wanted->ssh.git_signing;
    g_autofree char *text = git_identity_text(
        identity, of_image && *of_image == '/' ? of_image : "/etc/gitconfig", !agent_signs);
    return make_folder(self->box, PLAN_DATA_GIT, 0755, error) &&
           write_data_file(self->box, PLAN_DATA_GIT "/config", text, 0444, error);
}

/* A box that runs without them gets no names later: it may have written remotes by then. */
static gboolean keep_no_hosts(const plan_box *box, GError **error)
{
    g_autofree char *path = plan_data_path(box, PLAN_DATA_REMOTE_HOSTS);

    return access(path, F_OK) == 0 || write_data_file(box, PLAN_DATA_REMOTE_HOSTS, "", 0600, error);
}

static gboolean prepare_host_keys(const plan_prepare_context *self, GError **error)
{
    const plan_facts *facts = self->facts;

    if (!self->wanted->git.host_keys || !facts->host_keys)
        return keep_no_hosts(self->box, error);
    g_autofree char *names = g_strjoinv("\n", facts->remote_hosts);
    return write_data_file(self->box, PLAN_DATA_REMOTE_HOSTS, names, 0600, error) &&
           write_data_file(self->box, PLAN_DATA_KNOWN_HOSTS, facts->host_keys, 0444, error);
}

/* Folders at PLAN_APPEARANCE. */
static const char *const appearance_folders[] = {
    "config/gtk-3.0",
    "config/gtk-4.0",
    "dconf",
    "share/icons/default",
};

/* TEXT NULL: removes the file. */
static gboolean write_appearance_file(const plan_prepare_context *self, const char *name,
                                      const char *text, gssize length, GError **error)
{
    g_autofree char *path = g_build_filename(self->box->data, PLAN_DATA_APPEARANCE, name, NULL);

    if (text)
        return plan_write_file(path, text, length, 0444, error);
    unlink(path);
    return TRUE;
}

static gboolean is_mounted(const plan_prepare_context *self, const char *target)
{
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(self->request, "mounts"), i, mount)
        if (g_strcmp0(json_string_value(json_object_get(mount, "destination")), target) == 0)
            return TRUE;
    return FALSE;
}

/* fonts.conf (fonts-conf(5)): includes the box's own configuration, then adds the mounted folders
 * of the user and the host. */
static char *fonts_content(const plan_prepare_context *self)
{
    static const char *const fonts[] = {"user", "old", "local", "host"};
    const char *image_file = self->box->image ? plan_image_env(self->box, "FONTCONFIG_FILE") : NULL;
    g_autofree char *file = g_markup_escape_text(
        image_file && *image_file == '/' ? image_file : "/etc/fonts/fonts.conf", -1);
    GString *text = g_string_new("<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM "
                                 "\"urn:fontconfig:fonts.dtd\">\n<fontconfig>\n");

    g_string_append_printf(text, "<include ignore_missing=\"yes\">%s</include>\n", file);
    for (gsize i = 0; i < G_N_ELEMENTS(fonts); i++) {
        g_autofree char *folder = g_build_filename(PLAN_SHARE, fonts[i], "fonts", NULL);
        if (is_mounted(self, folder))
            g_string_append_printf(text, "<dir>%s</dir>\n", folder);
    }
    /* Used when the box has no configuration. */
    g_string_append(
        text, "<cachedir prefix=\"xdg\">fontconfig</cachedir>\n"
              "<include ignore_missing=\"yes\">" PLAN_SHARE "/fontconfig/fonts.conf</include>\n"
              "<include ignore_missing=\"yes\">" PLAN_SHARE "/fontconfig/conf.d</include>\n"
              "</fontconfig>\n");
    return g_string_free(text, FALSE);
}

static gboolean write_gtk(const plan_prepare_context *self, GError **error)
{
    g_autofree char *gtk3 = appearance_gtk(self->facts->appearance, FALSE);
    g_autofree char *gtk4 = appearance_gtk(self->facts->appearance, TRUE);

    return write_appearance_file(self, "config/gtk-3.0/settings.ini", gtk3, -1, error) &&
           write_appearance_file(self, "config/gtk-4.0/settings.ini", gtk4, -1, error);
}

/* The profile (dconf(7)) gives the box's own settings priority over the user's. */
static gboolean write_dconf(const plan_prepare_context *self, GError **error)
{
    static const char profile[] = "user-db:user\nfile-db:" PLAN_APPEARANCE "/dconf/database\n";
    GByteArray *database = appearance_dconf(self->facts->appearance);
    gboolean ok = write_appearance_file(self, "dconf/database", (const char *)database->data,
                                        database->len, error) &&
                  write_appearance_file(self, "dconf/profile", profile, -1, error);

    g_byte_array_unref(database);
    return ok;
}

/* Runs before each start, so a running box keeps the appearance that it started with. */
static gboolean prepare_appearance(const plan_prepare_context *self, GError **error)
{
    const appearance *shown = self->facts->appearance;

    if (!settings_wants_appearance(self->wanted) || !shown)
        return TRUE;
    for (gsize i = 0; i < G_N_ELEMENTS(appearance_folders); i++) {
        g_autofree char *path =
            g_build_filename(self->box->data, PLAN_DATA_APPEARANCE, appearance_folders[i], NULL);
        if (!fs_make_folder(path, 0755, error))
            return FALSE;
    }
    g_autofree char *fonts = fonts_content(self);
    g_autofree char *cursor = appearance_cursor(shown);
    const char *kde = shown->kde->len ? shown->kde->str : NULL;
    return write_gtk(self, error) && write_dconf(self, error) &&
           write_appearance_file(self, "fonts.conf", fonts, -1, error) &&
           write_appearance_file(self, "share/icons/default/index.theme", cursor, -1, error) &&
           write_appearance_file(self, "config/kdeglobals", kde, -1, error);
}

gboolean plan_prepare(const plan_box *box, const settings *wanted, const plan_facts *facts,
                      GError **error)
{
    g_autoptr(plan) planned = plan_make(box, wanted, facts, error);

    if (!planned)
        return FALSE;
    plan_prepare_context self = {
        .box = box, .wanted = wanted, .facts = facts, .request = planned->request};
    return fs_make_folder(box->data, 0700, error) && fs_make_folder(box->home, 0700, error) &&
           writable_folders_note(wanted, facts, error) && prepare_control_folder(box, error) &&
           prepare_empty(box, error) && prepare_etc(&self, error) && prepare_git(&self, error) &&
           prepare_host_keys(&self, error) && prepare_overlays(&self, error) &&
           plan_prepare_layers(&self, planned->layers, error) &&
           (box->image || plan_prepare_host_image(&self, error)) &&
           prepare_appearance(&self, error) && plan_prepare_mount_points(&self, error);
}

/* What a login shell in a box reads after all other profiles. */

/*
 * Bash's prompt shows the box once, in a colour of the box. As ~/.bashrc sets the prompt after the
 * profile, this is done before the first prompt, from PROMPT_COMMAND. The host name of a box is its
 * name: a prompt that shows it gets the colour there, and others get the name in front. In quotes
 * for eval, because other shells cannot read it. A prompt of another program (starship) stays as it
 * is.
 */
static const char prompt_script[] =
    "if [ -n \"${BASH_VERSION-}\" ] && [ -n \"${PS1-}\" ] && [ -n \"${LITTERBOX_BOX-}\" ]; then\n"
    "    eval 'litterbox_prompt() {\n"
    "        local name=$LITTERBOX_BOX\n"
    "        case ${TERM:-dumb} in\n"
    "        dumb) ;;\n"
    "        *) name=\"\\[\\e[1;%dm\\]$name\\[\\e[0m\\]\" ;;\n"
    "        esac\n"
    "        local start=${PS1%%\\\\[hH]*} end=${PS1##*\\\\[hH]}\n"
    "        case ${start##*\\\\\\[} in\n"
    "        \"$start\" | *\\\\\\]*) ;;\n"
    "        *) start=$PS1 ;;\n" /* what takes no room, as a title: colours would end it */
    "        esac\n"
    "        case $start in\n"
    "        \"$PS1\") case $PS1 in *\"$LITTERBOX_BOX\"*) ;; *) PS1=\"$name $PS1\" ;; esac ;;\n"
    "        *) PS1=$start$name$end ;;\n"
    "        esac\n"
    "        PROMPT_COMMAND=${PROMPT_COMMAND//litterbox_prompt;/}\n"
    "        unset -f litterbox_prompt\n"
    "    }'\n"
    "    PROMPT_COMMAND=\"litterbox_prompt;${PROMPT_COMMAND-}\"\n"
    "fi\n";

/* One of the six colours of a terminal that are neither black nor white; not that of the windows
 * that ask questions, which no box may know. */
static int colour_of(const char *name)
{
    return 31 + (int)(g_str_hash(name) % 6);
}

char *plan_profile_content(const plan_box *box, const json_t *request)
{
    const char *path = json_string_value(json_object_get(json_object_get(request, "env"), "PATH"));
    g_autofree char *quoted = g_shell_quote(path ? path : PLAN_BIN);
    g_autofree char *prompt = g_strdup_printf(prompt_script, colour_of(box->name));

    return g_strdup_printf("# The box's PATH, which /etc/profile may have replaced, and the "
                           "folders added since.\n"
                           "box_path=%s box_ifs=$IFS IFS=:\n"
                           "for box_dir in $PATH; do\n"
                           "    case \":$box_path:\" in\n"
                           "    *\":$box_dir:\"*) ;;\n"
                           "    *) box_path=$box_path:$box_dir ;;\n"
                           "    esac\n"
                           "done\n"
                           "IFS=$box_ifs PATH=$box_path\n"
                           "export PATH\n"
                           "unset box_path box_ifs box_dir\n"
                           "%s",
                           quoted, prompt);
}
