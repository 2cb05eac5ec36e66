"""network.py ADDRESS FOLDER: what a box clones and installs (gate.bash), from ADDRESS: a git repository "repo" by git daemon
on port 9418, and 150 packages of npm by HTTP on port 8088, with a package.json and its lock in FOLDER. FOLDER/ready says
that both serve.
"""
import base64
import hashlib
import http.server
import io
import json
import os
import subprocess
import sys
import tarfile

address, folder = sys.argv[1:]
FILES, PACKAGES = 5000, 150


def git(*words):
    subprocess.run(["git", "-C", folder + "/repo", *words], check=True, stdout=subprocess.DEVNULL)


def make_repository():
    os.makedirs(folder + "/repo")
    git("init", "-q")
    for i in range(FILES):
        name = f"{folder}/repo/{i // 100}/{i}"
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w", encoding="ascii") as out:
            print(i * i, file=out)
    with open(folder + "/repo/large", "wb") as out:
        out.write(os.urandom(30_000_000))
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "All")


def package(name):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for path, data in (("package.json", json.dumps({"name": name, "version": "1.0.0"}).encode()),
                           ("index.js", base64.b64encode(os.urandom(20000)))):
            entry = tarfile.TarInfo("package/" + path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def make_packages():
    needs = {f"package{i}": "1.0.0" for i in range(PACKAGES)}
    own = {"name": "bench", "version": "1.0.0", "dependencies": needs}
    packages = {"": own}
    for name in needs:
        data = package(name)
        with open(f"{folder}/{name}.tgz", "wb") as out:
            out.write(data)
        packages["node_modules/" + name] = {
            "version": "1.0.0", "resolved": f"http://{address}:8088/{name}.tgz",
            "integrity": "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()}
    for name, content in (("package.json", own),
                          ("package-lock.json", {**own, "lockfileVersion": 3, "packages": packages})):
        with open(f"{folder}/{name}", "w", encoding="ascii") as out:
            json.dump(content, out)


class Files(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=folder)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512


make_repository()
make_packages()
server = Server((address, 8088), Files)
daemon = subprocess.Popen(["git", "daemon", "--reuseaddr", "--export-all", "--base-path=" + folder, "--listen=" + address],
                          stderr=subprocess.DEVNULL)
while subprocess.run(["git", "ls-remote", f"git://{address}/repo"], check=False, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL).returncode:
    pass
open(folder + "/ready", "w", encoding="ascii").close()
try:
    server.serve_forever()
finally:
    daemon.kill()
