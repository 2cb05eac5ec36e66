# A service that takes a key, for tests with secrets. Sourced, after escape.bash.
# shellcheck shell=bash

# For setup_file: a box's project, and secrets_server for [PROGRAM] NAME…, whose authority this user trusts, as one of a
# company may be: OpenSSL reads that variable. The lab gives its user /etc/hosts and the ports from 80.
secrets_begin() { # PROGRAM NAME…
    [ -w /etc/hosts ] || skip "needs a host whose /etc/hosts the user may write, such as the lab"
    escape_setup_file
    OWN=$(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
    export OWN
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
    local program=$1 names
    names=$(printf ',DNS:%s' "${@:2}")
    cd "$TEST_HOME" || return
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Company -keyout ca.key -out ca.pem 2>/dev/null
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=api -keyout key.pem -out server.csr 2>/dev/null
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -extfile <(
        echo "subjectAltName=${names:1}"
    ) 2>/dev/null
    python3 "$BATS_TEST_DIRNAME/$program" "$OWN" "$TEST_HOME" 3>&- &
    SERVER=$!
    export SERVER
    eventually test -e "$TEST_HOME/ready"
    cd "$PROJECT" || return
}
