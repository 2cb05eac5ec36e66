#include "host/gate/box_network.h"

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

/* PORT 0: every port. */
static void write_redirect(FILE *out, const struct network_prefix *to, uint16_t port, int listener)
{
    char text[NETWORK_ADDRESS_SIZE], ports[32] = "meta l4proto tcp";
    bool is_v4 = network_address_is_v4(&to->address);
    network_prefix_text(to, text);
    text[strcspn(text, "]")] = '\0';
    if (port)
        snprintf(ports, sizeof ports, "tcp dport %u", port);
    fprintf(out, "%s daddr %s %s dnat to %s:%d\n", is_v4 ? "ip" : "ip6", is_v4 ? text : text + 1,
            ports, is_v4 ? FAKE_SERVER_TEXT : "[::1]", listener);
}

/* Deleting needs the table, so it is added first. nft does all of it or nothing. */
static void begin_table(FILE *out, const char *family)
{
    fprintf(out,
            "table %s litterbox {}\ndelete table %s litterbox\ntable %s litterbox {\n"
            "chain output {\ntype nat hook output priority -100; policy accept;\n",
            family, family, family);
}

static void write_rules(FILE *out, const struct network_rules *rules, bool is_v4, int listener)
{
    const struct network_prefix fake = {network_address_v4(FAKE_NETWORK), 96 + FAKE_PREFIX};
    for (size_t i = 0; i < rules->count; i++) {
        const struct network_rule *rule = &rules->rules[i];
        const struct network_prefix *to = rule->kind == RULE_ADDRESS ? &rule->network : &fake;
        if (!rule->denies && network_address_is_v4(&to->address) == is_v4)
            write_redirect(out, to, rule->port, listener);
    }
    for (size_t i = 0; is_v4 && i < sizeof answered / sizeof *answered; i++)
        write_redirect(out, &fake, answered[i], listener);
    /* The user may be asked about any port of a name, or all of them are let through. */
    if (is_v4 && rules->unlisted != UNLISTED_REFUSED)
        write_redirect(out, &fake, 0, listener);
}

static void write_ruleset(FILE *out, const struct network_rules *rules, int v4, int v6)
{
    begin_table(out, "ip");
    /* The DNS server is an address of the range, too. */
    fputs("ip daddr " FAKE_SERVER_TEXT " return\n", out);
    write_rules(out, rules, true, v4);
    fputs("}\n}\n", out);
    if (v6 < 0)
        return;
    begin_table(out, "ip6");
    write_rules(out, rules, false, v6);
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

int nft_redirect(const struct network_rules *rules, int v4, int v6)
{
    int status = -1, ruleset = memfd_create("nft", MFD_CLOEXEC);
    FILE *out = ruleset < 0 ? NULL : fdopen(ruleset, "w");
    if (!out)
        return -1;
    write_ruleset(out, rules, v4, v6);
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
