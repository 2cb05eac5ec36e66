# The Debian 13 tree and the base image's tar: each built once, under a lock, and renamed into place. Sourced, never run.
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with those who source it

# What is built carries the hash of its recipe in its name, so a changed recipe is built anew beside what
# other clones may be using. Nobody having used it for a week, it goes.
build_days_kept=7
# Descriptors of the locks on what this run uses.
build_locks=()

# Sets debian_tree to the folder of a Debian 13 with the packages of a lab, those of npm in /usr/local/lib/npm.
debian_tree_ensure() {
    build_once debian-13 "$(build_hash debian_tree_build "${packages_13[@]}" "${packages_npm[@]}")" debian_tree_build
    debian_tree=$built
}

# Sets base_tar to the tar of a small Debian 12, as `podman import` wants it.
base_tar_ensure() {
    build_once base-12 "$(build_hash base_tar_build)" base_tar_build
    base_tar=$built
}

# Sets base_tar, to nothing where it has not been built.
base_tar_find() {
    base_tar=$lab/built/base-12-$(build_hash base_tar_build)
    if [ -e "$base_tar" ]; then
        base_tar_ensure
    else
        base_tar=
    fi
}

# The functions as bash prints them, so that comments do not count.
build_hash() { # FUNCTION [INGREDIENT…]
    { declare -f "$1" debian_make && echo "$@"; } | sha256sum | cut -c1-12
}

# Sets `built` to the path of KIND-HASH, calling FUNCTION with a temporary path where it is missing.
build_once() { # KIND HASH FUNCTION
    local kind=$1 name=$1-$2 lock use
    mkdir -p "$lab/built"
    built=$lab/built/$name
    # Held, shared, as long as the run lives: so nobody removes it under us.
    exec {use}>>"$built.use"
    flock -s "$use"
    build_locks+=("$use")
    touch "$built.use"
    [ ! -e "$built" ] || return 0

    exec {lock}>>"$lab/built/$kind.lock"
    flock -n "$lock" || { say "waiting for another lab that builds $kind" && flock "$lock"; }
    if [ ! -e "$built" ]; then
        build_remove_old "$kind"
        say "building $kind, once"
        local start=$SECONDS
        rm -rf "$lab/built/$kind.new"* # what a build that was killed left
        "$3" "$lab/built/$kind.new" >&2 || die "cannot build $kind"
        mv -T "$lab/built/$kind.new" "$built"
        say "built $kind in $((SECONDS - start)) s"
    fi
    exec {lock}>&-
}

build_remove_old() { # KIND
    local use lock
    for use in "$lab/built/$1"-*.use; do
        [ -n "$(find "$use" -mtime "+$build_days_kept")" ] || continue
        exec {lock}<"$use"
        if flock -n "$lock"; then
            rm -rf --one-file-system "${use%.use}"
            rm -f "$use"
        fi
        exec {lock}<&-
    done
}

debian_tree_build() { # FOLDER
    local IFS=,
    debian_make trixie "$1" --include="${packages_13[*]}" || return
    # The machine's own npm, which knows its registry and certificates. Nothing of the packages runs here.
    try_thrice npm install --prefix "$1/usr/local/lib/npm" --no-save --ignore-scripts --omit=optional --no-audit --no-fund \
        --loglevel=error "${packages_npm[@]}"
}

# Podman copies all of an image for a box of one that is built on it, to give the files to the user: so without what
# no test reads. The hook merges /usr, for which Debian 12 has a package that needs all of Perl, half of the bytes.
base_tar_build() { # FILE
    local path left_out=()
    for path in lib/x86_64-linux-gnu/gconv share/zoneinfo/right share/zoneinfo/posix; do
        left_out+=(--dpkgopt="path-exclude=/usr/$path/*")
    done
    debian_make bookworm "$1.tree" --hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr "${left_out[@]}" || return
    # An ordinary user cannot make device nodes, so the tar must not have any.
    tar -C "$1.tree" --numeric-owner --exclude='./dev/*' -cf "$1" . && rm -rf "$1.tree"
}

# Runs mmdebstrap, which downloads with the machine's own apt: its mirror, its proxies, its certificates.
# shellcheck disable=SC2016 # the hooks are expanded by mmdebstrap's shell
debian_make() { # SUITE TARGET [OPTION…]
    local suite=$1 target=$2 mirror settings status=0
    shift 2
    mirror=$(debian_mirror) || return
    settings=$target.apt
    mkdir -p "$target.tmp"
    apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-|Force)' >"$settings" || true
    if [[ $mirror = https:* ]]; then
        set -- "$@" --include=ca-certificates \
            --customize-hook='cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"'
    fi
    # Documentation and translations are half of the files, and nobody reads them here.
    set -- "$@" --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*'
    # Nothing in these must survive a crash of the machine, and syncing each file takes half of the time.
    set -- "$@" --dpkgopt=force-unsafe-io
    # What lets apt in at the mirror stays out of what is built.
    set -- "$@" \
        --setup-hook='for f in auth.conf auth.conf.d; do [ ! -e /etc/apt/$f ] || cp -rT /etc/apt/$f "$1/etc/apt/$f"; done' \
        --customize-hook='rm -rf "$1/etc/apt/auth.conf" "$1"/etc/apt/auth.conf.d/*'
    # In namespaces of its own: when we are killed it dies with all its children and mounts.
    TMPDIR=$target.tmp try_thrice debian_alone mmdebstrap --quiet --mode=root --variant=minbase --aptopt="$settings" "$@" \
        "$suite" "$target" "$mirror" || status=$?
    rm -rf "$settings" "$target.tmp"
    return "$status"
}

debian_alone() {
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc -- "$@" </dev/null
}

# The machine's Debian mirror. apt is asked, because it knows every form that its sources may have.
debian_mirror() {
    local codename mirror
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # apt expands these
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v codename="$codename" '($2 == codename || $3 == codename) && $NF == "main" { print $1; exit }')
    [ -n "$mirror" ] || { say "no mirror of Debian $codename in apt's sources" && return 1; }
    echo "$mirror"
}
