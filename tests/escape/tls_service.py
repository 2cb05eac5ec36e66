"""Serves HTTPS for tests: certificate and key are in a folder, which gets a file "ready".

A host NAME may have a certificate of its own there, NAME.pem.
"""
import http.server
import os
import ssl


def serve(handler, address, folder):
    server = http.server.ThreadingHTTPServer((address, 443), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")

    def choose(line, name, _context):
        own = f"{folder}/{name}.pem"
        if name and os.path.exists(own):
            other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            other.load_cert_chain(own, folder + "/key.pem")
            line.context = other

    context.sni_callback = choose
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    open(folder + "/ready", "w", encoding="ascii").close()
    server.serve_forever()
