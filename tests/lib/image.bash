# For tests that need a real image: Debian, without a registry.
# shellcheck shell=bash

BASE=docker.io/library/debian:bookworm

has_image() {
    [ -z "$(podman_get "images/$(uri "$1")/exists")" ]
}

# Creates the base image for FROM once for all tests of a run, from the lab's tar if there is one.
need_base() {
    has_image "$BASE" && return
    if [ -e "${LAB_BASE_TAR:-}" ]; then
        import_image "$BASE" <"$LAB_BASE_TAR"
    else
        box image bootstrap debian:bookworm >"$BATS_FILE_TMPDIR/bootstrap.log" 2>&1 ||
            { cat "$BATS_FILE_TMPDIR/bootstrap.log" && return 1; }
    fi
}

# For a test with a box of the base image.
image_setup() {
    box_setup
    mkdir -p "$CONFIG"
    need_base
}
image_teardown() {
    box_teardown
    remove_built_images
}

# import_image NAME [CHANGE…] <TAR
import_image() {
    local change query
    query="reference=$(uri "$1")"
    shift
    for change in "$@"; do
        query+="&changes=$(uri "$change")"
    done
    curl -sS --unix-socket "${CONTAINER_HOST#unix://}" -H 'Content-Type: application/x-tar' \
        --data-binary @- "http://d/v4.0.0/libpod/images/import?$query" | jq -re .Id >/dev/null
}

remove_image() {
    podman_do DELETE "images/$(uri "$1")?force=true" >/dev/null
}

# Prints the images that were built for this test's boxes.
remove_built_images() {
    local image
    for image in $(podman_get images/json | jq -r '.[].Names[]?' | grep "litterbox-$LITTERBOX_INSTANCE/"); do
        remove_image "$image"
    done
}

# Replaced images of this test's boxes.
remove_nameless_images() {
    local image
    for image in $(podman_get 'images/json?all=true' | jq -r --arg tag "localhost/litterbox-$LITTERBOX_INSTANCE/" \
        '.[] | select((.Names | length) == 0 and any(.History[]?; startswith($tag))) | .Id'); do
        podman_do DELETE "images/$image?force=true" >/dev/null
    done
}
