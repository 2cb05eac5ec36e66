# Where a test failed, at no cost to those that pass. Sourced by all tests, with wait.bash.
# shellcheck shell=bash disable=SC2034 # bats reads what is set here

# bats notes the stack before each command (a DEBUG trap, which functions inherit by -T): 0.6 ms each, and so a tenth of
# all that the tests computed. The trap on errors knows the stack as well, since bash 5.
[ -z "${BATS_VERSION-}" ] || set +T

# Takes the place of bats' function of this name.
bats_error_trap() {
    bats_check_status_from_trap
    bats_capture_stack_trace
    BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
}
