/* What boxes with a filtered network need of this machine: the gate uses its resolver and clock. */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "common/units.h"
#include "doctor/doctor.h"
#include "proto/network_rules.h"
#include "proto/nft_programs.h"

/* Bytes of resolv.conf and nsswitch.conf. */
#define CONF_MAX (64 << 10)

static gboolean has_nft(void)
{
    static const char *const programs[] = {NFT_PROGRAMS};
    for (gsize i = 0; i < G_N_ELEMENTS(programs); i++)
        if (access(programs[i], X_OK) == 0)
            return TRUE;
    return FALSE;
}

/* A line of headings; then of each route its interface, its network (%08X of the bytes as they are
 * on the wire), five more, and its mask. */
char *doctor_fake_route(const char *table)
{
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    for (char **line = lines; *line; line++) {
        char interface[IF_NAMESIZE];
        guint32 network, mask;
        if (sscanf(*line, "%15s %8x %*x %*x %*s %*s %*s %8x", interface, &network, &mask) == 3 &&
            ntohl(mask) >= ~0u << (32 - FAKE_PREFIX) &&
            (ntohl(network) ^ FAKE_NETWORK) >> (32 - FAKE_PREFIX) == 0)
            return text_safe(interface, -1);
    }
    return NULL;
}

static char *find_fake_route(void)
{
    g_autofree char *table = NULL;
    g_file_get_contents("/proc/net/route", &table, NULL, NULL);
    return table ? doctor_fake_route(table) : NULL;
}

/* The words of the line that begins with NAME in TEXT, of words and comments; NULL: none. Free with
 * g_strfreev(). */
static char **words_of(const char *text, const char *name)
{
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) words = g_strsplit_set(*line, " \t", -1);
        char *comment = strchr(*line, '#');
        if (comment)
            *comment = '\0';
        if (g_strcmp0(words[0], name) == 0)
            return g_strsplit_set(g_strstrip(*line), " \t", -1);
    }
    return NULL;
}

gboolean doctor_has_resolver(const char *resolv_conf, const char *nsswitch_conf)
{
    g_auto(GStrv) servers = words_of(resolv_conf, "nameserver");
    g_auto(GStrv) sources = words_of(nsswitch_conf, "hosts:");
    return servers || (sources && g_strv_contains((const char *const *)sources, "resolve"));
}

/* How many seconds this machine's clock is before its own installed program. */
static gint64 clock_behind(void)
{
    struct stat self;
    gint64 now = time(NULL);
    return stat("/proc/self/exe", &self) == 0 && self.st_mtime > now ? self.st_mtime - now : 0;
}

void doctor_probe_network(doctor_facts *self)
{
    g_autofree char *resolv_conf = fs_read_text("/etc/resolv.conf", CONF_MAX);
    g_autofree char *nsswitch_conf = fs_read_text("/etc/nsswitch.conf", CONF_MAX);
    self->nft = has_nft();
    self->fake_route = find_fake_route();
    self->resolver = doctor_has_resolver(resolv_conf, nsswitch_conf);
    self->clock_behind = clock_behind();
}

/* The gate works without it, as host/gate/box_network.h says. */
static void check_filter(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->nft)
        doctor_report_addf(report, "nft", DOCTOR_OK, NULL, "nft is installed");
    else
        doctor_report_add(
            report, "nft", DOCTOR_NOTE,
            g_strdup("nft is not installed: with [network] mode = \"ask\", the default, or "
                     "\"filtered\" programs of a box cannot listen on the ports of "
                     "its rules"),
            doctor_install_command(facts, "nftables"));
    if (facts->fake_route)
        doctor_report_addf(report, "fake-addresses", DOCTOR_WARNING,
                           "let the VPN or proxy answer DNS with the names' own addresses",
                           "'%s' has a route into 198.18.0.0/15: a VPN or proxy that answers DNS "
                           "with such addresses keeps boxes with [network] mode = \"ask\", the "
                           "default, or \"filtered\" from reaching any name",
                           facts->fake_route);
}

/* getaddrinfo(3) then asks this machine itself (resolv.conf(5)). */
static void check_resolver(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->resolver)
        doctor_report_addf(report, "resolver", DOCTOR_OK, NULL, "names are looked up");
    else
        doctor_report_addf(report, "resolver", DOCTOR_WARNING,
                           "name a DNS server in /etc/resolv.conf",
                           "no DNS server is set up: boxes find no names");
}

/* Seconds: a clock may run a little slow. */
#define CLOCK_SLACK 60

static void check_clock(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->clock_behind <= CLOCK_SLACK) {
        doctor_report_addf(report, "clock", DOCTOR_OK, NULL, "the clock is set");
        return;
    }
    g_autofree char *behind = units_format_duration(facts->clock_behind);
    doctor_report_addf(report, "clock", DOCTOR_WARNING, "set the clock: timedatectl set-ntp true",
                       "the clock is %s or more behind: certificates of TLS seem not to be valid "
                       "yet, and hosts cannot be verified",
                       behind);
}

const doctor_check doctor_network_checks[] = {check_filter, check_resolver, check_clock, NULL};
