#include "host/gate/nft.h"

#include <arpa/inet.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/nft_programs.h"
#include "sys/signals.h"

static const char *const programs[] = {NFT_PROGRAMS};

/* Ports on which the gate can tell a program why it is refused (refusal_text.h). */
static const uint16_t answered[] = {22, 80};

static void write_networks(FILE *out, const struct network_rule *rule)
{
    struct in_addr network = {htonl(rule->kind == RULE_ADDRESS ? rule->address : FAKE_NETWORK)};
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &network, text, sizeof text);
    fprintf(out, "ip daddr %s/%d tcp dport %u", text,
            rule->kind == RULE_ADDRESS ? rule->prefix : FAKE_PREFIX, rule->port);
}

/* Deleting needs the table, so it is added first. nft does all of it or nothing. */
static void write_ruleset(FILE *out, const struct network_rules *rules,
                          const struct sockaddr_in *address)
{
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    fputs("table ip litterbox {}\ndelete table ip litterbox\n"
          "table ip litterbox {\nchain output {\n"
          "type nat hook output priority -100; policy accept;\n",
          out);
    /* The DNS server is an address of the range, too. */
    fprintf(out, "ip daddr %s return\n", text);
    for (size_t i = 0; i < rules->count; i++) {
        if (rules->rules[i].denies)
            continue;
        write_networks(out, &rules->rules[i]);
        fprintf(out, " dnat to %s:%u\n", text, ntohs(address->sin_port));
    }
    for (size_t i = 0; i < sizeof answered / sizeof *answered; i++) {
        write_networks(out, &(struct network_rule){.kind = RULE_NAME, .port = answered[i]});
        fprintf(out, " dnat to %s:%u\n", text, ntohs(address->sin_port));
    }
    fputs("}\n}\n", out);
}

/* Executing a program as a user that is not root drops capabilities, unless they are ambient
 * (capabilities(7)). */
static int keep_capability(unsigned capability)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) < 0)
        return -1;
    data[capability / 32].inheritable |= 1u << capability % 32;
    return syscall(SYS_capset, &header, data) < 0 ||
                   prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0
               ? -1
               : 0;
}

static _Noreturn void execute(int ruleset)
{
    static char *const nothing[] = {NULL};
    if (lseek(ruleset, 0, SEEK_SET) == 0 && dup2(ruleset, STDIN_FILENO) >= 0 &&
        keep_capability(CAP_NET_ADMIN) == 0)
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
            execve(programs[i], (char *[]){"nft", "-f", "-", NULL}, nothing);
    _exit(127);
}

int nft_redirect(const struct network_rules *rules, const struct sockaddr_in *address)
{
    int status = -1, ruleset = memfd_create("nft", MFD_CLOEXEC);
    FILE *out = ruleset < 0 ? NULL : fdopen(ruleset, "w");
    if (!out)
        return -1;
    write_ruleset(out, rules, address);
    pid_t self = getpid(), child = fflush(out) == 0 ? fork() : -1;
    if (child == 0) {
        signals_end_with(self);
        execute(ruleset);
    }
    if (child > 0 && waitpid(child, &status, 0) != child)
        status = -1;
    fclose(out);
    return status == 0 ? 0 : -1;
}
