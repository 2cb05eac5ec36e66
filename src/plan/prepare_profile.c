/* What a login shell in a box reads after all other profiles. */
#include "plan/prepare.h"

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
