# The filter on what a box prints to a terminal, beside the same relay without it. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, compare

# relayed HOW FILE: milliseconds that 20 MB of FILE take to a terminal.
relayed() {
    python3 "$here/terminal.py" --bytes 20000000 "$relay" "$1" sh -c "while cat $2; do :; done | head -c 20000000"
}

# median NUMBER…
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

# Many short runs in turn, in changing order: one run is up to a tenth faster or slower than the next, by where the kernel
# puts its workers, and the machine is slower for minutes. Seven long runs of each kind gave ratios from 0.98 to 1.36.
filter_of() { # NAME GOAL FILE
    local filtered=() plain=() turn
    for turn in {1..80}; do
        [ $((turn % 2)) = 0 ] || filtered+=("$(relayed filtered "$3")")
        plain+=("$(relayed plain "$3")")
        [ $((turn % 2)) = 1 ] || filtered+=("$(relayed filtered "$3")")
    done
    compare "$1" "$2" "$(median "${filtered[@]}")" "$(median "${plain[@]}")"
}

filter() {
    local relay
    # shellcheck disable=SC2012 # build folders have plain names
    relay=$(ls -t "$here"/../../build*/tests/bench/terminal-relay | head -n 1)
    seq -f 'line %12.0f of a text that a terminal shows, as long as most are' 100000 >plain
    seq -f 'строка %12.0f текста — 文字 😀 который показывает терминал' 100000 >utf8
    seq -f $'\e[1;32mline\e[0m %12.0f of a \e[38;5;208mcoloured\e[0m text, as builds print' 100000 >coloured
    # At no less than 0.95 of the rate without it.
    filter_of filter-20MB-of-text-vs-none 1.053 plain
    filter_of filter-20MB-of-UTF-8-vs-none 1.053 utf8
    filter_of filter-20MB-coloured-vs-none - coloured
    rm -f plain utf8 coloured
}
