/* Completion for bash, without the bash-completion package. */
#include "cli/cli.h"

static const char bash_head[] =
    "# bash completion of box, made by 'box completion bash'.\n"
    "# shellcheck shell=bash disable=SC2034,SC2207 # set for another function; split at line ends\n"
    "\n";

static const char tail[] =
    "# _box_projects CURRENT KIND: what can stand for PROJECT.\n"
    "_box_projects() {\n"
    "    local IFS=$'\\n'\n"
    "    COMPREPLY=($(compgen -W \"$(box completion words \"$2\" 2>/dev/null)\" -- \"$1\"))\n"
    "    COMPREPLY+=($(compgen -d -- \"$1\"))\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "\n"
    "# _box_words WORDS CURRENT\n"
    "_box_words() {\n"
    "    local IFS=$' \\t\\n'\n"
    "    COMPREPLY=($(compgen -W \"$1\" -- \"$2\"))\n"
    "}\n"
    "\n"
    "# _box_programs CURRENT: as a path it is a file, whose name readline has to quote.\n"
    "_box_programs() {\n"
    "    local IFS=$'\\n'\n"
    "    COMPREPLY=($(compgen -c -- \"$1\" | sort -u))\n"
    "    [[ $1 != */* ]] || compopt -o filenames 2>/dev/null\n"
    "}\n"
    "\n"
    "# _box_complete KIND WORDS CURRENT BEFORE\n"
    "_box_complete() {\n"
    "    local IFS=$'\\n' before=${4:-} words\n"
    "    [[ $before != -* ]] || before=\n"
    "    case $1 in\n"
    "    words) _box_words \"$2\" \"$3\" ;;\n"
    "    folder) COMPREPLY=($(compgen -d -- \"$3\")) && compopt -o filenames 2>/dev/null ;;\n"
    "    file) COMPREPLY=($(compgen -f -- \"$3\")) && compopt -o filenames 2>/dev/null ;;\n"
    "    variable) COMPREPLY=($(compgen -e -- \"$3\")) ;;\n"
    "    project) _box_projects \"$3\" boxes ;;\n"
    "    project-or-branch) _box_projects \"$3\" boxes-and-branches ;;\n"
    "    program)\n"
    "        words=$(box completion words agents 2>/dev/null)\n"
    "        _box_programs \"$3\"\n"
    "        COMPREPLY+=($(compgen -W \"$words\" -- \"$3\"))\n"
    "        ;;\n"
    "    anything | '') ;;\n"
    "    commands) _box_words \"$_box_commands\" \"$3\" ;;\n"
    "    *) _box_words \"$(box completion words \"$1\" \"$before\" 2>/dev/null)\" \"$3\" ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "# _box_operand AT CURRENT BEFORE: by $operands, with the kinds of each operand as KIND,KIND…;\n"
    "# those of all that follow begin with \"*\".\n"
    "_box_operand() {\n"
    "    local IFS=$' \\t\\n' kinds kind found=()\n"
    "    local -a each\n"
    "    read -ra each <<<\"$operands\"\n"
    "    kinds=${each[$1]:-}\n"
    "    if [[ -z $kinds || $kinds == \\** ]]; then\n"
    "        kinds=${operands##* }\n"
    "        [[ $kinds == \\** ]] || return 0\n"
    "    fi\n"
    "    kinds=${kinds#\\*}\n"
    "    for kind in ${kinds//,/ }; do\n"
    "        COMPREPLY=()\n"
    "        _box_complete \"$kind\" '' \"$2\" \"$3\"\n"
    "        found+=(${COMPREPLY[@]+\"${COMPREPLY[@]}\"})\n"
    "    done\n"
    "    COMPREPLY=(${found[@]+\"${found[@]}\"})\n"
    "}\n"
    "\n"
    "# After \"--\", at word $1: the command's own completion, where bash-completion is loaded.\n"
    "_box_command() {\n"
    "    if declare -F _command_offset >/dev/null; then\n"
    "        _command_offset \"$1\"\n"
    "    elif ((COMP_CWORD == $1)); then\n"
    "        _box_programs \"${COMP_WORDS[COMP_CWORD]}\"\n"
    "    else\n"
    "        _box_complete file '' \"${COMP_WORDS[COMP_CWORD]}\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "_box_find() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i count=0\n"
    "    local options verbs operands behind kind words verb=\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        _box_words \"$_box_commands\" \"$cur\"\n"
    "        return\n"
    "    fi\n"
    "    _box_table \"${COMP_WORDS[1]}\" || return\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
    "            [[ -z $behind ]] || _box_command $((i + 1))\n"
    "            return\n"
    "        fi\n"
    "        kind=''\n"
    "        if [[ ${COMP_WORDS[i]} == -* ]]; then\n"
    "            _box_value \"${COMP_WORDS[1]}\" \"${COMP_WORDS[i]}\"\n"
    "            # Bash splits --option=value into three words.\n"
    "            if [[ ${COMP_WORDS[i + 1]} == = ]]; then ((i += 2)); elif [[ -n $kind ]]; then ((i++)); fi\n"
    "        else\n"
    "            ((count += 1))\n"
    "            verb=${verb:-${COMP_WORDS[i]}}\n"
    "        fi\n"
    "    done\n"
    "    [[ $cur != = ]] || cur=\n"
    "    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [[ -z $verb ]] || _box_verb \"${COMP_WORDS[1]}\" \"$verb\"\n"
    "    kind='' words=''\n"
    "    [[ $prev != -* ]] || _box_value \"${COMP_WORDS[1]}\" \"$prev\"\n"
    "    if [[ -n $kind ]]; then\n"
    "        _box_complete \"$kind\" \"$words\" \"$cur\"\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        _box_words \"$options --debug --help${behind:+ --}\" \"$cur\"\n"
    "    elif [[ -n $verbs ]] && ((count == 0)); then\n"
    "        _box_words \"$verbs\" \"$cur\"\n"
    "    else\n"
    "        _box_operand $((count - (${#verbs} ? 1 : 0))) \"$cur\" \"$prev\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "# Bash divides words at colons, as in debian:bookworm: they are put together again, and what is\n"
    "# offered is without what stands before the colon.\n"
    "_box() {\n"
    "    local i word at=0 status=0 line=()\n"
    "    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((i > 1)) && [[ \" ${line[*]} \" != *' -- '* && ($word == :* || ${line[-1]} == *:) ]]; then\n"
    "            line[-1]+=$word\n"
    "        else\n"
    "            line+=(\"$word\")\n"
    "        fi\n"
    "        ((i != COMP_CWORD)) || at=$((${#line[@]} - 1))\n"
    "    done\n"
    "    local COMP_WORDS=(\"${line[@]}\") COMP_CWORD=$at\n"
    "    word=${line[at]}\n"
    "    _box_find || status=$?\n"
    "    [[ $word != *:* ]] || COMPREPLY=(${COMPREPLY[@]+\"${COMPREPLY[@]#\"${word%\"${word##*:}\"}\"}\"})\n"
    "    return \"$status\"\n"
    "}\n"
    "\n"
    "complete -F _box box\n";

