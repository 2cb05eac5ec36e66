# What has to be installed: on the machine itself (Debian 12) and in the Debian 13 tree. Sourced, never run.
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with those who source it

# What the lab itself and a box need, whatever runs in them. The same names in both releases: rootless Podman,
# what its containers are made with, and the libraries of our programs, but for the window of questions (tests).
packages_lab=(
    podman crun conmon netavark aardvark-dns uidmap fuse-overlayfs slirp4netns catatonit tini
    iptables nftables iproute2 procps util-linux ca-certificates
    libjansson4 libsodium23 libseccomp2 libnftables1 libnghttp2-14 libwayland-client0 libxcb1 libstdc++6
)
packages_lab_12=("${packages_lab[@]}" libcurl4 libglib2.0-0 libssl3)
packages_lab_13=("${packages_lab[@]}" passt libcurl4t64 libglib2.0-0t64 libssl3t64)

# What makes the Debian 13 tree and the base image.
packages_makers=(mmdebstrap debootstrap debian-archive-keyring xz-utils zstd)
# Node's own package has npm, and Debian's cannot be beside that.
command -v npm >/dev/null || packages_makers+=(npm)

# What the tests run. First what is there without a screen.
packages_tests=(
    "${packages_makers[@]}" libasan8 libubsan1
    bats zsh fish jq git openssh-client openssh-server curl bubblewrap strace tmux python3 ripgrep hyperfine less nano neovim
    openssl socat docker-registry
    python3-h2 python3-grpcio python3-paramiko python3-asyncssh libssh-4 rclone gcc libc6-dev libssl-dev
    dbus-daemon dbus-bin systemd python3-gi desktop-file-utils libgtk-3-bin
)
# Programs of a host that look for files in the folder they run in (docs/host-tools.md).
packages_tests+=(ack bash-completion direnv gdb make mc pre-commit tig vim)
# The only program of an image.
packages_tests+=(busybox-static)
# What git calls in a repository that asks for it.
packages_tests+=(git-lfs)
packages_tests_of_12=(cargo maven thunar tumbler)
packages_tests_of_13=(nodejs rustup starship)
# The same from the npm registry, which node runs. What is built for one machine has that in its name.
packages_npm=(
    @jdxcode/mise-linux-x64@2026.9.15 @qwen-code/qwen-code@0.15.10 @yarnpkg/cli-dist@4.18.1 corepack@0.34.7
    lefthook-linux-x64@2.2.1 npm@11.19.1 yarn@1.22.22
)
# Displays without a screen, what a person does at them, and what a screen reader reads out.
packages_tests+=(
    xvfb xdotool sway wtype grim at-spi2-core gir1.2-gtk-3.0
    fonts-cantarell fonts-dejavu-core xserver-xephyr xclip wl-clipboard xauth geany nedit
)
# Sound: what plays and records, and a server of each kind.
packages_tests+=(pulseaudio-utils alsa-utils libasound2-plugins)
# A browser, for a login: it is big, and once is enough. And the library of the window for questions.
packages_tests_of_12+=(libgtk-3-0 chromium weston wayland-utils xwayland pulseaudio)
packages_tests_of_13+=(libgtk-3-0t64 pipewire-pulse wireplumber)
packages_tests_12=("${packages_tests[@]}" "${packages_tests_of_12[@]}")
packages_tests_13=("${packages_tests[@]}" "${packages_tests_of_13[@]}")
# More editors with windows, where the compositor has security contexts: Qt, Emacs; and what lists globals.
packages_tests_13+=(featherpad emacs-pgtk hx wayland-utils qt6-wayland xwayland)
# What the bench compares with.
packages_tests_13+=(distrobox)
# Other SSH agents than OpenSSH's.
packages_tests_13+=(gpg gpg-agent gpgconf gcr4)

# What makes the file systems of --disk, on the machine alone.
packages_tests_12+=(btrfs-progs e2fsprogs xfsprogs)

# The tests of Python's standard library and of git, and a load of file systems: natively and in a box.
packages_tests_12+=(libpython3.11-testsuite stress-ng dpkg-dev tcc zlib1g-dev)
packages_tests_13+=(libpython3.13-testsuite stress-ng)

packages_13=("${packages_lab_13[@]}" "${packages_tests_13[@]}")

# The machine's packages for a purpose, one a line: what makes the tree and the image, what the lab and a box need,
# or all that tests run.
packages_of_machine() { # makers|bare|tests
    case $1 in
    makers) printf '%s\n' "${packages_makers[@]}" ;;
    bare) printf '%s\n' "${packages_lab_12[@]}" ;;
    tests) printf '%s\n' "${packages_lab_12[@]}" "${packages_tests_12[@]}" ;;
    esac
}

# Installs on the machine what is missing there. Takes about 10 ms when nothing is missing.
packages_ensure() { # makers|bare|tests
    local -A have=()
    local name status wanted missing=()
    mapfile -t wanted < <(packages_of_machine "$1")
    while read -r name status; do
        have[$name]=$status
    done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null)
    for name in "${wanted[@]}"; do
        [ "${have[$name]-}" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    say "installing ${missing[*]}"
    exec {packages_lock}>"$lab/packages.lock"
    flock "$packages_lock"
    packages_install "${missing[@]}" >&2 || die "cannot install the packages that the lab needs"
    exec {packages_lock}>&-
}

packages_install() {
    # A package must not start its daemon (sshd) on the machine: policy-rc.d is how Debian lets one say so.
    local policy=/usr/sbin/policy-rc.d made=no status=0 package
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
        made=yes
    fi
    # A new machine has no package lists, an old one has stale ones.
    if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null ||
        ! packages_apt install -y --no-install-recommends "$@"; then
        try_thrice packages_apt update && try_thrice packages_apt install -y --no-install-recommends "$@" || status=$?
    fi
    [ "$made" = no ] || rm -f "$policy"
    # Nor may it start one at the next boot. What was installed before stays as it is.
    command -v systemctl >/dev/null || return "$status"
    for package in "$@"; do
        case $package in
        openssh-server) systemctl disable ssh.service || true ;;
        docker-registry) systemctl disable docker-registry.service || true ;;
        esac
    done
    return "$status"
}

packages_apt() {
    # Another apt may be at work at the same time: wait for it.
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
