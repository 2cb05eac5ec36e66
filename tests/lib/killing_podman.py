"""killing_podman.py SOCKET UPSTREAM: passes all on to the Podman at UPSTREAM, and kills PID 1 of the first container
that is started, before its caller hears of the start: as Podman's late cleanup of the last run may do."""
import os
import re
import select
import socket
import subprocess
import sys
import threading

path, upstream = sys.argv[1:]
alone = {name: value for name, value in os.environ.items() if name != "CONTAINER_HOST"}
lock = threading.Lock()
killed = []


def kill(container):
    with lock:
        if killed:
            return
        killed.append(container)
    pid = subprocess.run(["podman", "inspect", "--format", "{{.State.Pid}}", container], env=alone, check=True,
                         capture_output=True, text=True).stdout.strip()
    # Until it has ended it may still take the caller's connection, and then end its session.
    process = os.pidfd_open(int(pid))
    subprocess.run(["podman", "unshare", "kill", "-KILL", pid], env=alone, check=True)
    select.select([process], [], [])
    os.close(process)
    print("killed", flush=True)


def serve(client):
    server = socket.socket(socket.AF_UNIX)
    server.connect(upstream)
    started = []

    def answers():
        while data := server.recv(1 << 16):
            if started:
                kill(started.pop())
            client.sendall(data)
        client.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=answers, daemon=True).start()
    try:
        while data := client.recv(1 << 16):
            if found := re.match(rb"POST \S*/containers/([^/ ]+)/start", data):
                started.append(found.group(1).decode())
            server.sendall(data)
        server.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
