/* Which names a shim may have: none that would harm the machine, or that no shell would run. */
#include "box/shims.h"

#include <string.h>

#include "common/text.h"

#define NAME_LONGEST 100
#define ALLOWED "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+@-"

/* Words are whole names, split by spaces. */
static const struct {
    const char *names, *why;
} refused[] = {
    {"box box-init litterbox", "is Litterbox itself"},
    {"alias bg bind break builtin caller case cd command compgen complete compopt continue coproc "
     "declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi "
     "for function getopts hash help history if in jobs kill let local logout mapfile popd printf "
     "pushd pwd read readarray readonly return select set shift shopt source suspend test then time "
     "times trap true type typeset ulimit umask unalias unset until wait while abbr and argparse "
     "begin count end math not or setopt string switch status unsetopt zle zstyle",
     "is built into shells, which never look for it on PATH"},
    {"sh bash dash zsh fish ksh mksh tcsh csh busybox env",
     "runs the scripts of this machine, which would then run in boxes; 'box enter' opens a shell in "
     "a box"},
    {"sudo sudoedit su doas pkexec run0 login passwd",
     "asks for your password, and a box could keep it"},
    {"ssh ssh-add ssh-agent ssh-keygen ssh-copy-id scp sftp gpg gpg-agent gpgconf gpgsm pass",
     "works with your keys, which a box has not got; for SSH, 'box keys attach' lets a box sign"},
    {"podman conmon crun runc newuidmap newgidmap pasta passt slirp4netns fuse-overlayfs catatonit "
     "netavark aardvark-dns nft iptables ip tar systemctl systemd-run debootstrap mmdebstrap",
     "is what boxes are made and started with"},
};

static const char *why_refused(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_auto(GStrv) names = g_strsplit(refused[i].names, " ", -1);
        if (g_strv_contains((const char *const *)names, name))
            return refused[i].why;
    }
    return NULL;
}

/* What is wrong with its letters, or NULL. */
static const char *why_malformed(const char *name)
{
    if (!*name)
        return "is empty";
    if (strchr(name, '/'))
        return "is a path; name the command alone, as you type it";
    if (!g_ascii_isalnum(*name) && *name != '_')
        return "does not begin with a letter, a digit or '_'";
    if (name[strspn(name, ALLOWED)] || strlen(name) > NAME_LONGEST)
        return "is no name of a command: letters, digits and _ . + @ - are, 100 at most";
    if (g_str_has_suffix(name, SHIMS_RAW))
        return "ends in '-raw', as the way past a shim does";
    return NULL;
}

gboolean shims_check_name(const char *name, GError **error)
{
    const char *why = why_malformed(name);
    if (!why)
        why = why_refused(name);
    if (!why)
        return TRUE;
    g_autofree char *safe = text_safe(name, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "no shim can be called '%s': it %s", safe, why);
    return FALSE;
}
