// network_clients.js ADDRESS FOLDER: HTTPS by HTTP/2 and 1.1 on ADDRESS, with WebSockets (RFC 6455) that send back what comes.
// Says by which version it was asked, and with which key. index.clients.test is a package index of pip (PEP 503) with the one
// wheel in FOLDER, for those with the key.
const { createSecureServer } = require("node:http2");
const { createHash } = require("node:crypto");
const { readFileSync, writeFileSync } = require("node:fs");

const [address, folder] = process.argv.slice(2);
const WHEEL = "day_shapes-1-py3-none-any.whl";

function answerIndex(request, response) {
  const sent = (request.headers.authorization ?? "").replace(/^Basic /, "");
  if (!Buffer.from(sent, "base64").toString().endsWith(`:${process.env.REAL}`)) {
    response.writeHead(401, { "WWW-Authenticate": "Basic realm=index" });
    response.end();
  } else if (request.url === "/simple/day-shapes/") {
    response.setHeader("Content-Type", "text/html");
    response.end(`<a href="/${WHEEL}">${WHEEL}</a>\n`);
  } else if (request.url === `/${WHEEL}`) {
    response.end(readFileSync(`${folder}/${WHEEL}`));
  } else {
    response.writeHead(404);
    response.end();
  }
}

const server = createSecureServer({
  key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/cert.pem`), allowHTTP1: true,
}, (request, response) => {
  if ((request.headers[":authority"] ?? request.headers.host) === "index.clients.test")
    return answerIndex(request, response);
  response.setHeader("Content-Type", "text/html");
  response.end(`<p>reached by ${request.httpVersion} with ${request.headers.authorization === `Bearer ${process.env.REAL}` ? "the key" : "no key"}</p>\n`);
});
server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
               `Sec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`);
  // One short masked frame of text, and the same without its mask.
  socket.on("data", (frame) => {
    if ((frame[0] & 15) !== 1)
      return socket.end();
    const mask = frame.subarray(2, 6), text = frame.subarray(6).map((byte, i) => byte ^ mask[i % 4]);
    socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
  });
});
server.listen(443, address, () => writeFileSync(`${folder}/ready`, ""));
