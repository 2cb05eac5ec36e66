/* The builder of seccomp filters, with an interpreter in place of the kernel's. */
#include <errno.h>
#include <glib.h>
#include <stddef.h>
#include <string.h>

#include "sys/seccomp_filter.h"

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE SECCOMP_FAIL(EPERM)
#define HOLD SECCOMP_RET_USER_NOTIF

/* Interprets PROGRAM for CALL; knows the instructions that the builder uses. */
static uint32_t run(const struct sock_fprog *program, const struct seccomp_data *call)
{
    uint32_t value = 0;
    for (unsigned at = 0; at < program->len; at++) {
        const struct sock_filter *each = &program->filter[at];
        switch (each->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&value, (const char *)call + each->k, sizeof value);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            value &= each->k;
            break;
        case BPF_JMP | BPF_JA:
            at += each->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            at += value == each->k ? each->jt : each->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            at += value >= each->k ? each->jt : each->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            at += value & each->k ? each->jt : each->jf;
            break;
        case BPF_RET | BPF_K:
            return each->k;
        default:
            g_assert_not_reached();
        }
    }
    g_assert_not_reached(); /* the kernel refuses a filter that may end without a verdict */
}

static struct seccomp_filter filter;
static struct sock_fprog program;

static void build(void (*rules)(struct seccomp_filter *, int, int), int data)
{
    g_assert_cmpint(seccomp_filter_build(&filter, rules, data, &program), ==, 0);
}

/* A call of the machine's own ABI, whose second argument is VALUE. */
static uint32_t verdict(int number, uint64_t value)
{
    struct seccomp_data call = {.nr = number, .arch = ARCH_NATIVE, .args = {0, value}};
    return run(&program, &call);
}

static void some_rules(struct seccomp_filter *self, int compat, int data)
{
    seccomp_filter_call(self, compat ? 11 : 10, REFUSE);
    seccomp_filter_call(self, -1, REFUSE);
    seccomp_filter_argument(self, 20, 1, 5, REFUSE);
    seccomp_filter_argument(self, 20, 1, 6, HOLD);
    seccomp_filter_argument(self, -1, 1, 0, REFUSE);
    seccomp_filter_bits(self, 30, 1, 3, 0, HOLD);
    seccomp_filter_bits(self, 31, 1, 3, 8, HOLD);
    seccomp_filter_bits(self, -1, 1, ~0u, 0, REFUSE);
    seccomp_filter_call(self, 31, REFUSE); /* the rule before decides */
    static const uint32_t values[] = {0x6600, 0x5800, 0x9400};
    seccomp_filter_one_of(self, 40, 1, 0xff00, values, 3, REFUSE);
    seccomp_filter_one_of(self, -1, 1, 0, values, 3, REFUSE);
    seccomp_filter_one_of(self, 42, 1, ~0u, values, 1, REFUSE);
    seccomp_filter_other_than(self, 41, 1, 16, REFUSE);
    seccomp_filter_other_than(self, -1, 1, 16, REFUSE);
    seccomp_filter_call(self, 41, HOLD);
    seccomp_filter_calls_from(self, 1000, SECCOMP_FAIL(ENOSYS));
    seccomp_filter_all(self, data ? HOLD : ALLOW);
}

static void rules_decide_in_their_order(void)
{
    build(some_rules, 0);
    g_assert_cmpuint(verdict(10, 0), ==, REFUSE);
    g_assert_cmpuint(verdict(11, 0), ==, ALLOW);
    g_assert_cmpuint(verdict(-1, 0), ==, SECCOMP_FAIL(ENOSYS)); /* the largest number */
    g_assert_cmpuint(verdict(20, 4), ==, ALLOW);
    g_assert_cmpuint(verdict(20, 5), ==, REFUSE);
    g_assert_cmpuint(verdict(20, 6), ==, HOLD);
    g_assert_cmpuint(verdict(30, 4), ==, ALLOW);
    g_assert_cmpuint(verdict(30, 2), ==, HOLD);
    g_assert_cmpuint(verdict(31, 2), ==, HOLD);
    g_assert_cmpuint(verdict(31, 10), ==, ALLOW);
    g_assert_cmpuint(verdict(31, 0), ==, ALLOW);
    g_assert_cmpuint(verdict(40, 0x12346601), ==, REFUSE);
    g_assert_cmpuint(verdict(40, 0x5802), ==, REFUSE);
    g_assert_cmpuint(verdict(40, 0x9400), ==, REFUSE);
    g_assert_cmpuint(verdict(40, 0x6701), ==, ALLOW);
    g_assert_cmpuint(verdict(42, 0x6600), ==, REFUSE);
    g_assert_cmpuint(verdict(42, 0x5800), ==, ALLOW);
    g_assert_cmpuint(verdict(41, 15), ==, REFUSE);
    g_assert_cmpuint(verdict(41, 16), ==, HOLD);
    g_assert_cmpuint(verdict(999, 0), ==, ALLOW);
    g_assert_cmpuint(verdict(1000, 0), ==, SECCOMP_FAIL(ENOSYS));
    build(some_rules, 1);
    g_assert_cmpuint(verdict(11, 0), ==, HOLD);
}

static void upper_half_of_an_argument_does_not_count(void)
{
    build(some_rules, 0);
    g_assert_cmpuint(verdict(20, 5 | UINT64_C(1) << 40), ==, REFUSE);
    g_assert_cmpuint(verdict(30, UINT64_C(3) << 32), ==, ALLOW);
}

static void each_abi_has_its_rules(void)
{
    struct seccomp_data call = {.nr = 10, .arch = ARCH_COMPAT};
    build(some_rules, 0);
    g_assert_cmpuint(run(&program, &call), ==, ALLOW);
    call.nr = 11;
    g_assert_cmpuint(run(&program, &call), ==, REFUSE);
    call.nr = 0;
    call.arch = AUDIT_ARCH_PPC;
    g_assert_cmpuint(run(&program, &call), ==, SECCOMP_FAIL(ENOSYS));
}

/* More than a conditional jump reaches, in the rules of one ABI. */
static void many_rules(struct seccomp_filter *self, int compat, int data)
{
    for (int i = 0; i < data; i++)
        seccomp_filter_call(self, i, REFUSE);
    seccomp_filter_all(self, ALLOW);
}

static void long_filters_work_or_fail(void)
{
    build(many_rules, 120);
    g_assert_cmpuint(verdict(119, 0), ==, REFUSE);
    g_assert_cmpuint(verdict(120, 0), ==, ALLOW);
    for (int count = 121; count < 1000; count++) {
        memset(&filter, 0xff, sizeof filter);
        int done = seccomp_filter_build(&filter, many_rules, count, &program);
        /* 4 instructions before and 4 between the two ABIs; 2 for each rule, 1 behind them. */
        g_assert_cmpint(done, ==, 8 + 2 * (2 * count + 1) <= SECCOMP_FILTER_MAX ? 0 : -1);
        g_assert_cmpuint(program.len, <=, SECCOMP_FILTER_MAX);
        if (done < 0)
            g_assert_cmpint(errno, ==, E2BIG);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/seccomp-filter/order", rules_decide_in_their_order);
    g_test_add_func("/seccomp-filter/upper-half", upper_half_of_an_argument_does_not_count);
    g_test_add_func("/seccomp-filter/abis", each_abi_has_its_rules);
    g_test_add_func("/seccomp-filter/length", long_filters_work_or_fail);
    return g_test_run();
}
