#!/usr/bin/env bats
# The certificates that a box's system trusts, for programs that look at no variable: an image with real clients, which
# are this machine's, and hostile ones.

load escape.bash
load secrets.bash
load ../lib/image.bash

setup_file() {
    secrets_begin secrets_server.py {api,other,plain,checked}.secrets.test
    make_image
    escape_config '[box]
image = "localhost/clients:1"
idle_stop = "never"
[network]
mode = "filtered"
allow = ["'"$OWN"':443"]'
    box secret add api --host api.secrets.test --variable API_TOKEN --value-fd 0 <<<ghp_realRealRealReal0123456789abcdefABCD
    BUNDLE=/etc/ssl/certs/ca-certificates.crt
    export BUNDLE
}
teardown_file() {
    secrets_end secrets.test || return 0
    box secret remove api
    box_teardown
    remove_image localhost/clients:1
}
setup() { escape_setup; }

# An image as Ubuntu's: OpenSSL there has no file of certificates, but a folder.
make_image() {
    local root=$TEST_HOME/image program
    mkdir -p "$root"/{bin,etc/ssl/certs,tmp,proc,sys,dev,home,usr/lib/ssl}
    for program in bash env cat echo sha256sum find rm mv cp chmod ln mkdir mkfifo truncate curl wget openssl; do
        cp -L "$(type -P "$program")" "$root/bin/"
        ldd "$(type -P "$program")" | grep -oE '/[^ ]+' | xargs -I{} cp -L --parents {} "$root"
    done
    ln -s bash "$root/bin/sh"
    ln -s /etc/ssl/certs "$root/usr/lib/ssl/certs"
    # Without a line's end, which others would have made of it.
    printf %s "$(cat "$TEST_HOME/ca.pem")" >"$root/etc/ssl/certs/ca-certificates.crt"
    mkdir -p "$root/usr/lib/jvm/java/lib/security"
    java_store new >"$root$JAVA_STORE"
    tar -C "$root" --owner 0 --group 0 -c . | import_image localhost/clients:1
}

JAVA_STORE=/usr/lib/jvm/java/lib/security/cacerts
# java_store new: prints one without certificates. java_store FILE: the aliases of FILE, whose digest must be right.
java_store() {
    python3 - "$1" <<'P'
import hashlib, struct, sys
SALT = "changeit".encode("utf-16-be") + b"Mighty Aphrodite"
if sys.argv[1] == "new":
    data = struct.pack(">III", 0xFEEDFEED, 2, 0)
    sys.stdout.buffer.write(data + hashlib.sha1(SALT + data).digest())
    sys.exit()
with open(sys.argv[1], "rb") as store:
    data = store.read()
assert hashlib.sha1(SALT + data[:-20]).digest() == data[-20:]
at = 12
for _ in range(struct.unpack_from(">I", data, 8)[0]):
    tag, length = struct.unpack_from(">IH", data, at)
    print(data[at + 6:at + 6 + length].decode())
    at += 6 + length + 8 + 2 + 5
    at += 4 + struct.unpack_from(">I", data, at)[0]
assert at == len(data) - 20
P
}

# clean COMMAND...: in the box, with no variable but PATH.
clean() { run in_box env -i PATH=/bin "$@"; }
as_root() { in_box_as -u root -- "$@"; }
sum() { in_box sha256sum "$BUNDLE"; }

# The image's file alone, as it was.
is_as_before() {
    run sum
    assert_contains "$(printf %s "$(cat "$TEST_HOME/ca.pem")" | sha256sum | cut -d ' ' -f 1)"
    run in_box find /etc/ssl/certs
    assert_output "$(printf '%s\n' /etc/ssl/certs "$BUNDLE")"
}

