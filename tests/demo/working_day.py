"""working_day.py ADDRESS FOLDER MODEL: what a developer's tools reach on a working day, on ADDRESS under the names of the real
services: a forge, registries of npm, Python, Rust and Go, a distribution's packages, and some pages. FOLDER has the
certificate (cert.pem, key.pem), bare repositories in git/, a file "names", and gets "ready" when all listen. A line of
"names" is what a service is called here and its name. What a box asks for is printed, one name a line. MODEL is the port of a
language model on this machine.
"""
import base64
import hashlib
import http.server
import io
import json
import os
import ssl
import subprocess
import sys
import tarfile
import threading
import urllib.request
import zipfile

address, folder, model = sys.argv[1:]
with open(folder + "/names", encoding="ascii") as lines:
    NAMES = dict(line.split() for line in lines)


def tar(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


def archive(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return out.getvalue()


# A package with native code fetches the headers of Node when it is installed.
NPM = tar(**{"package/package.json": json.dumps({
    "name": "day-native", "version": "1.0.0",
    "scripts": {"install": f"curl -sSf -o /dev/null https://{NAMES['node']}/download/release/headers.tar.gz"}})})
WHEEL = archive({
    "day_shapes.py": "AREA = 6\n", "day_shapes-1.0.dist-info/RECORD": "",
    "day_shapes-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: day\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "day_shapes-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: day-shapes\nVersion: 1.0\n"})
CRATE = tar(**{"day-units-1.0.0/Cargo.toml": '[package]\nname = "day-units"\nversion = "1.0.0"\n',
               "day-units-1.0.0/src/lib.rs": "pub const METRE: u32 = 1;\n"})
CRATE_LINE = json.dumps({"name": "day-units", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
                         "cksum": hashlib.sha256(CRATE).hexdigest()})
CRATES = {"dl": f"https://{NAMES['crates']}/crates", "api": f"https://{NAMES['crates']}"}
GO_MOD = "module golang.org/x/day\n"
GO = archive({"golang.org/x/day@v1.0.0/go.mod": GO_MOD, "golang.org/x/day@v1.0.0/day.go": "package day\n\nconst Hours = 8\n"})

CALLED = {name: called for called, name in NAMES.items()}
FILES = {
    ("npm", "/day-native"): json.dumps({
        "name": "day-native", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
            "name": "day-native", "version": "1.0.0", "hasInstallScript": True, "dist": {
                "tarball": f"https://{NAMES['npm']}/day-native/-/day-native-1.0.0.tgz",
                "integrity": "sha512-" + base64.b64encode(hashlib.sha512(NPM).digest()).decode()}}}}),
    ("npm", "/day-native/-/day-native-1.0.0.tgz"): NPM,
    ("pypi", "/simple/day-shapes/"):
        f'<a href="https://{NAMES["wheels"]}/day_shapes-1.0-py3-none-any.whl">day_shapes-1.0-py3-none-any.whl</a>',
    ("wheels", "/day_shapes-1.0-py3-none-any.whl"): WHEEL,
    ("crates-index", "/config.json"): json.dumps(CRATES),
    ("crates-index", "/da/y-/day-units"): CRATE_LINE,
    ("crates", "/crates/day-units/day-units-1.0.0.crate"): CRATE,
    ("crates", "/crates/day-units/1.0.0/download"): CRATE,
    ("go", "/golang.org/x/day/@v/v1.0.0.info"): '{"Version": "v1.0.0"}',
    ("go", "/golang.org/x/day/@v/v1.0.0.mod"): GO_MOD,
    ("go", "/golang.org/x/day/@v/v1.0.0.zip"): GO,
    ("apt", "/debian/./Packages"): "",
    ("node", "/download/release/headers.tar.gz"): b"headers",
    ("docs.python.org", "/3/library/json.html"): "<p>json</p>",
    ("api.staging.day.test", "/health"): "ok\n",
}


def git(self, path, body):
    """RFC 3875, as git-http-backend(1) wants it. What is not there is the index that older versions of cargo clone."""
    path, _, query = path.partition("?")
    repository, rest = "/".join(path.split("/")[:3]), path.split("/")[3:]
    if not os.path.isdir(folder + "/git" + repository):
        path = "/".join(["/day/index.git", *rest])
    environment = dict(os.environ, GIT_PROJECT_ROOT=folder + "/git", GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path,
                       QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_USER="dev",
                       CONTENT_TYPE=self.headers.get("Content-Type", ""), CONTENT_LENGTH=str(len(body)),
                       HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
                       GIT_PROTOCOL=self.headers.get("Git-Protocol", ""))
    out = subprocess.run(["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE, check=True).stdout
    head, _, body = out.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    return int(fields.pop("Status", "200 OK")[:3]), fields, body


def ask_model(path, body):
    request = urllib.request.Request(f"http://127.0.0.1:{model}{path}", body)
    with urllib.request.urlopen(request) as answer:
        return 200, {"Content-Type": answer.headers["Content-Type"]}, answer.read()


def chunked(stream):
    body = b""
    while size := int(stream.readline(), 16):
        body += stream.read(size)
        stream.readline()
    stream.readline()
    return body


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        host = self.headers["Host"].partition(":")[0]
        print(host, flush=True)
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = chunked(self.rfile)
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if host == "github.com":
            status, fields, out = git(self, self.path, body)
        elif host == "api.anthropic.com" and self.path.startswith("/v1/messages") and model:
            status, fields, out = ask_model(self.path, body)
        else:
            found = FILES.get((CALLED.get(host, host), self.path))
            status, fields, out = (404, {}, b"") if found is None else (200, {}, found)
            if CALLED.get(host) == "pypi":
                fields = {"Content-Type": "text/html"}
        out = out.encode() if isinstance(out, str) else out
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    do_GET = do_POST = answer

    def log_message(self, *args):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
plain = http.server.ThreadingHTTPServer((address, 80), Service)
secure = http.server.ThreadingHTTPServer((address, 443), Service)
secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=plain.serve_forever).start()
open(folder + "/ready", "w", encoding="ascii").close()
secure.serve_forever()