static void print_commands(FILE *out)
{
    fputs("_box_commands='", out);
    for (const struct command *const *row = commands; *row; row++)
        fprintf(out, "%s%s%s ", (*row)->name, (*row)->alias ? " " : "",
                (*row)->alias ? (*row)->alias : "");
    fputs("--debug --help --version'\n\n", out);
}

static void print_names(const struct command *row, FILE *out)
{
    fprintf(out, "    %s%s%s)", row->name, row->alias ? " | " : "", row->alias ? row->alias : "");
}

/* "project file *file": the kinds of each operand, of those that follow behind a "*". A new
 * string. */
static char *kinds_of(const struct command *row, const struct command_verb *verb)
{
    struct operands operands = completion_operands(row, verb);
    g_autoptr(GString) all = g_string_new(NULL);
    for (guint i = 0; i < operands.count; i++) {
        g_autofree char *kinds = completion_at(&operands, i, ",");
        g_string_append_printf(all, "%s%s", i ? " " : "", *kinds ? kinds : "anything");
    }
    g_autofree char *behind = completion_at(&operands, operands.count, ",");
    if (*behind)
        g_string_append_printf(all, "%s*%s", all->len ? " " : "", behind);
    return g_strdup(all->str);
}

/* Sets what `_box` needs to know of a command. */
static void print_table(FILE *out)
{
    fputs("# _box_table COMMAND: sets options, verbs, operands and behind.\n"
          "_box_table() {\n    case $1 in\n",
          out);
    for (const struct command *const *row = commands; *row; row++) {
        g_autofree option *options = command_options(*row);
        g_autofree char *verbs = completion_verbs(*row), *kinds = kinds_of(*row, NULL);
        print_names(*row, out);
        fputs(" options='", out);
        for (const option *o = options; o->kind != OPTION_END; o++) {
            fprintf(out, "%s--%s", o == options ? "" : " ", o->name);
            if (o->letter)
                fprintf(out, " -%c", o->letter);
        }
        fprintf(out, "' verbs='%s' operands='%s' behind=%s ;;\n", verbs, kinds,
                (*row)->flags & COMMAND_TAKES_COMMAND ? "yes" : "");
    }
    fputs("    *) return 1 ;;\n    esac\n}\n\n", out);
}