@test "trust store: programs without variables trust the hosts of a secret, from a start on, and no longer without it (5)" {
    is_as_before
    clean curl -sS https://api.secrets.test/who
    assert_contains "curl: ("
    box secret attach api
    box restart
    clean curl -sS https://api.secrets.test/who
    assert_output served
    clean wget -qO- https://api.secrets.test/who
    assert_output served
    # By the folder.
    clean sh -c 'echo | openssl s_client -verify_return_error -verify_hostname api.secrets.test -servername api.secrets.test \
        -connect api.secrets.test:443 2>&1'
    assert_contains "Verify return code: 0 (ok)"
    run in_box sh -c 'cd /etc/ssl/certs && find . -type f ! -user 0; find . -type f ! -perm 0644; find . -type f'
    [ "${#lines[@]}" = 2 ] || fail "$output"

    # A program of the box replaces the file, as update-ca-certificates does, with the authority in it, and has lost the other.
    as_root sh -c "cp $BUNDLE /tmp/new && echo '# of the box' >>/tmp/new && chmod 0644 /tmp/new && mv -f /tmp/new $BUNDLE && rm /etc/ssl/certs/*.0 && echo >/usr/lib/ssl/own"
    box restart
    clean curl -sS https://api.secrets.test/who
    assert_output served
    run in_box sh -c "cat $BUNDLE; find /etc/ssl/certs -name '*.0'"
    assert_contains "# of the box"
    assert_contains .0
    [ "$(grep -c BEGIN <<<"$output")" = 2 ]

    # A new container has no need of them.
    run box apply </dev/null
    assert_contains "1 file outside its home, '/usr/lib/ssl/own'"

    # A start that was killed has left one.
    as_root sh -c 'echo >/etc/ssl/certs/00c0ffee.0'
    echo 00c0ffee.0 >>"$DATA/boxes/shop/trust-store"
    box secret detach api
    box restart
    run in_box cat "$BUNDLE"
    [ "$(grep -c BEGIN <<<"$output")" = 1 ]
    refute_contains Litterbox
    run in_box find /etc/ssl/certs
    assert_output "$(printf '%s\n' /etc/ssl/certs "$BUNDLE")"
}

@test "trust store: a Java's own file, JKS or PKCS12, has the authority, from a start on, and is what it was without the secret (5)" {
    local each before
    before=$(java_store new | sha256sum | cut -d ' ' -f 1)
    as_root sh -c 'cd /usr/lib/jvm && mkdir -p fifo/lib/security link/jre/lib/security other/lib/security &&
        mkfifo fifo/lib/security/cacerts && ln -s /etc/passwd link/jre/lib/security/cacerts && echo other >other/lib/security/cacerts'
    # What OpenJDK itself has since Java 18, and the same with a password.
    cd "$BATS_TEST_TMPDIR"
    openssl pkcs12 -export -nokeys -in "$TEST_HOME/ca.pem" -certpbe NONE -nomac -passout pass: -out open
    openssl pkcs12 -export -nokeys -in "$TEST_HOME/ca.pem" -passout pass:changeit -out encrypted
    cd "$PROJECT"
    as_root mkdir -p /opt/jdk/lib/security /opt/encrypted/lib/security
    for each in open:jdk encrypted:encrypted; do
        as_root sh -c "cat >/opt/${each#*:}/lib/security/cacerts" <"$BATS_TEST_TMPDIR/${each%:*}"
    done
    box secret attach api
    run box restart
    assert_status 0
    assert_contains "'/usr/lib/jvm/fifo/lib/security/cacerts' is not"
    assert_contains "'/usr/lib/jvm/other/lib/security/cacerts' cannot be used: it is neither a JKS"
    assert_contains "'/opt/encrypted/lib/security/cacerts' cannot be used: it is neither a JKS with the usual password nor a PKCS12 without one; its Java needs -Djavax.net.ssl.trustStore=/run/litterbox/certificates/cacerts"
    for each in "$JAVA_STORE" /run/litterbox/certificates/cacerts; do
        in_box cat "$each" >"$BATS_TEST_TMPDIR/store"
        run java_store "$BATS_TEST_TMPDIR/store"
        assert_output "litterbox: the authority of this box alone"
    done
    in_box cat /opt/jdk/lib/security/cacerts >"$BATS_TEST_TMPDIR/store"
    run openssl pkcs12 -nokeys -in "$BATS_TEST_TMPDIR/store" -passin pass:
    [ "$(grep -c BEGIN <<<"$output")" = 2 ]
    assert_contains "friendlyName: litterbox: the authority of this box alone"
    run in_box cat /usr/lib/jvm/other/lib/security/cacerts
    assert_output other
    box secret detach api
    box restart
    run in_box sha256sum "$JAVA_STORE"
    assert_contains "$before"
    run in_box sha256sum /opt/jdk/lib/security/cacerts
    assert_contains "$(sha256sum <"$BATS_TEST_TMPDIR/open" | cut -d ' ' -f 1)"
    as_root sh -c 'rm -r /usr/lib/jvm/fifo /usr/lib/jvm/link /usr/lib/jvm/other /opt/jdk /opt/encrypted'
}

