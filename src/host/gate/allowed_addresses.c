#include "host/gate/allowed_addresses.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* An address of the host can be bound to, and no other. Needs no netlink(7), which a confined
 * process does not have. */
static bool is_own(const struct sockaddr *address)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } local = {0};
    int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memcpy(&local, address, resolved_length(address));
    local.v4.sin_port = 0; /* at the same place in both */
    bool own = fd >= 0 && bind(fd, &local.any, resolved_length(address)) == 0;
    if (fd >= 0)
        close(fd);
    return own || fd < 0;
}

void allowed_addresses_keep(const struct network_rules *rules, struct resolved *found,
                            const char **why)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct sockaddr *address = &found->address[i].any;
        const char *refused = network_rules_refuse(rules, address, is_own(address));
        if (refused)
            *why = refused;
        else
            found->address[kept++] = found->address[i];
    }
    found->count = kept;
}
