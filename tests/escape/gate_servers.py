"""gate_servers.py ADDRESS FOLDER: the servers that network_filtered.bats reaches, or not, on ADDRESS.

8080 and 8081 say "reached" and send back what comes, until its end, 8081 through small buffers. 2222 speaks first. 22 does, too,
and sends back what comes; while FOLDER/no-ssh exists it speaks HTTP. 443 is TLS, and says which name
the client asked for last; all go to FOLDER/named. 80 is HTTP/1.1 with keep-alive, and does not always close when it is told to. 8082 ends its side after
its greeting, reads on, and writes to FOLDER/early how much came; 8083 answers when the client has ended its side. UDP 8084
answers each datagram with it, as an answer of DNS. Another one like 8080 is on
the loopback interface. FOLDER/ports gets the loopback's port when all listen.
"""
import os
import socket
import ssl
import subprocess
import sys
import threading

address, folder = sys.argv[1:]


def serve(server, talk):
    def run():
        while True:
            line, _ = server.accept()
            threading.Thread(target=guard, args=(talk, line), daemon=True).start()
    threading.Thread(target=run).start()


def guard(talk, line):
    try:
        with line:
            talk(line)
    except OSError:
        pass


def echo(line):
    line.sendall(b"reached ")
    while data := line.recv(65536):
        line.sendall(data)


def greeting(line):
    line.sendall(b"SSH-2.0-reached\r\n")
    line.recv(100)


def ssh(line):
    other = os.path.exists(folder + "/no-ssh")
    line.sendall(b"HTTP/1.1 400 reached\r\n\r\n" if other else b"SSH-2.0-reached\r\n")
    while data := line.recv(4096):
        line.sendall(data)


def count(line):
    total = 0
    while data := line.recv(65536):
        total += len(data)
    return total


def ends_early(line):
    line.sendall(b"reached ")
    line.shutdown(socket.SHUT_WR)
    total = count(line)
    with open(folder + "/early.new", "w", encoding="ascii") as out:
        print(total, file=out)
    os.rename(folder + "/early.new", folder + "/early")


def answers_late(line):
    line.sendall(b"reached with %d" % count(line))


def datagrams():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((address, 8084))
        while True:
            data, sender = server.recvfrom(4096)
            server.sendto(data[:2] + b"\x81\x80" + data[4:], sender)


def body_of(head, data, line):
    """Reads on until the body is complete, and returns it with what follows."""
    fields = dict(each.lower().split(b": ", 1) for each in head.split(b"\r\n")[1:])
    if b"transfer-encoding" in fields:
        while b"0\r\n\r\n" not in data:
            data += line.recv(4096)
        return data.split(b"0\r\n\r\n", 1)
    length = int(fields.get(b"content-length", 0))
    while len(data) < length:
        data += line.recv(4096)
    return data[:length], data[length:]


def http(line):
    data = b""
    while part := line.recv(4096):
        data += part
        while b"\r\n\r\n" in data:
            head, data = data.split(b"\r\n\r\n", 1)
            host = [each for each in head.split(b"\r\n") if each.lower().startswith(b"host:")]
            sent, data = body_of(head, data, line)
            body = b"reached by " + b",".join(host) + b" with %d\n" % len(sent)
            closes = b"Connection: close" in head and b"/stubborn" not in head
            line.sendall(b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" %
                         (b"Connection: close\r\n" if closes else b"", len(body), body))
            if closes:
                return


def tls(line):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    names = []

    def note(_socket, name, _context):
        names.append(name)
        with open(folder + "/named", "a", encoding="ascii") as out:
            print(name, file=out)
    context.sni_callback = note
    with context.wrap_socket(line, server_side=True) as secure:
        secure.sendall(b"reached as " + str(names[-1] if names else None).encode())


subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=gate.test",
                "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"],
               check=True, stderr=subprocess.DEVNULL)
loopback = socket.create_server(("127.0.0.1", 0))
serve(loopback, echo)
threading.Thread(target=datagrams).start()
for port, talk in ((8080, echo), (8081, echo), (8082, ends_early), (8083, answers_late), (2222, greeting), (22, ssh),
                   (80, http), (443, tls)):
    # More than connect at a time: the kernel forgets those that a full queue has no room for (SYN cookies), and a client
    # that waits for the server's first word waits for ever.
    server = socket.create_server((address, port), backlog=1024)
    if port == 8081:
        for buffer in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            server.setsockopt(socket.SOL_SOCKET, buffer, 1 << 17)
    serve(server, talk)
with open(folder + "/ports.new", "w", encoding="ascii") as out:
    print(loopback.getsockname()[1], file=out)
os.rename(folder + "/ports.new", folder + "/ports")
