# For tests that install packages: an apt repository in the project, and an image that has it as its only source.
# shellcheck shell=bash

# package NAME VERSION [POSTINST]: writes the package, whose program prints NAME and VERSION, and its repository's index.
package() {
    local name=$1 root=$TEST_HOME/deb deb
    rm -rf "$root" && mkdir -p "$root/DEBIAN" "$root/usr/bin" repository
    printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: a <a@example.org>\nDescription: a\n' \
        "$name" "$2" >"$root/DEBIAN/control"
    if [ -n "${3:-}" ]; then
        printf '#!/bin/sh\n%s\n' "$3" >"$root/DEBIAN/postinst"
        chmod 755 "$root/DEBIAN/postinst"
    fi
    printf '#!/bin/sh\necho %s %s\n' "$name" "$2" >"$root/usr/bin/$name"
    chmod 755 "$root/usr/bin/$name"
    rm -f repository/"$name"_*.deb
    deb=repository/${name}_$2.deb
    dpkg-deb --root-owner-group -b "$root" "$deb" >/dev/null
    for deb in repository/*.deb; do
        dpkg-deb -f "$deb"
        printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${deb#*/}" "$(stat -c %s "$deb")" \
            "$(sha256sum "$deb" | cut -d' ' -f1)"
    done >"$TEST_HOME/Packages"
    mv "$TEST_HOME/Packages" repository/
}

# An image that installs from ./repository alone, without a network. In one step: each takes 0.3 s of a processor.
apt_containerfile() {
    echo 'deb [trusted=yes] file:/etc/apt ./' >repository/sources.list
    printf 'FROM debian:bookworm\nCOPY repository /etc/apt\n' >Containerfile
}
