/* The guard's seccomp filter, for each call of each ABI, beside the table of calls that it holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "guest/guard/file_system.h"
#include "guest/guard/filter.h"
#include "seccomp_machine.h"

#define NR_OPENAT2 437
#define NR_SOCKETCALL COMPAT(102, -1)
#define NR_LANDLOCK_CREATE_RULESET 444
#define NR_LANDLOCK_RESTRICT_SELF 446

struct wanted {
    const struct sock_fprog *program;
    int what;
    unsigned held;
};

static uint32_t argument(const struct seccomp_data *call, int index)
{
    return index < 0 ? 0 : (uint32_t)call->args[index];
}

static gboolean opens(uint32_t flags, int what)
{
    if (flags & O_PATH)
        return FALSE;
    return what & GUARD_FILTER_HIDES || flags & (O_ACCMODE | O_CREAT | O_TRUNC);
}

static gboolean locks(const struct guard_call *row, uint32_t operation)
{
    if (row->native == SYS_flock)
        return (operation & (LOCK_SH | LOCK_EX)) != 0;
    return operation == F_OFD_SETLK || operation == F_OFD_SETLKW || operation == F_SETLEASE;
}

static gboolean is_held(const struct guard_call *row, const struct seccomp_data *call, int what)
{
    switch (row->when) {
    case GUARD_ALWAYS:
        return TRUE;
    case GUARD_IF_WRITING:
        return opens(argument(call, row->flags), what);
    case GUARD_IF_OPENING:
        return (argument(call, row->mode) & (0111 | GUARD_OTHERS_WRITE | GUARD_SET_ID_BITS)) != 0;
    case GUARD_IF_LOCKING:
        return locks(row, argument(call, row->flags));
    }
    g_assert_not_reached();
}

static uint32_t verdict_by_table(const struct seccomp_data *call, int what)
{
    const struct guard_call *row = guard_filter_call(call);
    if (call->nr == NR_OPENAT2 && !(what & GUARD_FILTER_NESTED))
        return SECCOMP_FAIL(ENOSYS);
    if (call->nr == NR_LANDLOCK_CREATE_RULESET || call->nr == NR_LANDLOCK_RESTRICT_SELF)
        return SECCOMP_FAIL(EOPNOTSUPP);
    if (call->arch == ARCH_COMPAT && call->nr >= 0 && call->nr == NR_SOCKETCALL &&
        argument(call, 0) == 2) /* bind */
        return SECCOMP_FAIL(ENOSYS);
    return row && is_held(row, call, what) ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
}

static void check(const struct seccomp_data *call, void *data)
{
    struct wanted *self = data;
    uint32_t verdict = machine_run(self->program, call);
    g_assert_cmphex(verdict, ==, verdict_by_table(call, self->what));
    self->held += verdict == SECCOMP_RET_USER_NOTIF;
}

static void each_call_gets_what_the_table_says(void)
{
    static struct seccomp_filter filter;
    static const uint32_t values[] = {F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, O_PATH | O_RDWR};
    g_autoptr(GArray) near = g_array_new(FALSE, FALSE, sizeof *values);
    g_array_append_vals(near, values, G_N_ELEMENTS(values));
    for (int what = 0; what <= (GUARD_FILTER_NESTED | GUARD_FILTER_HIDES); what++) {
        struct sock_fprog program;
        struct wanted wanted = {&program, what, 0};
        g_assert_cmpint(seccomp_filter_build(&filter, guard_filter_rules, what, &program), ==, 0);
        for (int i = 0; i < 2 * MACHINE_NUMBERS; i++) {
            struct seccomp_data call = {.nr = machine_number(i / 2),
                                        .arch = i % 2 ? ARCH_COMPAT : ARCH_NATIVE};
            machine_each_value(&call, near, check, &wanted);
        }
        g_assert_cmpuint(wanted.held, >, 1000);
    }
}

static void each_call_gets_what_the_rules_say(void)
{
    for (int what = 0; what <= (GUARD_FILTER_NESTED | GUARD_FILTER_HIDES); what++)
        machine_check(guard_filter_rules, what);
}

static void calls_of_other_abis_fail(void)
{
    static struct seccomp_filter filter;
    struct sock_fprog program;
    struct seccomp_data call = {.arch = AUDIT_ARCH_PPC};
    g_assert_cmpint(seccomp_filter_build(&filter, guard_filter_rules, 0, &program), ==, 0);
    for (call.nr = 0; call.nr < MACHINE_CALLS; call.nr++)
        g_assert_cmphex(machine_run(&program, &call), ==, SECCOMP_FAIL(ENOSYS));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/guard-filter/as-the-table", each_call_gets_what_the_table_says);
    g_test_add_func("/guard-filter/as-the-rules", each_call_gets_what_the_rules_say);
    g_test_add_func("/guard-filter/other-abis", calls_of_other_abis_fail);
    return g_test_run();
}
