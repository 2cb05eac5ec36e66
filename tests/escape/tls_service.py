"""Serves HTTPS for tests: certificate and key are in a folder, which gets a file "ready"."""
import http.server
import ssl


def serve(handler, address, folder):
    server = http.server.ThreadingHTTPServer((address, 443), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    open(folder + "/ready", "w", encoding="ascii").close()
    server.serve_forever()
