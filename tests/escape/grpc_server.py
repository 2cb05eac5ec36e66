"""grpc_server.py ADDRESS FOLDER: a service of gRPC with TLS, for secrets_h2.bats, on port 8443 of ADDRESS.

FOLDER has cert.pem and key.pem. The authorization of each call is a line in FOLDER/seen; FOLDER/grpc-ready is made
when it listens. Messages are bytes, so that nothing has to be generated.
"""
import sys
from concurrent import futures

import grpc

address, folder = sys.argv[1:]


def key(context):
    found = dict(context.invocation_metadata()).get("authorization", "-")
    with open(folder + "/seen", "a", encoding="utf-8") as seen:
        seen.write(f"grpc {found}\n")
    return found


def unary(request, context):
    key(context)
    context.set_trailing_metadata((("x-length", str(len(request))),))
    return request.upper()


def chat(requests, context):
    key(context)
    for request in requests:
        yield request.upper()


def echo(request, context):
    return key(context).encode()


def fail(request, context):
    key(context)
    context.abort(grpc.StatusCode.NOT_FOUND, "no such thing")


server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Test", {
    "Unary": grpc.unary_unary_rpc_method_handler(unary),
    "Chat": grpc.stream_stream_rpc_method_handler(chat),
    "Echo": grpc.unary_unary_rpc_method_handler(echo),
    "Fail": grpc.unary_unary_rpc_method_handler(fail),
}),))
with open(folder + "/key.pem", "rb") as private, open(folder + "/cert.pem", "rb") as certificate:
    credentials = grpc.ssl_server_credentials([(private.read(), certificate.read())])
server.add_secure_port(f"{address}:8443", credentials)
server.start()
open(folder + "/grpc-ready", "w", encoding="ascii").close()
server.wait_for_termination()
