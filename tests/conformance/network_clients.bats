#!/usr/bin/env bats
# Real clients of many protocols in a box with a filtered network, with and without a secret. By hand, as the programs are
# large (docs/testing.md): a client that is not there is skipped. tests/demo/working-day has git, npm, pip, cargo, Go and apt
# without a secret. Where BOX_MCP_CLIENTS is set, undici of that folder is tried, too.
# shellcheck disable=SC2154 # bats sets status and output
# shellcheck disable=SC2016 # the box's shell expands these

load ../lib/ssh.bash
load ../escape/escape.bash
load ../lib/certificate.bash

setup_file() {
    command -v node >/dev/null || skip "node is not here"
    export REAL=ghp_realRealRealReal0123456789abcdefABCD
    escape_setup_network
    ssh_setup work
    export SERVICES=$TEST_HOME/services
    hosts_add "$OWN $(printf '%s.clients.test ' web key db cache mail files index)"
    mkdir "$SERVICES"
    : >"$SERVICES/pids"
    make_certificate "$TEST_HOME" {web,key,index}.clients.test
    node "$BATS_TEST_DIRNAME/network_clients.js" "$OWN" "$TEST_HOME" 3>&- &
    echo $! >>"$SERVICES/pids"
    eventually test -e "$TEST_HOME/ready"
    export SSL_CERT_FILE=$TEST_HOME/ca.pem
    cp "$TEST_HOME/ca.pem" ca.pem
    attach work
    escape_config "[network]
mode = \"filtered\"
ech = true
allow = [\"web.clients.test\", \"web.clients.test:8443\", \"db.clients.test:5432\", \"cache.clients.test:6379\", \"mail.clients.test:25\",
    \"files.clients.test:22\", \"$OWN:443\", \"$OWN:8443\", \"$OWN:5432\", \"$OWN:6379\", \"$OWN:25\", \"$OWN:22\"]
[box]
idle_stop = \"never\""
    box secret add key --host key.clients.test --variable API_TOKEN --value-fd 0 <<<"$REAL"
    box secret add index --host index.clients.test --as basic --variable INDEX_TOKEN --value-fd 0 <<<"$REAL"
    box secret attach key
    box secret attach index
    box run -- true
}
teardown_file() {
    [ -n "${SERVICES:-}" ] || return 0
    xargs kill <"$SERVICES/pids" || true
    hosts_remove clients.test
    box secret remove key
    box secret remove index
    agent_teardown
}
setup() { escape_setup; }

# service PORT COMMAND...: on $OWN, until the end of this file's tests.
service() {
    local port=$1
    shift
    "$@" >"$SERVICES/$port" 2>&1 3>&- &
    echo $! >>"$SERVICES/pids"
    eventually bash -c "exec 4<>/dev/tcp/$OWN/$port" 2>/dev/null || { cat "$SERVICES/$port" && return 1; }
}
need() { command -v "$1" >/dev/null || skip "$1 is not here"; }
inside() { run in_box sh -c "$1"; }

@test "clients: curl, by HTTP/1.1 and HTTP/2" {
    inside 'curl -sS --cacert ca.pem --http1.1 https://web.clients.test/'
    assert_output "<p>reached by 1.1 with no key</p>"
    inside 'curl -sS --cacert ca.pem --http2 https://web.clients.test/'
    assert_output "<p>reached by 2.0 with no key</p>"
    inside 'curl -sS -H "Authorization: Bearer $API_TOKEN" https://key.clients.test/'
    assert_contains "with the key"
}

@test "clients: fetch of Node, and a WebSocket" {
    local name program='
        const headers = { authorization: `Bearer ${process.env.API_TOKEN}` };
        console.log((await (await fetch("https://NAME/", { headers })).text()).trim());
        const socket = new WebSocket("wss://NAME/");
        socket.onopen = () => socket.send("hello");
        socket.onmessage = (event) => { console.log(event.data); socket.close(); };'
    for name in web key; do
        inside "NODE_EXTRA_CA_CERTS=\$([ $name = key ] && echo \"\$NODE_EXTRA_CA_CERTS\" || echo ca.pem) node --experimental-websocket --input-type=module -e '${program//NAME/$name.clients.test}'"
        assert_contains "hello"
        assert_contains "with $([ "$name" = key ] && echo the || echo no) key"
    done
}

@test "clients: undici" {
    [ -d "${BOX_MCP_CLIENTS:-}/node_modules/undici" ] || skip "undici is not here"
    mkdir -p node_modules
    cp -r "$BOX_MCP_CLIENTS/node_modules/undici" node_modules
    local name program='
        import { Agent, request, setGlobalDispatcher } from "undici";
        setGlobalDispatcher(new Agent({ allowH2: true }));
        const headers = { authorization: `Bearer ${process.env.API_TOKEN}` };
        for (let i = 0; i < 3; i++)
            console.log((await (await request("https://NAME/", { headers })).body.text()).trim());'
    for name in web key; do
        inside "NODE_EXTRA_CA_CERTS=\$([ $name = key ] && echo \"\$NODE_EXTRA_CA_CERTS\" || echo ca.pem) node --input-type=module -e '${program//NAME/$name.clients.test}'"
        [ "$(grep -c "with $([ "$name" = key ] && echo the || echo no) key" <<<"$output")" = 3 ] || fail "$output"
    done
}

@test "clients: pip, from an index that takes a key" {
    in_box python3 -m pip --version || skip "pip is not here"
    python3 -c '
import zipfile
with zipfile.ZipFile("day_shapes-1-py3-none-any.whl", "w") as wheel:
    wheel.writestr("day_shapes.py", "sides = 4\n")
    wheel.writestr("day_shapes-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: day-shapes\nVersion: 1\n")
    wheel.writestr("day_shapes-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("day_shapes-1.dist-info/RECORD", "")'
    mv day_shapes-1-py3-none-any.whl "$TEST_HOME"
    local install='python3 -m pip install --no-cache-dir --disable-pip-version-check --target shapes'
    inside "$install --no-input --index-url https://index.clients.test/simple/ day-shapes"
    [ "$status" != 0 ] || fail "the index asks for no key"
    inside "$install --index-url https://user:\$INDEX_TOKEN@index.clients.test/simple/ day-shapes && PYTHONPATH=shapes python3 -c 'import day_shapes; print(day_shapes.sides)'"
    assert_contains "Successfully installed day-shapes-1"
    assert_contains 4
    [[ $output != *"$REAL"* ]] || fail "the key is in the box"
}

@test "clients: gRPC, without a secret" {
    /usr/bin/python3 -c 'import grpc' 2>/dev/null || skip "grpcio is not here"
    service 8443 /usr/bin/python3 "$BATS_TEST_DIRNAME/../escape/grpc_server.py" "$OWN" "$TEST_HOME"
    run in_box /usr/bin/python3 -c '
import grpc
with grpc.secure_channel("web.clients.test:8443", grpc.ssl_channel_credentials(open("ca.pem", "rb").read())) as channel:
    print(channel.unary_unary("/test.Test/Unary")(b"hello", timeout=20).decode())
    print(*(each.decode() for each in channel.stream_stream("/test.Test/Chat")(iter([b"one", b"two"]), timeout=20)))'
    assert_output "HELLO
ONE TWO"
}

@test "clients: HttpClient of Java, told of nothing for a host with a secret" {
    need javac
    cat >Get.java <<'J'
import java.net.URI;
import java.net.http.*;
class Get {
    public static void main(String[] a) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(a[0])).header("Authorization", "Bearer " + System.getenv("API_TOKEN")).build();
        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.print(answer.version() + " " + answer.body());
    }
}
J
    # The host without a secret has an authority of this test's, of which the box knows nothing.
    inside 'javac Get.java && java Get https://key.clients.test/'
    assert_contains "with the key</p>"
    inside 'keytool -importcert -noprompt -alias test -file ca.pem -keystore store -storepass changeit 2>&1 &&
        java -Djavax.net.ssl.trustStore=store -Djavax.net.ssl.trustStorePassword=changeit Get https://web.clients.test/'
    assert_contains "HTTP_2 <p>reached by 2.0 with no key</p>"
}

