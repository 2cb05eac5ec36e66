"""sigv4_server.py ADDRESS FOLDER: a service whose requests are signed, for secrets_sigv4.bats: HTTPS on port 443 of
ADDRESS.

It checks each signature (sigv4_verdict.py). Each request is a line in FOLDER/seen: its verdict, method, target and length.
FOLDER has cert.pem and key.pem; FOLDER/ready is made when it listens.
"""
import http.server
import sys

import sigv4_verdict
import tls_service

address, folder = sys.argv[1:]


class Service(sigv4_verdict.Signed, http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def serve(self):
        body = self.read_body()
        verdict = self.verdict(body)
        with open(folder + "/seen", "a", encoding="utf-8") as seen:
            seen.write(f"{verdict} {self.command} {self.headers['Host']}{self.path} {len(body)}\n")
        authorization = self.headers.get("Authorization", "")
        echoes = {"/id": sigv4_verdict.ID, "/token": self.headers.get("X-Amz-Security-Token", ""),
                  "/signature": authorization.rpartition("=")[2], "/authorization": authorization, "/key": sigv4_verdict.KEY}
        answer = (echoes.get(self.path, verdict) + "\n").encode()
        self.send_response(200 if verdict.startswith("signed") else 403)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_PUT = do_POST = do_DELETE = serve

    def log_message(self, *_):
        pass


tls_service.serve(Service, address, folder)
