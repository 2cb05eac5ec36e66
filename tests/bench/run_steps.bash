# Where the time of `box run -- true` in a running box goes. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, compare

# steps_of NAME…: the medians of run-steps in the box as it is, in milliseconds, into the variables NAME.
steps_of() {
    local program
    box run -- true 2>/dev/null
    # shellcheck disable=SC2012 # build folders have plain names
    program=$(ls -t "$here"/../../build*/tests/bench/run-steps | head -n 1)
    read -r "$@" < <("$program" "$XDG_RUNTIME_DIR/litterbox-$LITTERBOX_INSTANCE/shop/ctl" 400)
}

# sum SIGNED…
sum() { printf '%s\n' "$@" | awk '{ all += $1 } END { printf "%.3f", all }'; }

# Each step alone, so that their sum is about the whole. The guard's is what a box without one takes less until the process
# of the command is ready.
run_steps() {
    local m connect missing command unguarded _
    steps_of connect missing command
    mapfile -t m < <(medians 400 "" 'box run -- true' 'box --version' true)
    printf '[protect]\nguard = false\n' >litterbox.toml
    box trust --yes >/dev/null
    box apply --yes >/dev/null 2>&1
    steps_of _ unguarded _
    rm litterbox.toml
    box apply --yes >/dev/null 2>&1
    at_most step-all-ms - "${m[0]}"
    at_most step-process-of-box-ms - "${m[1]}"
    at_most step-connect-ms - "$connect"
    at_most step-fork-and-rights-ms - "$unguarded"
    at_most step-guard-ms - "$(sum "$missing" "-$unguarded")"
    at_most step-exec-command-and-exit-status-ms - "$(sum "$command" "-$missing")"
    at_most step-rest-of-box-ms - "$(sum "${m[0]}" "-${m[1]}" "-$connect" "-$command")"
    at_most step-command-outside-ms - "${m[2]}"
}