@test "clients: psql" {
    local server
    server=$(echo /usr/lib/postgresql/*/bin)
    [ -x "$server/postgres" ] || skip "PostgreSQL is not here"
    need psql
    "$server/initdb" -D "$SERVICES/db" -A trust -U dev >/dev/null
    echo "host all all all trust" >>"$SERVICES/db/pg_hba.conf"
    service 5432 "$server/postgres" -D "$SERVICES/db" -h "$OWN" -k "$SERVICES"
    inside 'psql -h db.clients.test -U dev -d postgres -Atc "select 6 * 7"'
    assert_output 42
}

@test "clients: redis-cli" {
    need redis-server
    service 6379 redis-server --bind "$OWN" --protected-mode no --save ""
    inside 'redis-cli -h cache.clients.test set name box && redis-cli -h cache.clients.test get name'
    assert_output "OK
box"
}

@test "clients: mail, where the server speaks first" {
    service 25 python3 -c '
import socketserver, sys
class Mail(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")
    def handle(self):
        self.say("220 mail.clients.test")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"DATA":
                self.say("354 go on")
                while self.rfile.readline() != b".\r\n":
                    pass
                self.say("250 reached")
            elif word == b"QUIT":
                return self.say("221 bye")
            else:
                self.say("250 ok")
socketserver.ThreadingTCPServer((sys.argv[1], 25), Mail).serve_forever()' "$OWN"
    inside 'python3 -c "
import smtplib
line = smtplib.SMTP(\"mail.clients.test\")
line.helo()
line.mail(\"a@example.org\")
line.rcpt(\"b@example.org\")
print(line.data(\"hello\"))"'
    assert_output "(250, b'reached')"
}

@test "clients: rsync over ssh" {
    need rsync
    sshd_start ed25519 "Port 22" "ListenAddress $OWN"
    echo "$SSHD" >>"$SERVICES/pids"
    mkdir "$SERVICES/files"
    echo hello >"$SERVICES/files/file"
    answer_all once
    echo "$ANSWERER" >>"$SERVICES/pids"
    inside "rsync -a -e 'ssh -q -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null' $(id -un)@files.clients.test:$SERVICES/files/ got/ && cat got/file"
    assert_contains hello
}

@test "clients: Chromium" {
    need chromium
    inside 'chromium --headless --no-sandbox --disable-gpu --ignore-certificate-errors --virtual-time-budget=5000 --dump-dom https://web.clients.test/ 2>/dev/null'
    assert_contains "reached by 2.0 with no key"
}
