# A service that takes a key, for tests with secrets. Sourced, after escape.bash.
# shellcheck shell=bash

load ../lib/certificate.bash

# For setup_file: a box's project, and secrets_server for [PROGRAM] NAME…, whose authority this user trusts, as one of a
# company may be: OpenSSL reads that variable.
secrets_begin() { # PROGRAM NAME…
    escape_setup_network
    hosts_add "$OWN ${*:2}"
    secrets_server "$@"
    export SSL_CERT_FILE=$TEST_HOME/ca.pem
}

# For teardown_file. FALSE: nothing was begun.
secrets_end() { # DOMAIN
    [ -n "${SERVER:-}" ] || return
    kill "$SERVER"
    hosts_remove "$1"
}

# Starts PROGRAM for the NAMEs, at $OWN, as SERVER, and leaves the certificate of its authority at $TEST_HOME/ca.pem.
secrets_server() { # PROGRAM NAME…
    make_certificate "$TEST_HOME" "${@:2}"
    python3 "$BATS_TEST_DIRNAME/$1" "$OWN" "$TEST_HOME" 3>&- &
    SERVER=$!
    export SERVER
    eventually test -e "$TEST_HOME/ready"
}
