# The filter on what a box prints to a terminal, beside the same relay without it. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, compare

# relayed HOW FILE: milliseconds that 200 MB of FILE take to a terminal.
relayed() {
    python3 "$here/terminal.py" "$relay" "$1" sh -c "while cat $2; do :; done | head -c 200000000"
}

# The pair with the median ratio of nine, each run one after the other, and every second one in the other order. A machine
# that is slower for a minute is so for both of a pair; medians of all runs of each kind can be of different minutes.
filter_of() { # NAME GOAL FILE
    local pairs='' filtered plain turn
    for turn in 1 2 3 4 5 6 7 8 9; do
        [ $((turn % 2)) = 0 ] || filtered=$(relayed filtered "$3")
        plain=$(relayed plain "$3")
        [ $((turn % 2)) = 1 ] || filtered=$(relayed filtered "$3")
        pairs+="$filtered $plain"$'\n'
    done
    read -r filtered plain < <(awk 'NF { print $1 / $2, $1, $2 }' <<<"$pairs" | sort -n | sed -n '5s/^[^ ]* //p')
    compare "$1" "$2" "$filtered" "$plain"
}

filter() {
    local relay
    # shellcheck disable=SC2012 # build folders have plain names
    relay=$(ls -t "$here"/../../build*/tests/bench/terminal-relay | head -n 1)
    seq -f 'line %12.0f of a text that a terminal shows, as long as most are' 100000 >plain
    seq -f 'строка %12.0f текста — 文字 😀 который показывает терминал' 100000 >utf8
    seq -f $'\e[1;32mline\e[0m %12.0f of a \e[38;5;208mcoloured\e[0m text, as builds print' 100000 >coloured
    # At no less than 0.95 of the rate without it.
    filter_of filter-200MB-of-text-vs-none 1.053 plain
    filter_of filter-200MB-of-UTF-8-vs-none 1.053 utf8
    filter_of filter-200MB-coloured-vs-none - coloured
    rm -f plain utf8 coloured
}
