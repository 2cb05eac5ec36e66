# A forward beside a port that Podman publishes. Sourced by inside.
# shellcheck shell=bash disable=SC2154 # here, config, compare

# Says as many bytes as it is asked for.
ports_server='
import socket, threading
block = bytes(1 << 16)
def serve(line):
    left = int(line.makefile().readline())
    while left > 0:
        left -= line.send(block[:left])
    line.close()
listener = socket.create_server(("0.0.0.0", 8000), backlog=128)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()'

ports() {
    local m
    mkdir -p "$config"
    printf '[network]\nmode = "open"\nports = ["28000:8000"]\n' >"$config/config.toml"
    box apply 2>/dev/null
    box run --detach -- python3 -c "$ports_server" 2>/dev/null
    box port add 28001:8000 2>/dev/null
    mapfile -t m < <(python3 "$here/ports.py" 28001 28000)
    # shellcheck disable=SC2086 # a line holds two numbers
    {
        compare port-200MB-vs-published - ${m[0]}
        compare port-connection-vs-published - ${m[1]}
    }
    rm "$config/config.toml"
    box apply 2>/dev/null
}
