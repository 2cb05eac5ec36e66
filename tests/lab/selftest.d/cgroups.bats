# The lab with --own-cgroups. Runs as the user, inside, with the base image at $LAB_BASE_TAR.

@test "a container has a cgroup, and can be frozen" {
    podman import -q "$LAB_BASE_TAR" localhost/base
    podman run -d --name frozen localhost/base sleep 1000
    podman pause frozen
    [ "$(podman inspect -f '{{.State.Status}}' frozen)" = paused ]
    podman unpause frozen
    podman commit -q --pause frozen localhost/committed
    podman rm -ft0 frozen
}
