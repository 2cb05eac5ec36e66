#!/usr/bin/env bats
# box apply --keep-files: files outside the home come into the recreated box.

# shellcheck disable=SC2030,SC2031 # each test has variables of its own
load ../lib/box.bash
load ../lib/image.bash
setup() { image_setup; }
teardown() { image_teardown; }

# configure TEXT: a box of the base image.
configure() {
    trust_file "[box]
image = \"debian:bookworm\"
idle_stop = \"never\"
${1:-}"
}

# With another image: one of a Containerfile whose last line is LINE.
configure_other_image() { # LINE
    printf 'FROM debian:bookworm\n%s\n' "$1" >Containerfile
    trust_file '[box]
containerfile = "Containerfile"
idle_stop = "never"'
}

as_root() { box run -u root -- sh -c "$1"; }
id_of() { podman_get "containers/litterbox.$LITTERBOX_INSTANCE.shop/json" | jq -r .Id; }

# A running box with a file outside its home, whose container is $before.
installed() {
    configure
    as_root 'echo mine >/opt/mine'
    before=$(id_of)
}

# The box is the old one, with its file, and the only container.
is_unchanged() {
    [ "$(id_of)" = "$before" ]
    [ "$(box run -- cat /opt/mine)" = mine ]
    [ "$(containers | wc -l)" = 1 ] || fail "left: $(containers)"
}

# Prints all that is known about what was changed below FOLDERs, with the contents of files.
manifest() { # FOLDER…
    box run -u root -- sh -c '
        find "$@" -printf "%P|%y|%m|%U:%G|%n|%Ts|%l\n" | LC_ALL=C sort
        find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum' sh "$@"
}

