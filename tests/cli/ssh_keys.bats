#!/usr/bin/env bats
# `box keys` and the encrypted key store. ssh-keygen makes the key files and checks exported keys.

load ../lib/box.bash
project_setup() { :; } # keys need none
setup() {
    box_setup
    STORE=$DATA/keys
    unset SSH_AUTH_SOCK
}
teardown() { box_teardown; }

# keys VERB WORD…: runs box keys with the password "pw", and the passphrase "passphrase" where a key file is read or written.
keys() {
    local fds=(--password-fd 8)
    [[ $1 != import && $1 != export ]] || fds+=(--passphrase-fd 9)
    box keys "$@" "${fds[@]}" 8<<<"${PW:-pw}" 9<<<"${PASS:-passphrase}"
}

# cheap_store: an empty store with the password "pw", of which deriving the key takes milliseconds and not the third of a
# second that the program chooses for its own stores.
cheap_store() {
    mkdir -p "$DATA" && chmod 700 "$DATA" && base64 -d >"$STORE" <<'STORE' && chmod 600 "$STORE"
bGl0dGVyYm94LWtleXMKAAAAAAEAAAAAAAAAoAAAAAAAAAABAAAAAACAAAAlKC0wzAtYxvYK0m+ffCqKBZKa/tBPMJjFPQcL1KW1
Z4zLfD7bX44CAtbtg3eI/t0AAAAAjQkugyqqUwfegkmnH4x7EyloHQNsp0NZJyn9vbIPC8ISitASNzF6j2XERheEHv7qBx792/nT
k1uUNqQDziD5Iw==
STORE
}

# public FILE: prints type and blob of a .pub file.
public() { cut -d ' ' -f 1,2 "$1"; }

# same NAME FILE: true if the key NAME in the store is the one in FILE.pub.
same() { [ "$(box keys show --public "$1" | cut -d ' ' -f 1,2)" = "$(public "$2.pub")" ]; }

# imported NAME FILE: imports FILE as NAME. An import refuses private and public parts that do not belong together.
imported() {
    keys import "$2" "$1" >/dev/null 2>&1 || fail "import $2"
    same "$1" "$2" || fail "$2: another public key"
}

# round_trip NAME FILE: imports FILE as NAME, exports it, and checks a signature of the exported key.
round_trip() {
    imported "$1" "$2"
    rm -f out
    keys export "$1" out 2>/dev/null || fail "export $2"
    [ "$(stat -c %a out)" = 600 ]
    # Once: what a passphrase locks is unlocked by a second of computing.
    ssh-keygen -q -p -P passphrase -N '' -f out || fail "$2: exported with another passphrase"
    [ "$(ssh-keygen -y -P '' -f out | cut -d ' ' -f 1,2)" = "$(public "$2.pub")" ] || fail "$2: exported another key"
    echo text >text
    rm -f text.sig
    ssh-keygen -q -Y sign -f out -n file text 2>/dev/null
    echo "me $(public "$2.pub")" >allowed
    ssh-keygen -q -Y verify -f allowed -I me -n file -s text.sig <text || fail "$2: wrong signature"
}

@test "ssh-keys: generate, list, show, rename, delete" {
    run --separate-stderr keys generate work
    assert_status 0
    [[ $output =~ ^ssh-ed25519\ [A-Za-z0-9+/=]+\ work$ ]]
    echo "$output" >work.pub
    [ "$(stat -c %a "$STORE")" = 600 ]
    same work work
    fingerprint=$(ssh-keygen -l -f work.pub | cut -d ' ' -f 2)
    run box keys list
    assert_contains "work"
    assert_contains "$fingerprint"
    [ "$(box keys list --json | jq -c '.[0] | [.name, .type, .bits, .fingerprint]')" = "[\"work\",\"ED25519\",256,\"$fingerprint\"]" ]
    [ "$(box keys show --json "$fingerprint" | jq -r .public_key)" = "$(cat work.pub)" ]
    keys rename work home
    same home work
    run box keys show work
    assert_status 125
    run keys delete home
    assert_status 125
    assert_contains "--yes"
    keys delete --yes home
    [ "$(box keys list --json)" = "[]" ]
}

@test "ssh-keys: without a store, commands say how to create one" {
    [ "$(box keys list --json)" = "[]" ]
    for verb in "show x" "delete x" "rename x y" "export x" passwd; do
        # shellcheck disable=SC2086 # words
        run keys $verb
        assert_status 125
        assert_contains "box keys generate"
    done
    [ ! -e "$STORE" ]
}

