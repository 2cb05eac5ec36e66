# TLS that is terminated for a secret; and the network of a filtered box beside that of sandbox-runtime, by curl. For that
# BOX_SRT is its program, and BOX_SRT_SERVER the address of a secrets.py that serves elsewhere: it refuses this machine's own.
# Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, work, compare

# secrets_client NAME COMMAND…: a program that prints what curl needs, in milliseconds, without its start. "$@" is curl's.
secrets_client() {
    local name=$1
    shift
    printf '#!/bin/sh\n%s\n' "$*" >"$work/$name"
    chmod +x "$work/$name"
}

# The medians of five runs of each PROGRAM in turn, with the same ARGUMENT.
secrets_medians() { # ARGUMENT PROGRAM…
    python3 - "$@" <<'P'
import statistics, subprocess, sys
argument, *programs = sys.argv[1:]
taken = [[float(subprocess.run([program, *argument.split()], check=True, stdout=subprocess.PIPE).stdout) * 1000
          for program in programs] for _ in range(5)]
print(*(round(statistics.median(column), 3) for column in zip(*taken)))
P
}

# A web server (its pid in $server), a box that has a secret for it, and clients: $work/direct and $work/through.
secrets_begin() {
    local own curl
    folder=$work/secret
    own=$(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
    [ -w /etc/hosts ] || { echo "secrets need a host whose /etc/hosts the user may write, such as the lab" >&2 && return 1; }
    echo "$own secret.bench.test" >>/etc/hosts
    [ -z "${BOX_SRT_SERVER:-}" ] || echo "$BOX_SRT_SERVER plain.bench.test" >>/etc/hosts
    mkdir -p "$folder"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=bench -addext "subjectAltName=DNS:secret.bench.test" \
        -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
    coproc web { exec python3 "$here/secrets.py" "$own" "$work/cert.pem" "$work/key.pem"; }
    # shellcheck disable=SC2154 # coproc sets it
    server=$web_PID
    read -r <&"${web[0]}"
    printf '[network]\nmode = "filtered"\nallow = ["plain.bench.test:80", "%s:443", "%s:80"]\n' "$own" "${BOX_SRT_SERVER:-$own}" >"$folder/litterbox.toml"
    export SSL_CERT_FILE=$work/cert.pem
    box secret add bench --host secret.bench.test --variable BENCH_TOKEN --value-fd 0 <<<"a-key-of-the-bench-0123456789abcdef"
    (cd "$folder" && box init --no-file && box trust --yes && box secret attach bench && box run -- true) >/dev/null 2>&1
    # shellcheck disable=SC2016 # the clients' shells expand these
    curl='exec curl -sSf -o /dev/null -w "%{time_total}" -H "Authorization: Bearer $BENCH_TOKEN" "$@"'
    # As many certificates as in the box: to read them takes curl longer than the handshake.
    cat /etc/ssl/certs/ca-certificates.crt "$work/cert.pem" >"$work/bundle.pem"
    secrets_client direct "export BENCH_TOKEN=a-key-of-the-bench-0123456789abcdef CURL_CA_BUNDLE=$work/bundle.pem; $curl"
    secrets_client through "cd $folder && exec box run -- sh -c '$curl' curl \"\$@\""
}

secrets_end() {
    (cd "$folder" && box rm --yes) 2>/dev/null
    box secret remove bench
    kill "$server"
    unset SSL_CERT_FILE
}

secrets() {
    local m server folder
    secrets_begin || return 0
    head -c 268435456 /dev/zero >"$folder/body"
    read -ra m < <(secrets_medians https://secret.bench.test/1073741824 "$work/through" "$work/direct")
    compare tls-GiB-down-vs-direct 1.667 "${m[0]}" "${m[1]}"
    read -ra m < <(secrets_medians "-T $folder/body https://secret.bench.test/" "$work/through" "$work/direct")
    compare tls-256MiB-up-vs-direct 1.667 "${m[0]}" "${m[1]}"
    read -ra m < <(secrets_medians "https://secret.bench.test/1" "$work/through" "$work/direct")
    compare tls-first-byte-vs-direct - "${m[0]}" "${m[1]}"
    # The server sends a head, and its body after that. Neither may wait for an acknowledgement (40 ms).
    read -ra m < <(secrets_medians "--http1.1 --tls-max 1.2 https://secret.bench.test/1" "$work/through" "$work/direct")
    compare tls-1.2-first-byte-vs-direct 1.3 "${m[0]}" "${m[1]}"
    [ -z "${BOX_SRT:-}" ] || beside_srt "$folder"
    secrets_end
}

# The same work by names that both allow. Its proxy takes a moment to listen.
beside_srt() { # FOLDER
    printf '{"network": {"allowedDomains": ["plain.bench.test"], "deniedDomains": []}, "filesystem": {"denyRead": [], "allowWrite": ["/tmp"], "denyWrite": []}}' >"$work/srt.json"
    # shellcheck disable=SC2016
    secrets_client srt "cd $1 && exec $BOX_SRT --settings $work/srt.json -c \"sleep 2; curl -sSf -o /dev/null -w '%{time_total}' \$*\""
    read -ra m < <(secrets_medians http://plain.bench.test/1073741824 "$work/through" "$work/srt" "$work/direct")
    compare http-GiB-down-vs-sandbox-runtime 1 "${m[0]}" "${m[1]}"
    compare http-GiB-down-vs-direct - "${m[0]}" "${m[2]}"
    read -ra m < <(secrets_medians http://plain.bench.test/1 "$work/through" "$work/srt" "$work/direct")
    compare http-first-byte-vs-sandbox-runtime 1 "${m[0]}" "${m[1]}"
}
