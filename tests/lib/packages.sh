# Packages for building, running and testing, by distribution. Sourced by quickstart and tests/run.
# shellcheck shell=bash

# The name of this system's package manager, or nothing.
package_manager() {
    local name
    for name in apt-get dnf pacman zypper; do
        command -v "$name" && return
    done
    return 1
}

# packages_for PURPOSE MANAGER: the packages for that, one a line. PURPOSE: build (all but the window for questions),
# prompt (that window), run; and for tests/run: compile, test, lab, windows, bench.
packages_for() {
    case "$1:${2##*/}" in
    build:apt-get)
        echo gcc g++ meson ninja-build pkg-config libglib2.0-dev libjansson-dev \
            libcurl4-openssl-dev libtomlplusplus-dev libsodium-dev libzstd-dev libssl-dev \
            libnghttp2-dev libseccomp-dev libwayland-dev libxcb1-dev scdoc
        ;;
    build:dnf)
        echo gcc gcc-c++ meson ninja-build pkgconf-pkg-config glib2-devel jansson-devel \
            libcurl-devel tomlplusplus-devel libsodium-devel libzstd-devel openssl-devel \
            libnghttp2-devel libseccomp-devel wayland-devel libxcb-devel glibc-static scdoc
        ;;
    build:pacman)
        echo gcc meson ninja pkgconf glib2 jansson curl tomlplusplus libsodium zstd openssl libnghttp2 \
            libseccomp wayland libxcb scdoc
        ;;
    build:zypper)
        echo gcc gcc-c++ meson ninja pkg-config glib2-devel libjansson-devel libcurl-devel \
            tomlplusplus-devel libsodium-devel libzstd-devel libopenssl-devel libnghttp2-devel \
            libseccomp-devel wayland-devel libxcb-devel glibc-devel-static scdoc
        ;;
    # Half of all packages. Root's quickstart does without: the lab has no display.
    prompt:apt-get) echo libgtk-3-dev ;;
    prompt:dnf | prompt:zypper) echo gtk3-devel ;;
    prompt:pacman) echo gtk3 ;;
    run:apt-get)
        echo podman crun uidmap slirp4netns ca-certificates
        # Recommendations are not installed: Podman 5's network; and with Podman 4 the file without which each new container is
        # a copy of its whole image (vfs).
        case $(apt-cache depends podman 2>/dev/null) in
        *' passt'*) echo passt ;;
        *' containers-storage'*) echo containers-storage ;;
        esac
        # On which Podman asks systemd for cgroups; without it limits are ignored.
        [ ! -d /run/systemd/system ] || echo dbus-user-session
        ;;
    run:dnf | run:pacman | run:zypper)
        echo podman crun slirp4netns passt
        ;;
    compile:apt-get)
        # What tests/run builds with, and for root the makers of the lab's tree and image.
        echo jq git clang lld llvm libclang-rt-14-dev
        [ "$(id -u)" != 0 ] || (. "${BASH_SOURCE[0]%/*}/../lab/lib/packages.sh" && packages_of_machine makers)
        ;;
    test:apt-get)
        echo bats clang-format clang-tidy shellcheck \
            hyperfine bubblewrap tmux strace python3 procps openssh-client openssh-server openssl libc6-dev zsh fish \
            socat curl python3-h2 python3-grpcio python3-paramiko python3-asyncssh libssh-4 rclone neovim nano \
            xvfb xdotool xserver-xephyr xwayland xclip wl-clipboard xauth geany nedit sway weston wayland-utils wtype grim dbus-daemon dbus-bin systemd at-spi2-core \
            pulseaudio-utils alsa-utils libasound2-plugins \
            python3-gi chromium desktop-file-utils libgtk-3-bin \
            gir1.2-gtk-3.0 fonts-cantarell fonts-dejavu-core
        # A sound server; on a desktop it would take the place of PipeWire.
        command -v pipewire-pulse >/dev/null || echo pulseaudio
        ;;
    lab:apt-get)
        # Not what brings a daemon: the lab installs that itself, so that it does not start.
        (. "${BASH_SOURCE[0]%/*}/../lab/lib/packages.sh" && packages_of_machine tests) | grep -v '^docker-registry$'
        ;;
    windows:apt-get)
        # For a compositor with security contexts: editors of GTK, Qt and Emacs, and what lists globals.
        echo geany featherpad emacs-pgtk hx wayland-utils qt6-wayland
        ;;
    bench:apt-get)
        echo distrobox golang-go
        ;;
    esac | tr ' ' '\n'
}

# Those of the packages given that are not installed, one a line.
packages_missing() {
    local manager=$1 name installed=
    shift
    # One call for all of them: each reads the whole database, in 30 ms. It fails when it does not know one of them.
    [ "${manager##*/}" != apt-get ] ||
        installed=$(dpkg-query -W -f='${Package} ${Status}\n' "$@" 2>/dev/null | sed -n 's/ .* installed$//p') || :
    for name in "$@"; do
        case "${manager##*/}" in
        apt-get) [[ $'\n'$installed$'\n' == *$'\n'"$name"$'\n'* ]] ;;
        dnf | zypper) rpm -q --whatprovides "$name" >/dev/null 2>&1 ;;
        pacman) pacman -Qi "$name" >/dev/null 2>&1 ;;
        esac || echo "$name"
    done
}

# More options of apt-get's, of whoever sources this.
packages_apt_options=()

# Whether apt's lists are of the last hour: another apt may be reading them.
packages_lists_are_fresh() {
    compgen -G '/var/lib/apt/lists/*_InRelease' >/dev/null &&
        [ -n "$(find /var/lib/apt/lists/partial -maxdepth 0 -mmin -60 2>/dev/null)" ]
}

# Installs the packages given, through sudo when not root. Tries three times: mirrors stumble.
packages_install() {
    local manager=$1 become=() try
    shift
    [ "$(id -u)" = 0 ] || become=(sudo)
    for try in 1 2 3; do
        case "${manager##*/}" in
        apt-get)
            { [ "$try" = 1 ] && packages_lists_are_fresh || "${become[@]}" apt-get update -qq; } &&
                "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
                    apt-get install -y -qq --no-install-recommends "${packages_apt_options[@]}" "$@"
            ;;
        dnf) "${become[@]}" dnf install -y "$@" ;;
        pacman) "${become[@]}" pacman -S --needed --noconfirm "$@" ;;
        zypper) "${become[@]}" zypper --non-interactive install "$@" ;;
        esac && return 0
        echo "installing failed (try $try of 3)" >&2
        sleep 2
    done
    return 1
}

# packages_need PURPOSE…: says what is missing for these purposes and installs it.
packages_need() {
    local manager purpose wanted=() missing=()
    manager=$(package_manager) || {
        echo "no known package manager (apt, dnf, pacman, zypper)" >&2
        return 1
    }
    for purpose in "$@"; do
        mapfile -t -O "${#wanted[@]}" wanted < <(packages_for "$purpose" "$manager")
    done
    mapfile -t missing < <(packages_missing "$manager" "${wanted[@]}")
    [ "${#missing[@]}" = 0 ] && return 0
    echo "Installing: ${missing[*]}" >&2
    packages_install "$manager" "${missing[@]}" >&2
}
