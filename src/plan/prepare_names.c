/* hosts, resolv.conf and profile of a box: nothing of the host's own is in them. */
#include "plan/prepare.h"

#include <string.h>

char *plan_hosts_text(const plan_box *box, const settings *wanted)
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

char *plan_profile_text(const json_t *request)
{
    const char *path = json_string_value(json_object_get(json_object_get(request, "env"), "PATH"));
    g_autofree char *quoted = g_shell_quote(path ? path : PLAN_BIN);

    return g_strdup_printf("# The PATH of the box, which /etc/profile may have replaced, and what "
                           "was added to it.\n"
                           "box_path=%s box_ifs=$IFS IFS=:\n"
                           "for box_dir in $PATH; do\n"
                           "    case \":$box_path:\" in\n"
                           "    *\":$box_dir:\"*) ;;\n"
                           "    *) box_path=$box_path:$box_dir ;;\n"
                           "    esac\n"
                           "done\n"
                           "IFS=$box_ifs PATH=$box_path\n"
                           "export PATH\n"
                           "unset box_path box_ifs box_dir\n",
                           quoted);
}

char *plan_resolv_text(const settings *wanted)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (char **server = wanted->network.dns; server && *server; server++)
        if (wanted->network.mode != NETWORK_NONE && !strpbrk(*server, " \t\r\n"))
            g_string_append_printf(text, "nameserver %s\n", *server);
    if (text->len == 0)
        g_string_append(text, "# this box has no DNS\n");
    return g_string_free(g_steal_pointer(&text), FALSE);
}