# Laid as the packages of these distributions lay them: Fedora, Arch, openSUSE.
other_systems() {
    as_root sh -c 'set -e
        mkdir -p /etc/pki/ca-trust/extracted/pem /etc/pki/ca-trust/extracted/java /etc/pki/tls/certs /etc/pki/java /usr/share/pki/ca-trust-source
        ln -s ../../ca-trust/extracted/pem/tls-ca-bundle.pem /etc/pki/tls/certs/ca-bundle.crt
        ln -s certs/ca-bundle.crt /etc/pki/tls/cert.pem
        ln -s /etc/pki/ca-trust/extracted/java/cacerts /etc/pki/java/cacerts
        mkdir -p /etc/ca-certificates/extracted /usr/share/ca-certificates/trust-source
        ln -s ../ca-certificates/extracted/tls-ca-bundle.pem /etc/ssl/cert.pem
        mkdir -p /var/lib/ca-certificates /usr/share/pki/trust
        ln -s ../../var/lib/ca-certificates/ca-bundle.pem /etc/ssl/ca-bundle.pem
        for each in /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem /etc/ca-certificates/extracted/tls-ca-bundle.pem \
            /var/lib/ca-certificates/ca-bundle.pem; do cat '"$BUNDLE"' >$each; done
        for each in /usr/share/pki/ca-trust-source/ca-bundle.trust.p11-kit /usr/share/ca-certificates/trust-source/mozilla.trust.p11-kit \
            /usr/share/pki/trust/ca-certificates-mozilla.trust.p11-kit; do
            (printf "[p11-kit-object-v1]\nlabel: \"Company\"\ntrusted: true\n"; cat '"$BUNDLE"') >$each; done
        for each in /etc/pki/ca-trust/extracted/java/cacerts /var/lib/ca-certificates/java-cacerts; do cat '"$JAVA_STORE"' >$each; done'
}

@test "trust store: files of other distributions have the authority, and are what they were without the secret (5)" {
    local each before bundles="/etc/pki/tls/cert.pem /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem /etc/ssl/ca-bundle.pem"
    local objects="/usr/share/pki/ca-trust-source/ca-bundle.trust.p11-kit /usr/share/ca-certificates/trust-source/mozilla.trust.p11-kit
        /usr/share/pki/trust/ca-certificates-mozilla.trust.p11-kit"
    local java="/etc/pki/java/cacerts /var/lib/ca-certificates/java-cacerts"
    other_systems
    # shellcheck disable=SC2086 # words
    before=$(in_box sha256sum $bundles $objects $java)
    box secret attach api
    box restart
    for each in $bundles; do
        clean curl -sS --cacert "$each" https://api.secrets.test/who
        assert_output served
    done
    for each in $objects; do
        in_box cat "$each" >"$BATS_TEST_TMPDIR/objects"
        [ "$(grep -c BEGIN "$BATS_TEST_TMPDIR/objects")" = 2 ]
        [ "$(grep -c '^trusted: true$' "$BATS_TEST_TMPDIR/objects")" = 2 ]
    done
    for each in $java; do
        in_box cat "$each" >"$BATS_TEST_TMPDIR/store"
        run java_store "$BATS_TEST_TMPDIR/store"
        assert_output "litterbox: the authority of this box alone"
    done
    box secret detach api
    box restart
    # shellcheck disable=SC2086 # words
    run in_box sha256sum $bundles $objects $java
    assert_output "$before"
    as_root rm -r /etc/pki /etc/ca-certificates /var/lib/ca-certificates /usr/share/pki /usr/share/ca-certificates /etc/ssl/cert.pem /etc/ssl/ca-bundle.pem
}

@test "trust store: a link, a FIFO, a folder or a huge file in its place ends no start and leads nowhere (1, 9)" {
    box secret attach api
    echo "of the host" >"$PROJECT/file"
    mkdir "$PROJECT/certs"
    as_root sh -c "mkdir -p /etc/pki/tls/certs /etc/pki/ca-trust/extracted/pem /var/lib/ca-certificates
        rm -r /etc/ssl/certs && ln -s $PROJECT/certs /etc/ssl/certs
        ln -s $PROJECT/file /etc/ssl/cert.pem; mkfifo /etc/ssl/ca-bundle.pem; mkdir /etc/pki/tls/certs/ca-bundle.crt
        truncate -s 9000000 /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem
        ln -s ca-bundle.pem /var/lib/ca-certificates/ca-bundle.pem"
    run box restart
    assert_status 0
    local reason
    for reason in "'/etc/ssl/certs/ca-certificates.crt' of the box cannot be used: it leads out" "'/etc/ssl/cert.pem' of the box cannot be used: it leads out" \
        "'/etc/ssl/ca-bundle.pem' is not" "'/etc/pki/tls/certs/ca-bundle.crt' is not" "tls-ca-bundle.pem' is too large" \
        "'/var/lib/ca-certificates/ca-bundle.pem' of the box cannot be used: Too many levels"; do
        assert_contains "$reason"
    done
    run cat "$PROJECT/file"
    assert_output "of the host"
    run ls -A "$PROJECT/certs"
    assert_output ""
    assert_box_alive
}
