# What people do with files, in the project of a box: natively, by podman exec in the same container, which has
# neither guard nor session, and by box run. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, project, name, compare

# The work; each is repeated in one process, so that no start of a command counts.
files_work() {
    cat >work.sh <<'S'
set -e
case $1 in
create) exec python3 -c '
import os
os.makedirs("made", exist_ok=True)
for i in range(10000):
    os.close(os.open(f"made/{i}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))' ;;
writers)
    for writer in 1 2 3 4 5 6 7 8; do
        python3 -c '
import os, sys
folder = "made/" + sys.argv[1]
os.makedirs(folder, exist_ok=True)
for i in range(2500):
    os.close(os.open(f"{folder}/{i}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))' $writer &
    done
    wait ;;
untar) tar xf tree.tar ;;
clone) git clone -q repository copy ;;
copy) cp -a repository/tree copy ;; # a box may not copy the configuration of a repository
read) grep -rc nothing repository >/dev/null ;;
npm) cd npm && exec npm ci --offline --cache ../npm-cache --ignore-scripts --no-audit --no-fund --loglevel=error ;;
go) cd go && GOCACHE=$PWD/cache GOFLAGS=-mod=mod exec go build -o hello . ;;
compile) ls c/*.c | xargs -P 2 -n 4 sh -c 'for f; do cc -O1 -c "$f" -o "$f.o"; done' sh ;;
sqlite) exec python3 -c '
import sqlite3
base = sqlite3.connect("base", isolation_level=None)
base.execute("pragma synchronous=off")
base.execute("create table numbers (number)")
for i in range(3000):
    base.execute("insert into numbers values (?)", (i,))' ;;
esac
S
    printf '#!/bin/sh\nrm -rf made tree copy base base-journal c/*.o npm/node_modules go/cache go/hello\n' >clear
    chmod +x clear
}

# Some 13,000 files in a few packages of npm's, whose archives are there; and a Go program, for which a part of Go's own
# library is compiled. Both in the project, so that all see the same.
files_prepare_builds() {
    mkdir -p npm go
    echo '{"name": "bench", "version": "1.0.0", "dependencies": {"core-js": "3.38.0", "lodash": "4.17.21",
        "date-fns": "2.30.0", "rxjs": "7.8.1"}}' >npm/package.json
    (cd npm && npm install --cache ../npm-cache --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
    printf 'module bench\n\ngo 1.19\n' >go/go.mod
    printf 'package main\n\nimport "net/http"\n\nfunc main() { http.ListenAndServe("", nil) }\n' >go/hello.go
}

# A tree of 15,000 files, a repository with them, and C sources.
files_prepare() {
    files_work
    python3 - <<'P'
import os, random
random.seed(1)
for i in range(15000):
    folder = f"tree/{i % 60}/{i % 17}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{i}.js", "w") as out:
        out.write("x" * random.randint(50, 4000))
os.makedirs("c")
for i in range(80):
    with open(f"c/{i}.c", "w") as out:
        out.write(f"#include <stdio.h>\n#include <stdlib.h>\nint f{i}(int a) {{ printf(\"%d\", a); return {i}; }}\n")
P
    tar cf tree.tar tree
    git init -q repository
    mv tree repository
    git -C repository add -A
    git -C repository -c user.name=bench -c user.email=bench@localhost commit -qm tree
}

# The same without the guard: [protect] guard = false.
files_unguarded() {
    local m each
    files_prepare
    printf '[protect]\nguard = false\n' >litterbox.toml
    box trust --yes >/dev/null
    box apply --yes >/dev/null 2>&1
    for each in create untar clone sqlite copy compile read; do
        mapfile -t m < <(medians 5 "./clear" "sh work.sh $each" "box run -- sh work.sh $each")
        compare "files-$each-without-guard-vs-native" 1.15 "${m[1]}" "${m[0]}"
    done
    rm litterbox.toml
    box apply --yes >/dev/null 2>&1
    files_clear
}

files_clear() {
    ./clear
    chmod -R u+w go 2>/dev/null || true
    rm -rf work.sh clear tree.tar repository c npm npm-cache go
}

# files_one WORK GOAL [RUNS]: medians of 5 runs.
files_one() {
    local m
    mapfile -t m < <(medians "${3:-5}" "./clear" "sh work.sh $1" \
        "env -u CONTAINER_HOST podman exec -u $(id -u) -w $project $name sh work.sh $1" "box run -- sh work.sh $1")
    compare "files-$1-vs-native" "$2" "${m[2]}" "${m[0]}"
    compare "files-$1-vs-podman-exec" - "${m[2]}" "${m[1]}"
}

files() {
    files_prepare
    files_one create 3
    files_one writers 3
    files_one untar 2.5
    files_one clone 1.5
    files_one sqlite 2
    files_one copy 1.1
    files_one compile 1.1
    files_one read 1.05
    files_prepare_builds
    ! command -v npm >/dev/null || files_one npm 1.2
    ! command -v go >/dev/null || files_one go 1.1 3
    files_clear
}

# Microseconds of each kind of call that the guard holds.
file_calls() {
    local program name time
    # shellcheck disable=SC2012 # build folders have plain names
    program=$(ls -t "$here"/../../build*/tests/bench/file-calls | head -n 1)
    cp "$program" calls
    mkdir calls.native calls.box
    (cd calls.native && ../calls) >"$work/calls.native"
    box run -- sh -c 'cd calls.box && exec ../calls' >"$work/calls.box"
    while read -r name time; do
        compare "call-$name-us" - "$time" "$(awk -v name="$name" '$1 == name { print $2 }' "$work/calls.native")"
    done <"$work/calls.box"
    rm -r calls calls.native calls.box
}