@test "ssh-keys: imports every type of key and cipher of ssh-keygen" {
    cheap_store
    local type cipher
    for type in "ed25519 256" "rsa 2048" "rsa 4096" "ecdsa 256" "ecdsa 384" "ecdsa 521"; do
        # shellcheck disable=SC2086 # type and bits
        set -- $type
        ssh-keygen -q -t "$1" -b "$2" -N '' -C 'a comment' -f "plain-$1-$2"
        round_trip "plain-$1-$2" "plain-$1-$2"
    done
    # The ciphers lock every type in the same way, and what is exported depends on the type alone.
    for cipher in aes256-ctr aes256-gcm@openssh.com chacha20-poly1305@openssh.com aes256-cbc \
        aes192-ctr aes192-cbc aes128-ctr aes128-cbc aes128-gcm@openssh.com; do
        ssh-keygen -q -t ecdsa -N passphrase -Z "$cipher" -a 20 -f "by-$cipher"
        imported "by-$cipher" "by-$cipher"
    done
    [ "$(box keys list --verify --password-fd 0 --json <<<pw | jq length)" = 15 ]
}

@test "ssh-keys: imports PEM and PKCS#8 files of ssh-keygen and openssl" {
    cheap_store
    local format type bits
    for format in PEM PKCS8; do
        for type in rsa ecdsa; do
            bits=()
            [ "$type" != rsa ] || bits=(-b 2048)
            ssh-keygen -q -t "$type" "${bits[@]}" -m "$format" -N '' -f "$format-$type"
            grep -q "BEGIN .*PRIVATE KEY" "$format-$type"
            imported "$format-$type" "$format-$type"
            ssh-keygen -q -t "$type" "${bits[@]}" -m "$format" -N passphrase -f "$format-$type-locked"
            grep -q ENCRYPTED "$format-$type-locked"
            imported "$format-$type-locked" "$format-$type-locked"
        done
    done
    openssl ecparam -genkey -name secp384r1 -out with-parameters 2>/dev/null
    chmod 600 with-parameters
    ssh-keygen -y -f with-parameters >with-parameters.pub
    imported with-parameters with-parameters
    # ssh-keygen before 9.6 cannot read ed25519 keys in PKCS#8.
    openssl genpkey -algorithm ed25519 -aes256 -pass pass:passphrase -out ed25519
    keys import ed25519 ed25519 >/dev/null
    [ "$(openssl pkey -in ed25519 -passin pass:passphrase -pubout -outform DER | tail -c 32 | base64)" = \
        "$(box keys show --public ed25519 | cut -d ' ' -f 2 | base64 -d | tail -c 32 | base64)" ]
}

@test "ssh-keys: a refused import says why and does not change the store" {
    cheap_store
    keys generate old >/dev/null
    cp "$STORE" before
    ssh-keygen -q -t ed25519 -N passphrase -f locked
    ssh-keygen -q -t rsa -b 1024 -N '' -f short
    openssl dsaparam -genkey -noout -out dsa 1024 2>/dev/null
    ssh-keygen -q -t rsa -b 2048 -N '' -f rsa
    openssl ecparam -genkey -name secp256k1 -noout -out curve 2>/dev/null
    openssl genpkey -algorithm ed448 -out ed448
    head -c 300 locked >half
    sed '3s/^..../AAAA/' rsa >changed
    head -c 100000 /dev/urandom >noise
    : >empty
    printf 'PuTTY-User-Key-File-3: ssh-ed25519\n' >putty
    while IFS=: read -r file why; do
        run keys import "$file" new
        assert_status 125
        assert_contains "$why"
        [ "${#lines[@]}" = 1 ] || fail "$output"
        cmp "$STORE" before
    done <<'CASES'
locked.pub:public key
short:1024 bits
dsa:not supported
curve:not supported
ed448:not supported
half:truncated
changed:'changed'
noise:too large
empty:not a private key
putty:puttygen
nowhere:No such file
CASES
    PASS=wrong run keys import locked new
    assert_status 125
    assert_contains "passphrase is wrong"
    run keys import rsa 'bad name'
    assert_status 125
    assert_contains "not a valid name"
    run keys import rsa old
    assert_contains "a key named 'old' already exists"
    cmp "$STORE" before
    keys import rsa >/dev/null 2>&1
    run keys import rsa again
    assert_contains "already has this key, as 'rsa'"
}

@test "ssh-keys: refuses a private key with the public part of another key" {
    ssh-keygen -q -t ed25519 -N '' -C x -f one
    ssh-keygen -q -t ed25519 -N '' -C x -f two
    python3 - <<'PYTHON'
import base64
lines = open("one").read().split("\n")
raw = base64.b64decode("".join(lines[1:-2]))
mine = base64.b64decode(open("one.pub").read().split()[1])[-32:]
other = base64.b64decode(open("two.pub").read().split()[1])[-32:]
lines[1:-2] = [base64.b64encode(raw.replace(mine, other)).decode()]
open("one", "w").write("\n".join(lines))
PYTHON
    run keys import one
    assert_status 125
    assert_contains "do not belong together"
}

@test "ssh-keys: a wrong password changes nothing, passwd changes the password" {
    cheap_store
    keys generate work >/dev/null
    cp "$STORE" before
    for verb in "generate x" "rename work x" "delete --yes work" "export work" "list --verify" "show --verify work" \
        "passwd --new-password-fd 9"; do
        # shellcheck disable=SC2086 # words
        PW=wrong run keys $verb
        assert_status 125
        assert_contains "password is wrong"
        cmp "$STORE" before
    done
    box keys passwd --password-fd 0 --new-password-fd 0 <<<$'pw\nnew'
    PW=pw run keys list --verify
    assert_contains "password is wrong"
    PW=new keys list --verify
    PW='' run keys generate x
    [ "$status" = 125 ]
    run box keys generate x --password-fd 8
    assert_status 125
    run box keys generate x --password-fd nonsense
    assert_status 64
    run box keys generate x </dev/null
    assert_status 125
}

# forge OFFSET: changes the byte at OFFSET (if negative, from the end) and updates the checksum.
forge() {
    python3 - "$STORE" "$1" <<'PYTHON'
import hashlib, sys
path, offset = sys.argv[1], int(sys.argv[2])
data = bytearray(open(path, "rb").read()[:-32])
data[offset] ^= 1
open(path, "wb").write(data + hashlib.blake2b(data, digest_size=32).digest())
PYTHON
}

@test "ssh-keys: a truncated, damaged, tampered or newer store is reported as such and not changed" {
    cheap_store
    keys generate work >/dev/null
    cp "$STORE" good
    size=$(stat -c %s good)
    refused() { # MESSAGE COMMAND…
        local message=$1 sum
        shift
        sum=$(sha256sum <"$STORE")
        run "$@"
        assert_status 125
        assert_contains "$message"
        [ "$sum" = "$(sha256sum <"$STORE")" ]
        cat good >"$STORE"
    }
    for length in 0 1 15 16 20 30 100 $((size / 2)) $((size - 1)); do
        head -c "$length" good >"$STORE"
        refused "truncated" keys generate x
    done
    for offset in 5 25 40 60 100 200 $((size - 70)) $((size - 10)); do
        python3 -c 'import sys; d = bytearray(open("good", "rb").read()); d[int(sys.argv[1])] ^= 1; open(sys.argv[2], "wb").write(d)' \
            "$offset" "$STORE"
        run box keys list
        assert_status 125
        refused "the key store" keys generate x
    done
    { cat good; echo; } >"$STORE"
    refused "damaged" box keys list
    echo text >"$STORE"
    refused "damaged" box keys list
    printf '\x02' | dd of="$STORE" bs=1 seek=19 conv=notrunc status=none
    refused "later version" keys generate x
    # Deliberate changes of the name, the time, the encrypted key and the MAC.
    for offset in 101 166 200 -1 -33; do
        forge "$offset"
        box keys list >/dev/null
        refused "was changed by someone" keys generate x
    done
    # --verify finds a replaced public key.
    forge 140
    refused "was changed by someone" keys show --verify work
    keys generate x >/dev/null
}

@test "ssh-keys: refuses a store that others can access, of another user, or behind a link" {
    cheap_store
    keys generate work >/dev/null
    for mode in 604 640 620 602; do
        chmod "$mode" "$STORE"
        run keys generate x
        assert_status 125
        assert_contains "chmod 600"
    done
    chmod 600 "$STORE"
    chmod 777 "$DATA"
    run box keys list
    assert_contains "folder that others can write to"
    chmod 700 "$DATA"
    mv "$STORE" real
    ln -s "$PWD/real" "$STORE"
    run box keys list
    assert_status 125
    assert_contains "symbolic link"
    rm "$STORE"
    # A file that root owns.
    ln -s /etc/hostname "$STORE"
    run keys generate x
    assert_contains "symbolic link"
    rm "$STORE"
    mkdir "$STORE"
    run box keys list
    assert_contains "not a regular file"
    rmdir "$STORE"
    mkfifo "$STORE"
    run timeout 60 box keys list
    assert_contains "not a regular file"
    rm "$STORE"
    mv real "$STORE"
    box keys list --verify --password-fd 0 <<<pw
    env -u CONTAINER_HOST podman unshare chown 1:1 "$STORE"
    [ "$(stat -c %u "$STORE")" != "$(id -u)" ]
    run box keys list
    assert_status 125
    env -u CONTAINER_HOST podman unshare chown 0:0 "$STORE"
    box keys list --verify --password-fd 0 <<<pw
}

@test "ssh-keys: asks for passwords on the terminal without echo, twice for a new store" {
    local old="Password of the key store: "
    run on_terminal --answer "new key store: " 'secret-1\n' --answer "again: " 'secret-1\n' box keys generate work
    assert_status 0
    refute_contains secret-1
    assert_contains "ssh-ed25519"
    run on_terminal --answer "$old" 'wrong\n' --answer "$old" 'secret-1\n' box keys generate two
    assert_status 0
    assert_contains "password is wrong"
    refute_contains secret-1
    run on_terminal --answer "$old" 'a\n' --answer "$old" 'b\n' --answer "$old" 'c\n' box keys generate three
    assert_status 125
    run on_terminal --answer "$old" 'secret-1\n' --answer "New password: " 'one\n' --answer "again: " 'other\n' \
        box keys passwd
    assert_status 125
    assert_contains "differ"
    ssh-keygen -q -t ed25519 -N passphrase -f locked
    run on_terminal --answer "key file: " 'wrong\n' --answer "key file: " 'passphrase\n' --answer "$old" 'secret-1\n' \
        box keys import locked
    assert_status 0
    same locked locked
    # What cannot be done is said before anything is asked for.
    cp locked 'my key'
    for what in "generate wörk" "import locked wörk" "rename work wörk"; do
        # shellcheck disable=SC2086 # words
        run on_terminal --answer "$old" 'secret-1\n' box keys $what
        assert_contains "not a valid name"
        refute_contains "$old"
    done
    run on_terminal --answer "key file: " 'passphrase\n' box keys import 'my key'
    assert_contains "name the key ('box keys import FILE NAME'): 'my key' is not a valid name"
    refute_contains "key file: "
    run on_terminal --answer "[y/N] " 'y\n' --answer "$old" 'secret-1\n' box keys delete two
    assert_status 0
    run on_terminal --answer "[y/N] " 'n\n' box keys delete work
    assert_status 125
    assert_contains "not deleted"
    [ "$(PW=secret-1 keys list --verify --json | jq -c 'map(.name)')" = '["work","locked"]' ]
}

@test "ssh-keys: Ctrl-C and Ctrl-Z at a password prompt restore the terminal" {
    run on_terminal --answer "store: " '\x03' bash -c 'trap : INT; box keys generate work; stty -a'
    assert_contains " echo "
    refute_contains "-echo "
    [ ! -e "$STORE" ]
    run on_terminal --send 'box keys generate work\n' --answer "store: " '\x1a' --answer Stopped 'fg\n' \
        --answer "store: " 'pw\n' --answer "again: " 'pw\n' --answer ssh-ed25519 'exit\n' env PS1=. bash --norc -i
    assert_status 0
    box keys show work
}

@test "ssh-keys: the process cannot be traced, read or dumped" {
    mkfifo pipe
    box keys generate work --password-fd 8 8<pipe >out 2>&1 3>&- &
    pid=$!
    exec 7>pipe
    eventually sh -c "readlink /proc/$pid/exe 2>&1 | grep -q 'litterbox-keys\|denied' || ! cat /proc/$pid/maps >/dev/null 2>&1"
    # A process that is not dumpable has files in /proc that root owns (proc(5)).
    eventually sh -c "[ \"\$(stat -c %u /proc/$pid/mem)\" != $(id -u) ]"
    run cat "/proc/$pid/maps"
    [ "$status" != 0 ]
    run cat "/proc/$pid/mem"
    [ "$status" != 0 ]
    grep -qE 'Max core file size +0 +0 ' "/proc/$pid/limits"
    kill -SEGV "$pid"
    wait "$pid" || true
    exec 7>&-
    [ -z "$(find . -name 'core*')" ]
    [ ! -e "$STORE" ]
}

@test "ssh-keys: concurrent changes are all kept" {
    cheap_store
    keys generate first >/dev/null
    local pids=()
    for number in 1 2 3 4 5 6; do
        keys generate "at-once-$number" >/dev/null 2>&1 3>&- &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid"; done
    [ "$(keys list --verify --json | jq length)" = 7 ]
}

@test "ssh-keys: concurrent commands create one store" {
    local pids=()
    for number in 1 2 3; do
        keys generate "at-once-$number" >/dev/null 2>&1 3>&- &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid"; done
    [ "$(keys list --verify --json | jq length)" = 3 ]
}

@test "ssh-keys: kill -9 at any moment leaves the old or the new store and no other file" {
    cheap_store
    keys generate first >/dev/null
    count=1
    for round in $(seq 30); do
        # Not with keys(): $! must be the pid of the program.
        box keys generate "round-$round" --password-fd 8 8<<<pw >/dev/null 2>&1 3>&- &
        pid=$!
        sleep "0.$(printf %03d $((RANDOM % 40)))" # about as long as the command takes
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        now=$(box keys list --json | jq length)
        [ "$now" = "$count" ] || [ "$now" = $((count + 1)) ]
        count=$now
    done
    [ "$(keys list --verify --json | jq length)" = "$count" ]
    keys generate last >/dev/null
    [ "$(find "$DATA" -type f | sort | xargs -n1 basename | tr '\n' ' ')" = "keys keys.lock " ]
}

@test "ssh-keys: a full disk leaves the old store intact" {
    mkdir disk
    cat >full.bash <<'SCRIPT'
set -u
mount -t tmpfs -o size=256k,mode=700 tmpfs disk || exit 99
export XDG_DATA_HOME=$PWD/disk
store=disk/litterbox-$LITTERBOX_INSTANCE/keys
box keys generate first --password-fd 0 <<<pw >/dev/null || exit 1
head -c 1M /dev/zero >disk/filler 2>/dev/null
sum=$(sha256sum <"$store")
out=$(box keys generate more --password-fd 0 2>&1 <<<pw)
status=$?
[ "$status" = 125 ] && [[ $out == *"No space left"* ]] || { echo "status $status: $out"; exit 1; }
[ "$sum" = "$(sha256sum <"$store")" ] || { echo changed; exit 1; }
rm disk/filler
box keys generate more --password-fd 0 <<<pw >/dev/null && [ "$(box keys list --json | jq length)" = 2 ] && echo fine
SCRIPT
    run unshare --map-current-user --keep-caps --mount bash full.bash
    assert_output fine
    assert_status 0
}

@test "ssh-keys: export does not overwrite a file and warns if there is no passphrase" {
    keys generate work >/dev/null
    echo mine >there
    run keys export work there
    assert_status 125
    [ "$(cat there)" = mine ]
    run --separate-stderr keys export --no-passphrase work
    assert_status 0
    # shellcheck disable=SC2154
    [[ $stderr == *"without a passphrase"* ]]
    echo "$output" >plain
    chmod 600 plain
    ssh-keygen -y -P '' -f plain >plain.pub
    same work plain
    run keys export nowhere
    assert_status 125
    PASS='' run keys export work new
    assert_status 0
    [ -w /dev/full ] || return 0
    run bash -c 'box keys export --no-passphrase --password-fd 0 work <<<pw >/dev/full'
    assert_status 125
}

@test "ssh-keys: invalid arguments and names are refused" {
    for words in "" nonsense generate "generate a b" "list x" "import" "rename a" "passwd x" "show"; do
        # shellcheck disable=SC2086 # words
        run box keys $words
        assert_status 64
        assert_contains "box keys "
    done
    run box keys generate "$(printf 'a%.0s' {1..65})" --password-fd 0 <<<pw
    assert_status 125
    run box keys generate -- work
    assert_status 64
    for name in -x .x x/y 'x y' $'x\ny' ü ''; do
        run box keys generate --password-fd 0 "$name" <<<pw
        [ "$status" != 0 ]
    done
    [ ! -e "$STORE" ]
}
