#include "box/helpers/trust_bundle.h"

#include <string.h>

/* What is not a certificate is a comment (RFC 7468, 5.2). The empty line is for a bundle whose last
 * line does not end. */
#define BEGIN "\n# Litterbox: the authority of this box alone, which each start renews\n"
#define END "# Litterbox: end"

/* Of Debian and Alpine, Fedora, Alpine, openSUSE; and what those of Fedora, Arch and openSUSE are
 * links to. */
const char *const trust_bundle_paths[] = {"/etc/ssl/certs/ca-certificates.crt",
                                          "/etc/pki/tls/certs/ca-bundle.crt",
                                          "/etc/ssl/cert.pem",
                                          "/etc/ssl/ca-bundle.pem",
                                          "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                          "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
                                          "/var/lib/ca-certificates/ca-bundle.pem",
                                          NULL};

GString *trust_bundle_without(const char *text, gsize length)
{
    GString *rest = g_string_sized_new(length);
    const char *stop = text + length;
    for (;;) {
        const char *begin = memmem(text, (gsize)(stop - text), BEGIN, strlen(BEGIN));
        const char *end = begin ? memmem(begin, (gsize)(stop - begin), END, strlen(END)) : NULL;
        if (!end)
            break;
        g_string_append_len(rest, text, begin - text);
        text = end + strlen(END);
        text += text < stop && *text == '\n';
        /* What a program has added behind it is a line of its own. */
        if (text < stop && *text != '\n' && rest->len > 0 && rest->str[rest->len - 1] != '\n')
            g_string_append_c(rest, '\n');
    }
    return g_string_append_len(rest, text, stop - text);
}

void trust_bundle_add(GString *bundle, const char *authority)
{
    g_string_append_printf(bundle, BEGIN "%s" END "\n", authority);
}
