# A session on a terminal that goes on while the test looks at what it shows. Source it after display.bash, which ends it.
# shellcheck shell=bash disable=SC2034,SC2154 # set here for others, or by others for here

# For a file whose tests share one box, with escape.bash and display.bash.
session_setup_file() {
    escape_setup_file
    box run -- true
}
session_teardown() {
    touch "$PROJECT/go"
    ui_end
}

# session [OPTION…] COMMAND: runs COMMAND with sh in a box, with options of `box run`, on a terminal whose output goes to
# the file $shown. When the file go is there, it prints "the end". $client is the process of `box`. The terminal's user
# types $typed (options of on-terminal).
typed=()
session() {
    local command=${*: -1}
    set -- "${@:1:$#-1}"
    shown=$TEST_HOME/shown
    rm -f go "$TEST_HOME/client"
    # shellcheck disable=SC2016 # the shells that are started expand these
    in_background "$shown" "$TEST_TOOLS/on-terminal" "${typed[@]}" sh -c \
        'echo $$ >"$0/client"; exec box run "$@"' "$TEST_HOME" "$@" -- \
        sh -c "$command"'; until [ -e go ]; do sleep 0.1; done; echo the end'
    terminal=${started[-1]}
    eventually test -s "$TEST_HOME/client"
    client=$(cat "$TEST_HOME/client")
}
session_ends() {
    touch go
    session_has_ended
}
session_has_ended() { eventually process_ended "$terminal"; }
has_shown() { grep -qaF -- "$1" "$shown"; }

# Kilobytes that a process had at most.
most_memory() { sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }
