"""websocket_client.py ADDRESS TOKEN [AUTHORITY]: prints the message that /websocket of secrets_server.py sends, to a client
that takes compressed ones."""
import socket
import ssl
import sys
import zlib

address, token = sys.argv[1:3]
context = ssl.create_default_context(cafile=sys.argv[3] if len(sys.argv) > 3 else None)
context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # the tests' authority says too little of itself for that
fields = ("GET /websocket HTTP/1.1", "Host: api.secrets.test", "Authorization: Bearer " + token, "Connection: Upgrade",
          "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
          "Sec-WebSocket-Extensions: permessage-deflate", "", "")
got = b""
with context.wrap_socket(socket.create_connection((address, 443)), server_hostname="api.secrets.test") as line:
    line.sendall("\r\n".join(fields).encode())
    try:
        while part := line.recv(4096):
            got += part
    except OSError:
        pass
message = got.partition(b"\r\n\r\n")[2]
is_compressed = message[:1] == b"\xc1"
text = zlib.decompressobj(-15).decompress(message[2:] + b"\0\0\xff\xff") if is_compressed else message[2:]
print(text.decode("latin-1"))
