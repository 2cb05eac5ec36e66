"""requests.py HOST REQUEST...: sends each REQUEST to HOST by TLS, in a connection of its own, and prints the status of
each answer that comes. In a REQUEST, "~" is the end of a line, and the head's end and Host are added where it has none.
"""
import socket
import ssl
import sys

context = ssl.create_default_context()
host = sys.argv[1]
for text in sys.argv[2:]:
    if "~" not in text:
        text += f" HTTP/1.1~Host: {host}~Connection: close~~"
    with context.wrap_socket(socket.create_connection((host, 443)), server_hostname=host) as line:
        line.sendall(text.replace("~", "\r\n").encode("latin-1"))
        line.settimeout(10)
        got = b""
        try:
            while data := line.recv(4096):
                got += data
        except (OSError, ssl.SSLError):
            pass
    print(" ".join(part.split()[0].decode() for part in got.split(b"HTTP/1.1 ")[1:]) or "none")
