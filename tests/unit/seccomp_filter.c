/* The builder of seccomp filters, with an interpreter in place of the kernel's. */
#include <errno.h>
#include <stddef.h>

#include "seccomp_machine.h"

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE SECCOMP_FAIL(EPERM)
#define HOLD SECCOMP_RET_USER_NOTIF

static struct seccomp_filter filter;
static struct sock_fprog program;

static void build(seccomp_add_rules *rules, int data)
{
    g_assert_cmpint(seccomp_filter_build(&filter, rules, data, &program), ==, 0);
}

/* A call of the machine's own ABI, whose second argument is VALUE. */
static uint32_t verdict(int number, uint64_t value)
{
    struct seccomp_data call = {.nr = number, .arch = ARCH_NATIVE, .args = {0, value}};
    return machine_run(&program, &call);
}

static void some_rules(struct seccomp_rules *self, int compat, int data)
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
    g_assert_cmpuint(machine_run(&program, &call), ==, ALLOW);
    call.nr = 11;
    g_assert_cmpuint(machine_run(&program, &call), ==, REFUSE);
    call.nr = 0;
    call.arch = AUDIT_ARCH_PPC;
    g_assert_cmpuint(machine_run(&program, &call), ==, SECCOMP_FAIL(ENOSYS));
}

/* The rules' own actions, so that none of them can be shared: more than a conditional jump passes.
 */
static void many_rules(struct seccomp_rules *self, int compat, int data)
{
    for (int i = 0; i < data; i++)
        seccomp_filter_argument(self, 2 * i, 1, (uint32_t)i, SECCOMP_FAIL(compat ? 500 + i : i));
    seccomp_filter_all(self, ALLOW);
}

static void long_filters_work_or_fail(void)
{
    int works = 0;
    /* Of those that are much too long, which fail alike, one in 37. */
    for (int count = 1; count < 1000; count += works + 20 < count ? 37 : 1) {
        memset(&filter, 0xff, sizeof filter);
        int done = seccomp_filter_build(&filter, many_rules, count, &program);
        g_assert_cmpuint(program.len, <=, SECCOMP_FILTER_MAX);
        if (done < 0) {
            g_assert_cmpint(errno, ==, E2BIG);
            continue;
        }
        works = count;
        g_assert_cmpint(count, <, SECCOMP_RULES_MAX);
        for (int i = 0; i < count; i++) {
            g_assert_cmphex(verdict(2 * i, (uint64_t)i), ==, SECCOMP_FAIL(i));
            g_assert_cmphex(verdict(2 * i, (uint64_t)i + 1), ==, ALLOW);
            g_assert_cmphex(verdict(2 * i + 1, (uint64_t)i), ==, ALLOW);
        }
    }
    g_assert_cmpint(works, >, 20);
    machine_check(many_rules, works);
}

/* Rules of all kinds, for calls and values that are few, so that they meet. */
static void random_rules(struct seccomp_rules *self, int compat, int data)
{
    static const uint32_t actions[] = {ALLOW, REFUSE, HOLD, SECCOMP_FAIL(ENOSYS)};
    g_autoptr(GRand) random = g_rand_new_with_seed((guint32)(2 * data + compat));
    int count = g_rand_int_range(random, 0, 40);
    for (int i = 0; i < count; i++) {
        int number = g_rand_int_range(random, -1, 30), argument = g_rand_int_range(random, 0, 2);
        uint32_t action = actions[g_rand_int_range(random, 0, 4)];
        uint32_t values[] = {(uint32_t)g_rand_int_range(random, 0, 5),
                             (uint32_t)g_rand_int_range(random, 0, 5)};
        switch (g_rand_int_range(random, 0, 12)) {
        case 0:
            seccomp_filter_calls_from(self, (uint32_t)g_rand_int_range(random, 20, 700), action);
            break;
        case 1:
        case 2:
            seccomp_filter_call(self, number, action);
            break;
        case 3:
        case 4:
            seccomp_filter_argument(self, number, argument, values[0], action);
            break;
        case 5:
        case 6:
            seccomp_filter_other_than(self, number, argument, values[0], action);
            break;
        case 7:
        case 8:
        case 9:
            seccomp_filter_one_of(self, number, argument, i % 2 ? 6 : ~0u, values, 2, action);
            break;
        default:
            seccomp_filter_bits(self, number, argument, values[0], values[1], action);
        }
    }
    seccomp_filter_all(self, actions[g_rand_int_range(random, 0, 4)]);
}

static void filters_decide_as_their_rules(void)
{
    machine_check(some_rules, 0);
    machine_check(some_rules, 1);
    for (int i = 0; i < 12; i++)
        machine_check(random_rules, i);
}

/* A call that no rule decides about ends its program. */
static void no_rules(struct seccomp_rules *self, int compat, int data)
{
    (void)compat, (void)data;
    seccomp_filter_call(self, 5, ALLOW);
}

static void without_a_rule_nothing_is_allowed(void)
{
    build(no_rules, 0);
    g_assert_cmphex(verdict(5, 0), ==, ALLOW);
    g_assert_cmphex(verdict(4, 0), ==, SECCOMP_RET_KILL_PROCESS);
    g_assert_cmphex(verdict(-1, 0), ==, SECCOMP_RET_KILL_PROCESS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/seccomp-filter/order", rules_decide_in_their_order);
    g_test_add_func("/seccomp-filter/upper-half", upper_half_of_an_argument_does_not_count);
    g_test_add_func("/seccomp-filter/abis", each_abi_has_its_rules);
    g_test_add_func("/seccomp-filter/length", long_filters_work_or_fail);
    g_test_add_func("/seccomp-filter/as-its-rules", filters_decide_as_their_rules);
    g_test_add_func("/seccomp-filter/no-rule", without_a_rule_nothing_is_allowed);
    return g_test_run();
}
