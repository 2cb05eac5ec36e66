# OpenSSH's source from Debian, and the parts that tests need.
# shellcheck shell=bash

# deb_src CODENAME: the sources.list line for that release's source. Derived from apt's binary
# sources, whether or not their lists were fetched (only then are codenames known).
deb_src() {
    local known
    for known in --release-info --no-release-info; do
        # shellcheck disable=SC2016 # apt expands these
        apt-get indextargets "$known" --format '$(REPO_URI) $(RELEASE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages'
    done | awk -v codename="$1" \
        '($2 == codename || $3 == codename) && $4 == "main" && !found++ { print "deb-src", $1, $2, $4 }'
}

# Sets OPENSSH_SOURCE to the unpacked source of the installed OpenSSH, fetched once a run
# from the source of the system's packages.
openssh_source() {
    local folder=$BATS_RUN_TMPDIR/openssh codename options
    OPENSSH_SOURCE=$folder/source
    export OPENSSH_SOURCE
    [ ! -d "$OPENSSH_SOURCE" ] || return 0
    command -v apt-get >/dev/null || skip "the source of this system's OpenSSH is not to be had by apt"
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/unpacked"
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    deb_src "$codename" >"$folder/sources"
    options=(-q -o "Dir::Etc::SourceList=$folder/sources" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache")
    (
        cd "$folder" && apt-get "${options[@]}" update &&
            apt-get "${options[@]}" --download-only source openssh
    ) >"$folder/log" 2>&1 || { cat "$folder/log" && return 1; }
    tar -C "$folder/unpacked" --strip-components=1 -xzf "$folder"/openssh_*.orig.tar.gz
    mv -T "$folder/unpacked" "$OPENSSH_SOURCE"
}

# sk_dummy FILE: builds the software security key of OpenSSH's own tests. Only
# these four files, so that OpenSSH need not be configured.
sk_dummy() {
    local source=$OPENSSH_SOURCE
    gcc -w -fPIC -shared -o "$1" -DINCLUDES_H -DENABLE_SK -DWITH_OPENSSL -DOPENSSL_HAS_ECC \
        -DSHA2_CTX=SHA256_CTX -DSHA256Init=SHA256_Init -DSHA256Update=SHA256_Update \
        -DSHA256Final=SHA256_Final -include stdint.h -include openssl/sha.h -I"$source" \
        "$source"/regress/misc/sk-dummy/{sk-dummy,fatal}.c "$source"/{ed25519,hash}.c -lcrypto
}