@test "keep files: files, folders and links are the same in the new box, whatever their names" {
    local wanted
    configure
    as_root '
        long=$(printf %0200d 7)
        mkdir -p /opt/tool/sub /srv/$long/$long && cd /opt/tool
        seq 100000 >data && echo short >sub/short && : >sub/empty
        ln data sub/hard && ln -s ../../etc/passwd link && ln -s "$long/$long" far && ln -s nowhere broken
        echo deep >/srv/$long/$long/$long
        touch -- "$(printf "new\nline")" "$(printf "escape\033[31m")" " space" "-dash" "ümlaut" "a=b"
        chown 33:44 data && chown dev sub/short && chmod 750 sub && chmod 640 sub/short && chmod 1777 sub/empty
        touch -d "2001-02-03 04:05:06" data && touch -d "1960-01-01" sub/empty
        echo changed >>/etc/issue && chmod 600 /etc/issue
        mkdir /usr/share/new && echo program >/usr/bin/program && chmod 755 /usr/bin/program'
    echo mine >"$TEST_HOME/expected"
    box run -- sh -c 'echo mine >~/mine'
    # A folder's time is that of its last change, which a mount point or a deleted file may be.
    wanted=$(manifest /opt/tool /srv /etc/issue /usr/bin/program /usr/share/new)
    before=$(id_of)
    configure '[network]
mode = "none"'
    run box apply --keep-files </dev/null
    assert_status 0
    assert_contains "kept "
    refute_contains "not kept"
    [ "$(id_of)" != "$before" ]
    [ "$(box status --json | jq -r .state)" = running ]
    diff <(echo "$wanted") <(manifest /opt/tool /srv /etc/issue /usr/bin/program /usr/share/new)
    [ "$(box run -- sh -c 'cat ~/mine')" = mine ]
    # They count as the box's own again.
    run box apply </dev/null
    assert_status 64
    assert_contains "outside its home"
    box stop
    box apply -k
    diff <(echo "$wanted") <(manifest /opt/tool /srv /etc/issue /usr/bin/program /usr/share/new)
}

@test "keep files: apply without it names it, and [box] packages; without such files it changes nothing" {
    configure
    box run -- true
    run box apply --keep-files </dev/null
    assert_status 0
    refute_contains kept
    installed
    run box apply </dev/null
    assert_status 64
    assert_contains "--keep-files"
    assert_contains "[box] packages"
    run on_terminal --answer '[y/N]' 'n\n' box apply
    assert_status 130
    assert_contains "--keep-files"
    assert_contains "[box] packages"
    is_unchanged
}

@test "keep files: a program that apt-get would install, and what it deletes" {
    configure
    as_root 'cp /usr/bin/env /usr/bin/mytool && printf "Package: mytool\n\n" >>/var/lib/dpkg/status && rm /usr/bin/whoami'
    run box apply --keep-files </dev/null
    assert_status 0
    assert_contains "but not in the new one: '/usr/bin/whoami'"
    box run -- mytool true
    box run -- grep -q mytool /var/lib/dpkg/status
    box run -- whoami
}

@test "keep files: users and groups that a package has added are there, as some of its files are theirs" {
    local before
    configure
    as_root 'echo "postgres:x:107:113::/var/lib/pg:/bin/sh" >>/etc/passwd
        echo "postgres:x:113:dev" >>/etc/group
        echo "postgres:!:19000::::::" >>/etc/shadow
        mkdir /var/lib/pg && echo x >/var/lib/pg/data && chown -R postgres:postgres /var/lib/pg'
    before=$(box run -- sh -c 'sort /etc/passwd; sort /etc/group; stat -c %U:%G /var/lib/pg/data; id')
    [[ $before == *postgres:postgres* ]]
    run box apply --yes --keep-files
    assert_status 0
    assert_contains "kept 2 files outside the home"
    [ "$(box run -- sh -c 'sort /etc/passwd; sort /etc/group; stat -c %U:%G /var/lib/pg/data; id')" = "$before" ]
    # Of another image they are that image's.
    configure_other_image 'RUN true'
    box apply --yes --keep-files
    run box run -- sh -c 'grep postgres /etc/passwd /etc/group'
    assert_status 1
}

@test "keep files: what cannot be kept is named and asked about; no leaves the old box" {
    installed
    as_root 'mkfifo /opt/pipe && echo mine >/opt/also
        perl -MIO::Socket::UNIX -e "IO::Socket::UNIX->new(Local => q(/opt/socket), Listen => 1)"'
    run box apply --keep-files </dev/null
    assert_status 64
    assert_contains "not kept: '/opt/pipe'"
    assert_contains "not kept: '/opt/socket'"
    assert_contains "2 files cannot be kept"
    is_unchanged
    box run -- test -p /opt/pipe
    run on_terminal --answer '[y/N]' 'n\n' box apply --keep-files
    assert_status 130
    is_unchanged
    run on_terminal --answer '[y/N]' '\x03' box apply --keep-files
    assert_status 130
    is_unchanged
    run on_terminal --answer '[y/N]' 'y\n' box apply --keep-files
    assert_status 0
    [ "$(id_of)" != "$before" ]
    [ "$(box run -- cat /opt/mine /opt/also)" = $'mine\nmine' ]
    run box run -- test -e /opt/pipe
    assert_status 1
}

@test "keep files: with another image, its own files and those of packages stay behind" {
    configure_other_image 'RUN echo image >/opt/changed'
    as_root 'echo mine >/opt/mine; echo mine >/opt/changed; echo mine >/usr/local/bin/mine
        echo mine >/usr/bin/mine; echo mine >/etc/mine; echo mine >/var/lib/dpkg/mine; echo mine >/var/lib/mine'
    before=$(id_of)
    configure_other_image 'RUN echo new >/opt/changed'
    run box apply --keep-files </dev/null
    assert_status 64
    assert_contains "not kept: 3 files"
    assert_contains "[box] packages"
    is_unchanged
    run box apply --keep-files --yes
    assert_status 0
    [ "$(box run -- cat /opt/mine /usr/local/bin/mine /etc/mine /var/lib/mine | sort -u)" = mine ]
    [ "$(box run -- cat /opt/changed)" = new ]
    run box run -- ls /usr/bin/mine /var/lib/dpkg/mine
    assert_status 2
}

@test "keep files: box upgrade keeps them as well" {
    configure_other_image 'RUN echo image >/image'
    as_root 'echo mine >/opt/mine'
    before=$(id_of)
    run box upgrade --keep-files </dev/null
    assert_status 0
    [ "$(box run -- cat /opt/mine)" = mine ]
    [ "$(id_of)" != "$before" ]
}

@test "keep files: what a mount of the new box covers is named" {
    installed
    mkdir "$TEST_HOME/data" && echo host >"$TEST_HOME/data/file"
    as_root 'mkdir /opt/data && echo mine >/opt/data/file'
    user_config "[[mount]]
source = \"$TEST_HOME/data\"
target = \"/opt/data\""
    run box apply --keep-files --yes
    assert_status 0
    assert_contains "'/opt/data/file' (the new box has a mount there)"
    [ "$(box run -- cat /opt/mine)" = mine ]
    [ "$(box run -- cat /opt/data/file)" = host ]
}

@test "keep files: a new container that does not start gives way to the old one, with its files" {
    installed
    local root=$TEST_HOME/root
    mkdir -p "$root"/{bin,etc,tmp,proc,sys,dev,home,opt}
    ln -s tmp "$root/run"
    tar -C "$root" --owner 0 --group 0 -c . | import_image "localhost/litterbox-$LITTERBOX_INSTANCE/odd:1"
    trust_file "[box]
image = \"localhost/litterbox-$LITTERBOX_INSTANCE/odd:1\""
    run box apply --keep-files --yes
    assert_status 125
    assert_contains "is unchanged, and running again"
    configure
    is_unchanged
}

# Before 4.4, Podman writes all of a container's files to the disk before it sends the first one, and 17 GiB would fill it.
streams() { [[ $(podman_get version | jq -r .Version) != 4.3.* ]]; }

@test "keep files: more than is allowed leaves the old box, with a Podman that can be asked for so much" {
    streams || return 0 # unit/keep_filter has the limit
    installed
    as_root 'truncate -s 17G /opt/huge'
    run box apply --keep-files --yes
    assert_status 125
    assert_contains "'/opt/huge'"
    as_root 'rm /opt/huge'
    is_unchanged
}

# Reading takes long: much of nothing, in a place whose files do not count.
takes_long() {
    installed
    as_root "truncate -s $(streams && echo 2G || echo 500M) /var/tmp/nothing"
}

@test "keep files: it shows that it takes long; Ctrl-C leaves the old box, which runs again" {
    takes_long
    run on_terminal --answer 'reading the files' '\x03' box apply --keep-files
    assert_status 130
    assert_contains "unchanged, and running again"
    is_unchanged
}

@test "keep files: killed while it reads, the next command finds the old box with its files" {
    local pid
    takes_long
    box apply --keep-files --yes >"$TEST_HOME/log" 2>&1 3>&- </dev/null &
    pid=$!
    eventually grep -q 'reading the files' "$TEST_HOME/log"
    kill -9 "$pid"
    wait "$pid" || true
    is_unchanged
    # Nothing is left of what had been read.
    [ -z "$(find "$DATA/boxes/shop" -name '.litterbox-*')" ]
}

@test "keep files: SIGKILL at any moment keeps them" {
    local round
    installed
    RANDOM=${CRASH_SEED:-$$}
    echo "# CRASH_SEED=${CRASH_SEED:-$$}" >&3
    for round in $(seq "${CRASH_ROUNDS:-2}"); do
        box apply --keep-files --yes >"$TEST_HOME/killed" 2>&1 3>&- </dev/null &
        sleep "0.$(printf %03d $((RANDOM % 999)))"
        kill -9 $! 2>/dev/null || true
        wait $! || true
        run --separate-stderr box run -- cat /opt/mine
        # shellcheck disable=SC2154 # bats sets stderr
        [ "$output" = mine ] || fail "round $round: status $status: $stderr"
    done
    box apply --keep-files
    [ "$(containers | wc -l)" = 1 ] || fail "left: $(containers)"
    [ "$(box run -- cat /opt/mine)" = mine ]
}

@test "keep files: what is installed while the new image is built is kept as well" {
    printf 'FROM debian:bookworm\n' >Containerfile
    trust_file '[box]
containerfile = "Containerfile"
idle_stop = "never"'
    box run -- true
    # A process of no other test.
    local step="sleep $((100000 + $$))"
    printf 'FROM debian:bookworm\nRUN %s; true\n' "$step" >Containerfile
    box trust --yes
    box apply --keep-files >"$TEST_HOME/log" 2>&1 3>&- </dev/null &
    eventually pgrep -u "$(id -u)" -xf "$step"
    as_root 'echo mine >/opt/mine'
    kill "$(pgrep -u "$(id -u)" -xf "$step")" # the build goes on
    wait $!
    [ "$(box run -- cat /opt/mine)" = mine ]
}
