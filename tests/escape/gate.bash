# For tests of a filtered network: servers on the host's own address, and a client for both sides.
# shellcheck shell=bash disable=SC2154 # bats sets status and output

# For setup_file: an instance, OWN, and the client.
gate_setup() {
    escape_setup_network
    cp "$BATS_TEST_DIRNAME/gate_client.py" "$PROJECT/client"
}

# The same with the servers of gate_servers.py.
gate_begin() {
    gate_setup
    python3 "$BATS_TEST_DIRNAME/gate_servers.py" "$OWN" "$TEST_HOME" 3>&- &
    SERVERS=$!
    export SERVERS
    eventually test -s "$TEST_HOME/ports"
}

# gate_end DOMAIN: for teardown_file. The lines of /etc/hosts with DOMAIN go.
gate_end() {
    [ -n "${SERVERS:-}" ] || return 0
    kill "$SERVERS"
    hosts_remove "$1"
    box_teardown
}

on_host() { run python3 "$PROJECT/client" "$@"; }
from_box() { run in_box python3 client "$@"; }

# preloaded NAME: puts src/NAME.c, for LD_PRELOAD, where $module says.
preloaded() {
    module=$TEST_HOME/$1.so
    cp "$(dirname "$ATTACK")/${1//_/-}.so" "$module" 2>/dev/null ||
        cc -std=gnu17 -D_GNU_SOURCE -shared -fPIC "$BATS_TEST_DIRNAME/src/$1.c" -o "$module"
}

# without_nft COMMAND…: as on a machine that has no nft(8), also for the helpers that it starts.
without_nft() {
    local module
    preloaded without_nft
    LD_PRELOAD=$module "$@"
}
