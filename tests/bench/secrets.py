"""secrets.py ADDRESS CERTIFICATE KEY: a web server on ADDRESS, with TLS on port 443 and without on port 80, whose GET /N has
N bytes; anything with a body is read to its end. Prints a line when it serves."""
import http.server
import socketserver
import ssl
import sys
import threading

BLOCK = bytes(1 << 20)


class Talk(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # as servers do; else the body may wait 40 ms for an acknowledgement of the head

    def do_GET(self):
        left = int(self.path[1:])
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left:
            left -= self.wfile.write(BLOCK[:left])

    def do_PUT(self):
        left = int(self.headers["Content-Length"])
        while left:
            left -= len(self.rfile.read(min(left, len(BLOCK))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2], sys.argv[3])
secure, plain = (Server((sys.argv[1], port), Talk) for port in (443, 80))
secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=secure.serve_forever).start()
print("ready", flush=True)
plain.serve_forever()