static void bash_verbs(FILE *out)
{
    fputs("# _box_verb COMMAND VERB: sets operands for those that stand after a verb.\n"
          "_box_verb() {\n    case $1:$2 in\n",
          out);
    for (const struct command *const *row = commands; *row; row++) {
        for (const struct command_verb *verb = (*row)->verbs; verb && verb->name; verb++) {
            g_autofree char *kinds = kinds_of(*row, verb);
            if (*kinds)
                fprintf(out, "    %s:%s) operands='%s' ;;\n", (*row)->name, verb->name, kinds);
        }
    }
    fputs("    esac\n}\n\n", out);
}

static void print_value(const struct command *row, const option *o, FILE *out)
{
    static const char *const kinds[] = {
        [VALUE_NONE] = "",
        [VALUE_CHOICE] = "words",
        [VALUE_FOLDER] = "folder",
        [VALUE_FILE] = "file",
        [VALUE_VARIABLE] = "variable",
        [VALUE_BRANCH] = "branches",
        [VALUE_ANYTHING] = "anything",
    };
    completion_value value = completion_value_of(o);

    G_STATIC_ASSERT(G_N_ELEMENTS(kinds) == N_VALUES);
    if (value == VALUE_NONE)
        return;
    fprintf(out, "    %s:--%s", row->name, o->name);
    if (o->letter)
        fprintf(out, " | %s:-%c", row->name, o->letter);
    if (row->alias)
        fprintf(out, " | %s:--%s", row->alias, o->name);
    if (row->alias && o->letter)
        fprintf(out, " | %s:-%c", row->alias, o->letter);
    fprintf(out, ") kind=%s words='%s' ;;\n", kinds[value], o->choices ? o->choices : "");
}

void completion_bash(FILE *out)
{
    fputs(bash_head, out);
    print_commands(out);
    print_table(out);
    bash_verbs(out);
    fputs("# _box_value COMMAND OPTION: sets kind, when the option takes a value, and words.\n"
          "_box_value() {\n    case $1:$2 in\n",
          out);
    for (const struct command *const *row = commands; *row; row++) {
        g_autofree option *options = command_options(*row);
        for (const option *o = options; o->kind != OPTION_END; o++)
            print_value(*row, o, out);
    }
    fputs("    esac\n}\n\n", out);
    fputs(tail, out);
}
