# A service that takes a key, for tests with secrets. Sourced, after escape.bash.
# shellcheck shell=bash

# secrets_server [PROGRAM NAME...]: starts secrets_server.py, or PROGRAM for the NAMEs, at $OWN, as SERVER, and leaves the
# certificate of its authority at $TEST_HOME/ca.pem.
secrets_server() {
    local program=${1:-secrets_server.py} names
    shift || set -- {api,other,plain,checked}.secrets.test
    names=$(printf ',DNS:%s' "$@")
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
