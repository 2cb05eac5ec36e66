"""login_paste.py CODE COMMAND…: runs a client that prints the address of a login and asks for what the browser shows, and
types CODE for that. It prints what the client says, and ends as that does.
"""
import re
import subprocess
import sys

code, *command = sys.argv[1:]
said = ""
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
    while data := client.stdout.read1():
        said += data.decode(errors="replace")
        if code and "Paste code" in said:
            state = re.search(r"[?&]state=([\w-]+)", said)
            if not state:
                client.kill()
                sys.exit(f"no state in the address: {said}")
            client.stdin.write(f"{code}#{state[1]}\n".encode())
            client.stdin.flush()
            code = ""
print(said)
sys.exit(client.returncode)
