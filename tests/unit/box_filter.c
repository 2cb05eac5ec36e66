/* The seccomp filter of a box, for each call of each ABI. */
#include "sys/box_filter.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "seccomp_machine.h"

static void each_call_gets_what_the_rules_say(void)
{
    machine_check(box_filter_rules, 0);
    machine_check(box_filter_rules, 1);
}

static struct seccomp_filter filter;
static struct sock_fprog program;

static uint32_t native(int number, uint64_t first, uint64_t second, uint64_t third)
{
    struct seccomp_data call = {.nr = number, .arch = ARCH_NATIVE, .args = {first, second, third}};
    return machine_run(&program, &call);
}

static void check_both_kinds(void)
{
    static const int refused[] = {SYS_keyctl, SYS_bpf, SYS_io_uring_setup, SYS_kexec_load,
                                  SYS_acct,   425,     SYS_perf_event_open};
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++)
        g_assert_cmphex(native(refused[i], 0, 0, 0), ==, SECCOMP_FAIL(EPERM));
    g_assert_cmphex(native(SYS_read, 0, 0, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(462, 0, 0, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(463, 0, 0, 0), ==, SECCOMP_FAIL(ENOSYS));
    g_assert_cmphex(native(0x40000000 + SYS_read, 0, 0, 0), ==, SECCOMP_FAIL(ENOSYS));
    g_assert_cmphex(native(SYS_socket, AF_UNIX, 0, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_socket, AF_INET6, 0, 7), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_socket, AF_VSOCK, 0, 0), ==, SECCOMP_FAIL(EAFNOSUPPORT));
    g_assert_cmphex(native(SYS_socketpair, AF_VSOCK, 0, 0), ==, SECCOMP_FAIL(EAFNOSUPPORT));
    g_assert_cmphex(native(SYS_socket, AF_NETLINK, 0, NETLINK_ROUTE), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_socket, AF_NETLINK, 0, NETLINK_AUDIT), ==,
                    SECCOMP_FAIL(EPROTONOSUPPORT));
    g_assert_cmphex(native(SYS_ioctl, 0, TIOCSTI, 0), ==, SECCOMP_FAIL(EPERM));
    g_assert_cmphex(native(SYS_ioctl, 0, TIOCSTI | UINT64_C(1) << 32, 0), ==, SECCOMP_FAIL(EPERM));
    g_assert_cmphex(native(SYS_ioctl, 0, TIOCGWINSZ, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_ioctl, 0, 0x5000940e, 0), ==,
                    SECCOMP_FAIL(ENOTTY));                                       /* a subvolume */
    g_assert_cmphex(native(SYS_ioctl, 0, 0x40049409, 0), ==, SECCOMP_RET_ALLOW); /* FICLONE */
}

static void some_calls_are_refused(void)
{
    g_assert_cmpint(seccomp_filter_build(&filter, box_filter_rules, 0, &program), ==, 0);
    check_both_kinds();
    g_assert_cmphex(native(SYS_mount, 0, 0, 0), ==, SECCOMP_FAIL(EPERM));
    g_assert_cmphex(native(SYS_clone3, 0, 0, 0), ==, SECCOMP_FAIL(ENOSYS));
    g_assert_cmphex(native(SYS_clone, CLONE_VM | CLONE_NEWUSER, 0, 0), ==, SECCOMP_FAIL(EPERM));
    g_assert_cmphex(native(SYS_clone, CLONE_VM, 0, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_unshare, CLONE_FS, 0, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_unshare, CLONE_FS | CLONE_NEWNS, 0, 0), ==, SECCOMP_FAIL(EPERM));
    g_assert_cmphex(native(SYS_socket, AF_NETLINK, 0, NETLINK_NETFILTER), ==,
                    SECCOMP_FAIL(EPROTONOSUPPORT));
}

static void a_nested_box_may_make_boxes(void)
{
    g_assert_cmpint(seccomp_filter_build(&filter, box_filter_rules, 1, &program), ==, 0);
    check_both_kinds();
    g_assert_cmphex(native(SYS_mount, 0, 0, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_clone, CLONE_NEWUSER, 0, 0), ==, SECCOMP_RET_ALLOW);
    g_assert_cmphex(native(SYS_socket, AF_NETLINK, 0, NETLINK_NETFILTER), ==, SECCOMP_RET_ALLOW);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/box-filter/as-the-rules", each_call_gets_what_the_rules_say);
    g_test_add_func("/box-filter/refused", some_calls_are_refused);
    g_test_add_func("/box-filter/nested", a_nested_box_may_make_boxes);
    return g_test_run();
}
