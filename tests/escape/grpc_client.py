"""grpc_client.py: calls of gRPC from a box, with the key in their metadata. Prints what comes back."""
import os
import queue

import grpc

HOST = "grpc.h2.test:8443"
KEY = (("authorization", "Bearer " + os.environ["API_TOKEN"]),)


def call(channel, name, request, metadata=KEY, **options):
    try:
        return channel.unary_unary(f"/test.Test/{name}").with_call(request, metadata=metadata, timeout=20, **options)
    except grpc.RpcError as problem:
        return f"{problem.code().name} {problem.details()}", problem


with grpc.secure_channel(HOST, grpc.ssl_channel_credentials()) as channel:
    answer, done = call(channel, "Unary", b"hello")
    print("unary:", answer, dict(done.trailing_metadata()))
    answer, _ = call(channel, "Unary", b"x" * 3_000_000, compression=grpc.Compression.Gzip)
    print("long:", len(answer), set(answer))
    # Each message is answered before the next one is sent.
    waiting = queue.Queue()
    answers = channel.stream_stream("/test.Test/Chat")(iter(waiting.get, None), metadata=KEY, timeout=20)
    for text in b"one", b"two", b"three":
        waiting.put(text)
        print("chat:", next(answers))
    waiting.put(None)
    print("end:", list(answers), answers.code().name)
    print("fail:", call(channel, "Fail", b"")[0])
    print("echo:", call(channel, "Echo", b"")[0])
    print("placeholder:", call(channel, "Unary", b"x", (("x-note", os.environ["API_TOKEN"]),))[0])
    print("unknown:", call(channel, "Nothing", b"x")[0])
    several = [channel.unary_unary("/test.Test/Unary").future(b"%d" % i, metadata=KEY, timeout=20) for i in range(50)]
    print("several:", [each.result() for each in several] == [b"%d" % i for i in range(50)])
