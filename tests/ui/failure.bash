# Keeps the evidence of a UI test that failed: a picture of each screen, the windows, what a screen reader sees, and the
# programs' logs. From the lab, tests/lab/run copies it to the checkout.
# shellcheck shell=bash disable=SC2153,SC2154 # set elsewhere

# build/test-logs/FILE/TEST, FILE with the Podman of the lab.
failure_folder() {
    local file=${BATS_TEST_FILENAME#"${BATS_TEST_DIRNAME%/*}/"}
    local top=${LAB_TMP:-$BATS_TEST_DIRNAME/../../build}/test-logs
    echo "$top/$(tr / - <<<"${file%.bats}")${LAB_PODMAN:+-podman$LAB_PODMAN}/$(printf %s "$BATS_TEST_DESCRIPTION" | tr -cs '[:alnum:]' _ | cut -c 1-80)"
}

keep_failure() {
    local folder
    folder=$(failure_folder)
    rm -rf "$folder"
    mkdir -p "$folder"
    keep_state "$folder" >"$folder/state.txt" 2>&1 || true
    # Bats shows its descriptor 3 at once; tests/demo has none.
    { echo "# pictures and logs: build/${folder#"${folder%/test-logs/*}"/}" >&3; } 2>/dev/null || true
}

keep_state() { # FOLDER
    [ -z "${SWAYSOCK:-}" ] || keep_sway "$1"
    [ -z "${x11:-}" ] || keep_x11 "$1"
    [ -z "${DBUS_SESSION_BUS_ADDRESS:-}" ] || timeout 60 "$python" "$ui/at_spi.py" tree
    [ -z "${RUNTIME:-}" ] || timeout 10 box consent pending --json
    ps -ef --forest
    # Only small files: what tests copy may be large.
    find "$TEST_HOME" "${RUNTIME:-$TEST_HOME}" "${STATE:-$TEST_HOME}" -maxdepth 3 -type f -size -200k \
        ! -path '*/keys/*' -exec cp --parents -t "$1" {} +
}

keep_sway() { # FOLDER
    timeout 10 grim "$1/sway.png"
    timeout 10 swaymsg -t get_tree >"$1/sway.json"
    timeout 10 swaymsg -t get_seats >"$1/seats.json"
}

keep_x11() { # FOLDER
    timeout 10 "$python" "$ui/screenshot.py" "$1/x11.png"
    timeout 10 xdotool search --onlyvisible --name . getwindowname getwindowgeometry %@
    timeout 10 xdotool getwindowfocus getmouselocation
}
