# For tests of forwards: free ports, servers in the box, the forwarder.
# shellcheck shell=bash

# Prints a free port of the host below the ephemeral ports.
free_port() {
    python3 -c 'import random, socket
while True:
    port = random.randrange(20000, 32000)
    try:
        socket.create_server(("127.0.0.1", port)).close()
        print(port)
        break
    except OSError: pass'
}

# web [PORT [ADDRESS]]: starts a server in the box.
web() {
    box run --detach -- python3 -m http.server --bind "${2:-127.0.0.1}" "${1:-8000}"
}

# answers PORT [HOST]: TRUE when the box's server answers.
answers() { curl -s -m 5 "http://${2:-127.0.0.1}:$1/" | grep -q "Directory listing"; }

forwarder_pid() { worker_pid "$RUNTIME/shop" port; }
forwarder_kill() { helper_kill "$RUNTIME/shop" port; }
no_forwarder() { ! pgrep -f "^[^ ]*litterbox-port $RUNTIME/shop " >/dev/null; }
