# The first frame of window editors: by 'box edit' in a running box, by themselves, and in a distrobox. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, work, project, config, name, compare

# shellcheck source=tests/ui/sway.bash
. "$here/../ui/sway.bash"

editors() {
    local editor runtime=$XDG_RUNTIME_DIR m address
    unset DISPLAY
    XDG_RUNTIME_DIR=$work/sway
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    sway_start
    WAYLAND_DISPLAY=$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY
    XDG_RUNTIME_DIR=$runtime
    mkdir -p "$config"
    distrobox_of_this_system
    # As every desktop has one, and every box.
    mapfile -t m < <(dbus-daemon --session --fork --print-address=1 --print-pid=1)
    address=${m[0]} bus=${m[1]}
    printf '#!/bin/sh\nexec box edit %s\n' "$project/frame.txt" >"$work/edit"
    for editor in featherpad geany emacs; do
        command -v "$editor" >/dev/null || { echo "frame-$editor: not here" >&2 && continue; }
        printf '#!/bin/sh\nDBUS_SESSION_BUS_ADDRESS=%s exec %s %s\n' "$address" "$editor" "$project/frame.txt" >"$work/native"
        printf '#!/bin/sh\nexec env -u CONTAINER_HOST distrobox enter %s -- %s %s\n' \
            "$name-distro" "$editor" "$project/frame.txt" >"$work/distro"
        chmod +x "$work/edit" "$work/native" "$work/distro"
        echo text >"$project/frame.txt"
        printf '[editor]\ncommand = "%s"\n' "$editor" >"$config/config.toml"
        box restart 2>/dev/null
        mapfile -t m < <(python3 "$here/frame.py" 20 "$work/edit" "$work/native")
        compare "frame-of-$editor-vs-native" 1.1 "${m[@]}"
        # Apart: what Podman still does after an exec would disturb the others.
        mapfile -t m < <(python3 "$here/frame.py" 10 "$work/edit" "$work/distro")
        compare "frame-of-$editor-vs-distrobox" 1 "${m[@]}"
    done
    podman_alone rm -f -t 0 "$name-distro" >/dev/null 2>&1 || true
    podman_alone rmi -f localhost/litterbox-bench-editors >/dev/null 2>&1 || true
    kill "$sway" "$bus"
    unset WAYLAND_DISPLAY SWAYSOCK
    rm -f "$config/config.toml"
}

podman_alone() {
    env -u CONTAINER_HOST podman "$@"
}

# A distrobox that runs, whose programs are this system's own, so that all three start the same editor.
distrobox_of_this_system() {
    local image=localhost/litterbox-bench-editors tools=$work/tools program missing=()
    # What its start would install over the network and no editor uses is there as an empty program.
    mkdir -p "$tools"
    while read -r program; do
        type -P "$program" >/dev/null && continue
        ln -s /bin/true "$tools/$program"
        missing+=("./$program")
    done < <(sed -n '/^dependencies="/,/^"/ s/^[[:space:]]\+\([a-z0-9-]\+\)$/\1/p' "$(command -v distrobox-init)")
    # Some files are root's alone.
    tar --one-file-system --ignore-failed-read --numeric-owner -cf "$work/system.tar" \
        --transform "s,^\./,usr/local/bin/," -C / bin sbin lib lib64 usr etc var/lib/dpkg \
        -C "$tools" "${missing[@]}" 2>/dev/null || true
    podman_alone import "$work/system.tar" "$image" >/dev/null 2>&1
    rm "$work/system.tar"
    env -u CONTAINER_HOST distrobox create --yes --no-entry --image "$image" --name "$name-distro" >/dev/null 2>&1
    env -u CONTAINER_HOST timeout 300 distrobox enter "$name-distro" -- true >/dev/null
}
